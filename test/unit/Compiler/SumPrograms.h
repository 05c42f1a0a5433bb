//===- SumPrograms.h - Sums of rows with a schedule -------------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_COMPILER_SUMPROGRAMS_H
#define LOOM_TEST_UNIT_COMPILER_SUMPROGRAMS_H

#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include "loom/Text/Text.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

namespace loom::test {

/// A context with the dialects of the language; what is reported goes to standard error.
struct Context {
  Context() : mlir(registry(), mlir::MLIRContext::Threading::DISABLED) {
    mlir.loadAllAvailableDialects();
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry result;
    registerLoomDialects(result);
    return result;
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = parseSourceText(text, "test.loom", &mlir);
    if (!module || mlir::failed(verifyModule(*module)))
      return {};
    return module;
  }
  mlir::MLIRContext mlir;
};

/// The head of a kernel @sum(count, matrix, sums) of 32 work-items over at most 64 rows.
inline const char *const kHead = R"(kernel.def @sum() {
  %one = index.constant 1 : index
  %lanes = index.constant 32 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%lanes, %one, %one) : index
} launch(%row_count: index, %matrix: buffer, %sums: buffer) {
  %rows = index.assume %row_count [range(%row_count, 0, 64)] : index
  %lane = kernel.workitem.id<x> : index
  %origin = index.constant 0 : offset
  %results = buffer.view %sums[%origin] : buffer -> view<32xf32>
  %first = index.constant 0 : index
  %step = index.constant 1 : index
  %zero = scalar.constant 0.0 : f32
)";

inline const char *const kTail = R"(  view.store %total, %results[%lane] : f32, view<32xf32>
  kernel.return
}
)";

/// One f32, or four, of each row for each lane.
inline std::string sumProgram(int64_t depth, int64_t factor, llvm::StringRef schedule,
                              bool vector) {
  std::string body = llvm::formatv(
      R"(  %depth = index.constant {0} : index
  %factor = index.constant {1} : index
  %elements = buffer.view %matrix[%origin] : buffer -> {3}
  %total = scf.for %row = [%first to %rows step %step](%sum = %zero : f32) -> (f32) pipeline(%depth) unroll(%factor) schedule({2}) {{
    {4}
    scf.yield %next : f32
  }
)",
      depth, factor, schedule, vector ? "view<64x32x4xf32>" : "view<64x32xf32>",
      vector
          ? R"(%value = vector.load %elements[%row, %lane, 0] : view<64x32x4xf32> -> vector<4xf32>
    %next = vector.reduce<addf> %value, %sum : vector<4xf32>, f32)"
          : R"(%value = view.load %elements[%row, %lane] : view<64x32xf32> -> f32
    %next = scalar.addf %sum, %value : f32)");
  return kHead + body + kTail;
}

} // namespace loom::test

#endif // LOOM_TEST_UNIT_COMPILER_SUMPROGRAMS_H
