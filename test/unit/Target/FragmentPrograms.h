//===- FragmentPrograms.h - Kernels of matrix fragments ---------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TARGET_FRAGMENTPROGRAMS_H
#define LOOM_TEST_UNIT_TARGET_FRAGMENTPROGRAMS_H

#include "LanesPrograms.h"
#include "loom/Target/Common/FragmentLayout.h"

namespace loom::test {

/// A kernel launch has as many subgroups as tiles: two workgroups of two subgroups.
inline constexpr int64_t kTiles = 4;

/// A fragment of a kernel for subgroups of `lanes` lanes.
struct FragmentType {
  FragmentFamily family;
  FragmentPart part;
  FragmentShape shape;
  ElementType element;

  int64_t copies(int64_t lanes) const {
    return family == FragmentFamily::Gfx11 && part != FragmentPart::Sum ? lanes / 16 : 1;
  }
  int64_t count() const { return shape.rows * shape.columns * shape.blocks; }
  int64_t elements(int64_t lanes) const { return count() * copies(lanes) / lanes; }
  FragmentLayout layout(int64_t lanes) const {
    return *FragmentLayout::get(family, part, shape, lanes, elements(lanes), element.bits);
  }
  /// "vector<8xf16>"
  std::string vector(int64_t lanes) const;
  /// "[16, 16]"
  std::string extents() const;
  /// "4x16x16xf16", a matrix for each tile
  std::string view() const;
  /// "[%tile, 0, 0]"
  std::string origin() const;
  const char *role() const;
};

/// A kernel @`name` of `parameters`, whose `body` has the number of its subgroup as `%tile` and of
/// its lane as `%lane`.
std::string fragmentKernel(const std::string &name, int64_t lanes, const std::string &parameters,
                           const std::string &body);
void launchTiles(const x86::CompiledKernels &kernels, const std::string &name, int64_t lanes,
                 const Arguments &arguments);

/// Bytes of `count` elements of a type, by their bits.
class TypedBytes {
public:
  TypedBytes(const ElementType &type, int64_t count) : type(type), bytes(count * type.bytes) {}
  uint64_t get(int64_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * type.bytes], type.bytes);
    return bits;
  }
  void set(int64_t i, uint64_t bits) { std::memcpy(&bytes[i * type.bytes], &bits, type.bytes); }
  void fill(Random &random) {
    for (int64_t i = 0; i < int64_t(bytes.size()) / type.bytes; ++i)
      set(i, type.random(random));
  }
  std::vector<uint8_t> &data() { return bytes; }

private:
  ElementType type;
  std::vector<uint8_t> bytes;
};

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_FRAGMENTPROGRAMS_H
