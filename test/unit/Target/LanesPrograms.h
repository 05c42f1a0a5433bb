//===- LanesPrograms.h - Kernels of many lanes, run and compared -*- C++ -*-===//
//
// What the tests of collectives, memory and control flow over lanes share: compilation for each
// subgroup size, element types, and the scalar reference for what lanes combine.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TEST_UNIT_TARGET_LANESPROGRAMS_H
#define LOOM_TEST_UNIT_TARGET_LANESPROGRAMS_H

#include "VectorPrograms.h"

namespace loom::test {

/// Sizes of subgroups and the x86 profiles that have them.
struct LaneProfile {
  int64_t lanes;
  const char *key;
};
inline constexpr LaneProfile kLaneProfiles[] = {{8, "x86:avx2+subgroup8"},
                                                {16, "x86:avx2"},
                                                {32, "x86:avx2+subgroup32"},
                                                {64, "x86:avx2+subgroup64"}};

/// Code of many lanes takes long to compile, so that of all combinations of types, operations and
/// sizes a part is run, chosen so that each two of them meet. With LOOM_LONG_TESTS in the
/// environment all of them are run, and more random programs.
bool isLong();
/// Whether combination `number` is run when every `period`th one is.
inline bool isTaken(size_t number, size_t period) { return number % period == 0 || isLong(); }

class LanesTest : public ::testing::Test {
protected:
  /// Runs `body` for every profile until something fails.
  void forEachProfile(llvm::function_ref<void(const LaneProfile &profile)> body);
  /// Compiles for a profile, or gives nothing and the errors.
  std::optional<x86::CompiledKernels> tryCompile(const std::string &text, const char *profile,
                                                 std::string &errors);
  /// The same; an error fails the test and prints the text.
  std::optional<x86::CompiledKernels> compileFor(const std::string &text, const char *profile);
};

/// Runs `groups` workgroups (in x) of `size` work-items in x, y and z.
void launchSized(const x86::CompiledKernels &kernels, const std::string &symbol, int64_t groups,
                 std::array<int64_t, 3> size, const Arguments &arguments);

/// The type that carries a type: `index` as i64, everything else itself.
ElementType carrierOf(const std::string &type);

/// `a kind b` on bits of `type`, `kind` as in the text.
uint64_t combine(const std::string &kind, const ElementType &type, uint64_t a, uint64_t b);
/// What inactive lanes contribute.
uint64_t identityOf(const std::string &kind, const ElementType &type);
/// Adjacent pairwise: neighbours, then neighbouring pairs, the lower one on the left.
uint64_t reduceTree(const std::string &kind, const ElementType &type,
                    llvm::ArrayRef<uint64_t> values);
/// Over distances 1, 2, 4, …, the earlier value on the left; exclusive ones begin with the
/// identity.
std::vector<uint64_t> scanDoubling(const std::string &kind, const ElementType &type,
                                   std::vector<uint64_t> values, bool isExclusive);

/// The same from the last value on.
std::vector<uint64_t> scanBackwards(const std::string &kind, const ElementType &type,
                                    std::vector<uint64_t> values, bool isExclusive);

/// Equal bits, or both NaN: which NaN a computation makes is not defined.
bool isSameValue(const ElementType &type, uint64_t a, uint64_t b);

/// Kinds that combine values of a type.
std::vector<std::string> kindsOf(const ElementType &type);

/// Replaces every `from` in `text`.
std::string replaced(std::string text, const std::string &from, const std::string &to);

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_LANESPROGRAMS_H
