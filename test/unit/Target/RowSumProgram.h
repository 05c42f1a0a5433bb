//===- RowSumProgram.h - The row sum as the lowering emits it ---*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TARGET_ROWSUMPROGRAM_H
#define LOOM_TEST_UNIT_TARGET_ROWSUMPROGRAM_H

#include "loom/Target/AMDGPU/CodeGen.h"
#include <string>

namespace loom::test {

/// A sum over the rows of one or more matrices, one column a work-item, pipelined and unrolled.
struct RowSumShape {
  unsigned depth = 3;
  unsigned factor = 4;
  /// Loads that the steady loop issues before its first consumer; 0 stands for depth - 1.
  unsigned lead = 0;
  unsigned vectorWidth = 1;  ///< adjacent f32 values that one work-item loads of a row
  unsigned streams = 1;      ///< matrices, one load of each a row
  unsigned lanes = 32;       ///< workgroup size, and values of a row
  bool adjacentRows = false; ///< the values of one work-item lie side by side
  bool wideIndex = false;    ///< 64-bit index arithmetic, as when no range is known
  bool locations = false;    ///< debug locations that name the source operations
};

/// LLVM IR of the kernel `@sum_rows(i64 count, ptr in..., ptr out)`: guarded startup, steady loop,
/// remainder loop, drain, and a serial loop for counts below the depth.
std::string rowSumProgram(const RowSumShape &shape);

/// The operations that the locations of a program refer to.
amdgpu::SourceOperations rowSumOperations();

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_ROWSUMPROGRAM_H
