//===- SourceScheduler.h - A scheduler that keeps source order --*- C++ -*-===//
//
// The pre-RA machine scheduler `loom-source`. Loom's loop policies decide in which order loads and
// arithmetic are issued; this strategy carries that order to the register allocator. Within a
// scheduling region an instruction is issued as soon as everything before it in source order has
// been, with two exceptions: a dependency, and a register class that is full. In the second case
// the first ready instruction in source order that does not enlarge the excess goes first.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_AMDGPU_SOURCESCHEDULER_H
#define LOOM_LIB_TARGET_AMDGPU_SOURCESCHEDULER_H

namespace llvm {
struct MachineSchedContext;
class ScheduleDAGInstrs;
} // namespace llvm

namespace loom::amdgpu {

/// Name of the scheduler in LLVM's registry.
inline constexpr const char *sourceSchedulerName = "loom-source";

/// The scheduler for one function; LLVM takes ownership.
llvm::ScheduleDAGInstrs *createSourceScheduler(llvm::MachineSchedContext *context);

/// Makes the scheduler known to LLVM by its name. An explicit call, because the linker drops
/// static registrations of archive members.
void registerSourceScheduler();

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_SOURCESCHEDULER_H
