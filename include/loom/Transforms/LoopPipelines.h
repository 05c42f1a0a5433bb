//===- LoopPipelines.h - What read-ahead did to the loops -------*- C++ -*-===//
//
// The read-ahead pass leaves a record of every loop that asked for a pipeline on the kernel around
// it, in the attribute `loop_pipelines`. The record is no part of the text; the compile report is
// made from it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TRANSFORMS_LOOPPIPELINES_H
#define LOOM_TRANSFORMS_LOOPPIPELINES_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Report/CompileReport.h"

namespace loom {

/// Appends `row` to the record of `kernel`. `row.loop` is set to the number of rows before it:
/// loops that carry a pipeline clause are numbered per kernel, inner loops before the loops around
/// them. `row.function` is not recorded.
void appendLoopPipeline(KernelDefOp kernel, report::LoopPipeline row);

/// The record of `kernel` in that order, `function` being its symbol. Empty when no loop asked.
std::vector<report::LoopPipeline> readLoopPipelines(KernelDefOp kernel);

} // namespace loom

#endif // LOOM_TRANSFORMS_LOOPPIPELINES_H
