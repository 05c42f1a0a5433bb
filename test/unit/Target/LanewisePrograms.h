//===- LanewisePrograms.h - Many operations on many rows --------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TARGET_LANEWISEPROGRAMS_H
#define LOOM_TEST_UNIT_TARGET_LANEWISEPROGRAMS_H

#include "LoweringPrograms.h"
#include "llvm/ADT/APFloat.h"
#include <functional>
#include <random>

namespace loom::test {

/// How the kernel computes the rows of its operands.
enum class RowForm {
  Uniform,       ///< one row for each workgroup, of one work-item: everything is scalar
  Lanes,         ///< one row for each work-item
  VectorUniform, ///< two rows for each workgroup, as vectors of two elements
  VectorLanes,   ///< two rows for each work-item
};
std::string nameOf(RowForm form);
inline bool usesVectors(RowForm form) {
  return form == RowForm::VectorUniform || form == RowForm::VectorLanes;
}

/// An element type: "i1" (one byte in memory) to "f64".
struct NumberType {
  const char *name;
  unsigned bits;
  const llvm::fltSemantics *semantics; ///< null for integers

  bool isFloat() const { return semantics; }
  unsigned storedBytes() const { return bits < 8 ? 1 : bits / 8; }
  llvm::APFloat number(uint64_t pattern) const {
    return llvm::APFloat(*semantics, llvm::APInt(bits, pattern));
  }
  bool isNaN(uint64_t pattern) const { return isFloat() && number(pattern).isNaN(); }
};
llvm::ArrayRef<NumberType> integerTypes();
llvm::ArrayRef<NumberType> floatTypes();
const NumberType &numberType(llvm::StringRef name);

/// Bit patterns that matter for a type, and random ones.
std::vector<uint64_t> specialPatterns(const NumberType &type);
uint64_t randomPattern(const NumberType &type, std::mt19937_64 &generator);

/// One operation on up to three operands of one type.
struct RowOperation {
  /// Without dialect, `$` for the type of the operands, `%x, %y, %z` for the operands:
  /// "addi %x, %y : $". The result is appended by the program where the syntax has it: `=>` stands
  /// for " to T" of casts, `->` for " -> mask" of the vector form.
  std::string text;
  const NumberType *result;
  /// The name that the text defines, where that is not the result: then it defines `%r` itself,
  /// followed by the number of the operation.
  std::string defines = "";
};

using Rows = std::vector<std::vector<uint64_t>>;
/// The rows of all pairs or triples of special patterns, up to `count` of them, and random ones, in
/// all `count`.
Rows makeRows(const NumberType &type, unsigned arity, size_t count, unsigned seed);

/// The kernel @k of these operations on `arity` operands; see LanewiseTest::run.
std::string lanewiseProgram(const NumberType &type, llvm::ArrayRef<RowOperation> operations,
                            unsigned arity, RowForm form);

class LanewiseTest : public LoweringTest {
protected:
  /// The results of each operation for each row.
  std::vector<std::vector<uint64_t>> run(const NumberType &type,
                                         llvm::ArrayRef<RowOperation> operations, const Rows &rows,
                                         RowForm form);
  /// Compiles the kernel of these operations for AMDGPU; an error fails the test. The names of
  /// functions that it calls, but those of LLVM's intrinsics.
  std::vector<std::string> compileForAMDGPU(const NumberType &type,
                                            llvm::ArrayRef<RowOperation> operations, unsigned arity,
                                            RowForm form);
};

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_LANEWISEPROGRAMS_H
