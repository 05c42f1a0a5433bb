//===- BackendOptions.cpp - LLVM's global options, set and restored -------===//
#include "BackendOptions.h"
#include "SourceScheduler.h"
#include "llvm/CodeGen/MachinePassRegistry.h"
#include "llvm/CodeGen/MachineScheduler.h"

using namespace llvm;

namespace loom::amdgpu {

static StringRef spellValue(bool value) { return value ? "true" : "false"; }
static StringRef spellValue(MachineSchedRegistry::ScheduleDAGCtor) { return sourceSchedulerName; }

/// Sets an option as if it stood on the command line; parts of LLVM look at a value only then.
template <typename OptionT, typename ValueT>
Error ScopedBackendOptions::set(StringRef name, ValueT value) {
  auto *option = dynamic_cast<OptionT *>(cl::getRegisteredOptions().lookup(name));
  if (!option)
    return createStringError("the linked LLVM has no usable option '-" + name + "'");
  ValueT former = option->getValue();
  bool wasGiven = option->getNumOccurrences() != 0;
  restorers.push_back([option, former, wasGiven] {
    if (!wasGiven)
      option->reset();
    option->setValue(former);
  });
  if (!wasGiven)
    option->addOccurrence(/*pos=*/0, name, spellValue(value));
  option->setValue(value);
  return Error::success();
}

Error ScopedBackendOptions::apply() {
  using Scheduler = cl::opt<MachineSchedRegistry::ScheduleDAGCtor, false,
                            RegisterPassParser<MachineSchedRegistry>>;
  // Loop strength reduction splits the addresses of one loop over several counters, which ends the
  // sharing of one scalar base by all accesses of the loop.
  if (Error error = set<cl::opt<bool>>("disable-lsr", true))
    return error;
  // Uniform branches stay branches; structurized ones would merge the paths of a guard and with
  // them the waits of both.
  if (Error error = set<cl::opt<bool>>("structurizecfg-skip-uniform-regions", true))
    return error;
  // Alignment by padding would enlarge a kernel by up to a cache line a loop.
  if (Error error = set<cl::opt<bool>>("amdgpu-disable-loop-alignment", true))
    return error;
  return set<Scheduler>("misched", MachineSchedRegistry::ScheduleDAGCtor(createSourceScheduler));
}

ScopedBackendOptions::~ScopedBackendOptions() {
  for (auto &restore : llvm::reverse(restorers))
    restore();
}

} // namespace loom::amdgpu
