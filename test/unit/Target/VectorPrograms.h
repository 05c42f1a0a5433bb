//===- VectorPrograms.h - Operations of `vector`, run and compared -*- C++ -*-===//
//
// A case is a few operations on values that a kernel loads for each work-item, and a function that
// says what they give. A case runs with inputs that differ for all work-items, with a first one
// that is the same for a whole workgroup, and with inputs that all are, then in workgroups that do
// not fill their lanes and with work-items that take no part, whose inputs are any bits. Where
// lanes without a part matter, it runs with every choice of inputs that are the same, with such
// workgroups.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TEST_UNIT_TARGET_VECTORPROGRAMS_H
#define LOOM_TEST_UNIT_TARGET_VECTORPROGRAMS_H

#include "LoweringPrograms.h"
#include "llvm/ADT/APFloat.h"
#include <functional>
#include <random>

namespace loom::test {

using Random = std::mt19937_64;
/// The bits of the elements of a value, in row-major order.
using Elements = std::vector<uint64_t>;

/// An element type by its name in the text.
struct ElementType {
  std::string name;
  unsigned bits = 0, bytes = 0;
  const llvm::fltSemantics *semantics = nullptr; ///< of floats

  explicit ElementType(const std::string &name);
  uint64_t mask() const { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
  int64_t asSigned(uint64_t value) const;
  bool isFloat() const { return semantics; }
  /// Of bits that are a float.
  llvm::APFloat number(uint64_t value) const;
  /// The bits of a number of any format, rounded once; f8E4M3 ends at 448.
  uint64_t rounded(const llvm::APFloat &value) const;
  uint64_t rounded(double value) const { return rounded(llvm::APFloat(value)); }
  /// Sum, difference, product, quotient and fused product of bits, rounded once.
  uint64_t add(uint64_t a, uint64_t b) const;
  uint64_t sub(uint64_t a, uint64_t b) const;
  uint64_t mul(uint64_t a, uint64_t b) const;
  uint64_t div(uint64_t a, uint64_t b) const;
  uint64_t fma(uint64_t a, uint64_t b, uint64_t c) const;
  /// Random bits; of floats numbers of moderate size, now and then special ones.
  uint64_t random(Random &random) const;
};

/// A loaded or stored value: `vector<2x4xf32>`, or `f32` without a shape.
struct ValueType {
  ElementType element;
  std::vector<int64_t> shape;
  bool isScalar = false;
  /// Makes one element; random bits without it.
  std::function<uint64_t(Random &)> make;
  /// Left to the body, which names the view of value i, results behind inputs, as `$viewi`, its
  /// type as `$typei` and the row to access as `$rowi`.
  bool inMemory = false;

  /// By the name of the element and the shape as `2x4`; "" is a scalar.
  ValueType(const std::string &element, const std::string &shape,
            std::function<uint64_t(Random &)> make = {});
  ValueType left() const {
    ValueType type = *this;
    type.inMemory = true;
    return type;
  }
  int64_t count() const;
  std::string text() const;
};

struct VectorCase {
  std::string name;
  std::vector<ValueType> inputs;  ///< %a0, %a1, …
  std::vector<ValueType> results; ///< %r0, %r1, …
  std::string body;
  /// What the results are; the number of the work-item stands behind the inputs.
  std::function<std::vector<Elements>(const std::vector<Elements> &inputs)> expected;
  bool usesItem = false; ///< the body names the work-item as %i
  bool everyVariant = false;
};

/// Bytes between pages that nobody may access, at the beginning or at the end of their own pages.
class GuardedBytes {
public:
  GuardedBytes(size_t size, bool atEnd);
  GuardedBytes(const GuardedBytes &) = delete;
  ~GuardedBytes();

  char *data() const { return first; }
  const size_t size;

private:
  char *base, *first;
  size_t mapped;
};

class VectorOpsTest : public LoweringTest {
protected:
  /// Compiles all cases and compares their results.
  void run(const std::vector<VectorCase> &cases);
  /// The same with inputs that differ for all work-items, of which some take part, and as many
  /// lanes as given: at least 64 patterns of active ones.
  void runInLanes(const std::vector<VectorCase> &cases, unsigned lanes);
};

/// Random numbers below `end`.
inline std::function<uint64_t(Random &)> below(uint64_t end) {
  return [end](Random &random) { return random() % end; };
}

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_VECTORPROGRAMS_H
