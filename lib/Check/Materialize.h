//===- Materialize.h - Making the values of a body --------------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_MATERIALIZE_H
#define LOOM_LIB_CHECK_MATERIALIZE_H

#include "HostCode.h"
#include "Slots.h"
#include "loom/Check/Execute.h"

namespace loom::check {

/// `path` of an operation, below `folder` when it is relative and a folder is given.
std::string resolvePath(llvm::StringRef path, llvm::StringRef folder);

class Materializer {
public:
  /// Tensors have the alignment that what the check record `record` refers to is promised.
  Materializer(mlir::Operation *record, Slots &slots, HostFunctions &functions,
               const ExecuteOptions &options);

  /// Makes the results of a literal, generator, file, view, oracle, call of a function or entropy
  /// operation; what it refers to is there. A tensor that the slot already holds is filled anew
  /// when it has the right type and extents. Returns why a value cannot be made.
  std::optional<runtime::Issue> make(mlir::Operation *op);

  /// Makes the slot of `value` a tensor of the type that the value has; its contents are undefined.
  llvm::Error allocate(mlir::Value value);

private:
  llvm::Error fill(mlir::Operation *op, runtime::Tensor &tensor);
  llvm::Error makeView(CheckTensorViewOp op);
  llvm::Error makeOracle(CheckOracleCallOp op);
  llvm::Error call(FuncCallOp op);
  llvm::Error makeValues(mlir::Operation *op);

  Slots &slots;
  HostFunctions &functions;
  const ExecuteOptions &options;
  uint64_t alignment; ///< of tensors, in bytes
};

} // namespace loom::check

#endif // LOOM_LIB_CHECK_MATERIALIZE_H
