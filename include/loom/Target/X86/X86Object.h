//===- X86Object.h - Kernels that other programs call -----------*- C++ -*-===//
//
// Kernels as a relocatable object or a shared library, with a header for C and C++. For a kernel
// `fill` both define, and a library exports nothing else:
//
//   fill                the entry; see lowerForX86 for its signature
//   fill_launch_config  int (workload..., loom_launch *): the launch for a workload
//
// Workload parameters are passed as C passes them: `index` as int64_t, `offset` as uint64_t, `i1`
// as bool, other integers as int8_t to int64_t, f32 and f64 as float and double, narrower floats as
// the unsigned integer that has their bits. The function computes what the first region of the
// kernel says, in the same order as the checks do, on `index` values of 64 bits, and writes the
// launch only when it returns 0; LaunchStatus has the other results.
//
// The code calls nothing but memcpy, memmove and memset of the program around it, and has no
// thread-local or other writable data.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TARGET_X86_X86OBJECT_H
#define LOOM_TARGET_X86_X86OBJECT_H

#include "loom/Target/Common/Lowering.h"

namespace loom::x86 {

/// What a launch configuration function returns; the header has the same numbers.
enum class LaunchStatus {
  Ok = 0,
  /// An operation has no result for these values: overflow, division by zero, an offset above
  /// 2^63 - 1.
  NotComputable = 1,
  /// The workload contradicts an `index.assume`.
  ViolatedAssumption = 2,
  /// A negative number of workgroups, an extent of a workgroup that is not positive, or more than
  /// the profile, the target record of the kernel, or 2^32 - 1 work-items in a dimension, or
  /// 2^63 - 1 workgroups, allow, or not a multiple of the clusters. A launch of no workgroups is
  /// none of these.
  InvalidGeometry = 3,
};

/// What the function fills in. All of it are counts, none of them negative.
struct LaunchRecord {
  int64_t workgroupCount[3], workgroupSize[3];
  int64_t totalWorkgroups; ///< the product of workgroupCount
  int64_t subgroupSize;
  int64_t workgroupStorageBytes; ///< of one workgroup; the kernel has it on its stack
};

enum class ObjectForm {
  Relocatable,   ///< for a static linker, position independent
  SharedLibrary, ///< for a dynamic loader
};

struct ObjectFile {
  std::vector<char> bytes;
  std::string header; ///< empty unless asked for
  std::vector<LoweredKernel> kernels;
  /// Workgroup memory of each kernel without a dynamic tail.
  std::vector<int64_t> fixedStorageBytes;
};

/// Compiles the kernels of a specialized module. The same module and profile give the same bytes on
/// machines with the same processor. Fails after reporting what x86 cannot carry out, what a launch
/// configuration cannot compute on the host, names that the object cannot have, and with
/// `wantsHeader` names that C cannot refer to.
mlir::FailureOr<ObjectFile> compileObject(mlir::ModuleOp module, const TargetProfile &profile,
                                          ObjectForm form, bool wantsHeader,
                                          const LoweringOptions &options = {});

} // namespace loom::x86

#endif // LOOM_TARGET_X86_X86OBJECT_H
