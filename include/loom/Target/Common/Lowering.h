//===- Lowering.h - From Loom IR to LLVM IR ---------------------*- C++ -*-===//
//
// One structured walk lowers the kernels of a module for every target that goes through LLVM. The
// kernels have to be specialized: no templates, calls, configuration reads or loop policies are
// left in their bodies.
//
// Three rules hold on every target:
//  - integers: `index` and `offset` take 64 bits in argument blocks (design decision 11). Inside, a
//    value is computed in 32 bits where facts prove that it fits, otherwise in 64; no-wrap flags
//    stand only where the ranges of the operands prove them.
//  - floats: what an operation computes is rounded once, in program order; only flags that the
//    program carries are handed to LLVM.
//  - places: the debug location of an instruction has line 1 + the ordinal of the operation it was
//    lowered from. The compile unit is of the kind NoDebug, so nothing of this is emitted.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TARGET_COMMON_LOWERING_H
#define LOOM_TARGET_COMMON_LOWERING_H

#include "loom/IR/Loom.h"
#include "loom/Target/TargetProfile.h"
#include "mlir/IR/BuiltinOps.h"
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace loom {

/// What a kernel argument is. Index and Offset have 64 bits, Buffer is an address.
enum class ArgumentKind { Index, Offset, I1, I8, I16, I32, I64, F16, BF16, F32, F64, Buffer };

/// Name of a kind as the text spells the type: "index", "f32", "buffer".
llvm::StringRef stringifyArgumentKind(ArgumentKind kind);
/// The kind of a kernel parameter of `type`.
ArgumentKind argumentKindOf(mlir::Type type);

/// What a caller has to know of one lowered kernel.
struct LoweredKernel {
  std::string symbol; ///< name in the artifact: `export("...")`, else the symbol
  std::vector<ArgumentKind> arguments;
  /// Extents x, y, z of the launch, where the launch configuration makes them exact.
  std::array<std::optional<int64_t>, 3> workgroupSize, workgroupCount;
  /// Workgroups of a cluster in x, y, z; nothing without clusters.
  std::optional<std::array<int64_t, 3>> clusterSize;
  /// Work-items of a subgroup: of the profile, or what the kernel's target record says instead.
  int64_t subgroupSize = 0;
  /// The kernel asks for lengths of its buffers (x86 only): the argument block ends with one more
  /// slot for each buffer parameter in turn, its number of bytes.
  bool hasLengths = false;

  /// The number of these slots.
  size_t lengthCount() const {
    return hasLengths ? std::count(arguments.begin(), arguments.end(), ArgumentKind::Buffer) : 0;
  }
};

/// What instrumented code checks.
enum class SiteCheck {
  Access,     ///< an access lies inside of its view and of the buffer behind it
  Value,      ///< an assumption holds
  Operation,  ///< an operation has a value
  RaceAccess, ///< an access that a race detector is told of
  RaceSync,   ///< a synchronization that a race detector is told of
};

/// A place of a kernel where something is checked, or told to a race detector.
struct SanitizerSite {
  SiteCheck check = SiteCheck::Access;
  std::string operation; ///< text name of the source operation
  mlir::Location location;
  std::string kernel; ///< its name in the artifact
  /// What is wrong when the check fails, a sentence without place and period: `{0}` and `{1}` stand
  /// for the two numbers that are reported. Names the view of a race access.
  std::string message;
  bool hasFloats = false; ///< the numbers are the bits of f64, otherwise signed integers
  /// `ubsan.check` of value and operation checks: "divide_by_zero".
  std::string kind = "unknown";

  // Of accesses:
  AccessKind access = AccessKind::read;
  uint32_t bytes = 0;
  bool isAtomic = false;
  /// Of the accessed memory, or of what a synchronization orders.
  MemorySpace space = MemorySpace::unknown;
  /// Of atomic accesses and of synchronizations.
  SyncScope scope = SyncScope::thread;
  Ordering ordering = Ordering::relaxed;
};

/// An operation that instructions were made from.
struct LoweredOperation {
  std::string name; ///< in the text
  mlir::Location location;
};

struct LoweredModule {
  /// Without triple and data layout. Not verified.
  std::unique_ptr<llvm::Module> module;
  /// The source operations by ordinal.
  std::vector<LoweredOperation> operations;
  /// In the order of the source module.
  std::vector<LoweredKernel> kernels;
  /// What instrumented code tells by number; empty without checks.
  std::vector<SanitizerSite> sites;
};

/// What the lowering adds checks for, besides the operations of the dialect `sanitizer`, which are
/// always carried out.
struct SanitizerChecks {
  bool access = false;    ///< of every access to a view or buffer
  bool value = false;     ///< of alignments that are assumed
  bool operation = false; ///< of divisors and shift amounts
  bool race = false;      ///< kernels tell about workgroups (Monitor::raceGroup)
};

struct LoweringOptions {
  SanitizerChecks checks;
  /// Failing checks are told to a Monitor (Monitor.h) and skipped; otherwise they trap.
  bool monitor = false;
  /// Verify the LLVM-dialect module between the two steps, for tests.
  bool verifyIntermediate = false;
};

/// Lowers every `kernel.def` of `module`; the module itself stays as it is. AMDGPU kernels are
/// `amdgpu_kernel` functions over address space 1 whose arguments are the kernel's. Fails after
/// reporting every operation that the target cannot carry out and every launch that exceeds the
/// limits of `profile`; nothing is lowered then. Loads the LLVM dialect into the module's context,
/// so it may not be called from inside a pass.
mlir::FailureOr<LoweredModule> lowerForAMDGPU(mlir::ModuleOp module, const TargetProfile &profile,
                                              llvm::LLVMContext &context,
                                              const LoweringOptions &options = {});

/// The same for x86. Each kernel becomes one function
///   void symbol(const void *arguments, int64_t firstGroup, int64_t endGroup,
///               const int64_t grid[3], const int64_t size[3])
/// that runs the workgroups of flat numbers [firstGroup, endGroup), x varying fastest, and of each
/// the work-items one after another. `arguments` has one slot of 8 bytes for each parameter that
/// holds the value in its first bytes (little endian); a buffer is a pointer, an i1 is the low bit
/// of its byte. With LoweringOptions::monitor the next slot holds a `Monitor *`. `grid` counts
/// workgroups. `size` is only read for extents that are not exact.
mlir::FailureOr<LoweredModule> lowerForX86(mlir::ModuleOp module, const TargetProfile &profile,
                                           llvm::LLVMContext &context,
                                           const LoweringOptions &options = {});

} // namespace loom

#endif // LOOM_TARGET_COMMON_LOWERING_H
