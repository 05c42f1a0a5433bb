//===- LinkedTargets.h - The LLVM back ends of this build -------*- C++ -*-===//
#ifndef LOOM_TARGET_COMMON_LINKEDTARGETS_H
#define LOOM_TARGET_COMMON_LINKEDTARGETS_H

#include <mutex>

namespace loom {

/// Registers LLVM's AMDGPU and X86 back ends, their assembly printers and parsers, and the AMDGPU
/// disassembler. Call it before an LLVM target is looked up. Any number of calls from any thread;
/// the first one does the work and every call returns after it is done.
void initializeLinkedTargets();

/// Serializes everything that runs a back end: LLVM's options are global, and some of them are set
/// for the time of one compilation.
std::mutex &backendMutex();

} // namespace loom

#endif // LOOM_TARGET_COMMON_LINKEDTARGETS_H
