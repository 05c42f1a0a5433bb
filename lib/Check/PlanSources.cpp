//===- PlanSources.cpp - What makes the values of a body ------------------===//
#include "Oracles.h"
#include "Planner.h"
#include "Values.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom::check {
using namespace mlir;

using runtime::ElementType;

/// Checks that a value of a tensor type can be made, as far as its type says it.
void Planner::checkTensor(Operation *op) {
  for (Value result : op->getResults()) {
    auto tensor = dyn_cast<TensorType>(result.getType());
    if (!tensor)
      continue;
    std::optional<ElementType> type = elementTypeOf(tensor);
    if (!type) {
      report(Kind::InvalidValueSource, op,
             "values of type " + stringifyType(tensor) +
                 " cannot be made by a case: a layout says where elements are in a buffer, which a "
                 "tensor is not");
      continue;
    }
    // Extents that are values are checked when they are known.
    if (llvm::is_contained(tensor.getShape(), ShapedType::kDynamic))
      continue;
    std::string reason;
    std::optional<uint64_t> count = runtime::countElements(*type, tensor.getShape(), &reason);
    if (!count)
      report(Kind::InvalidValueSource, op, reason);
    else
      checkGenerator(op, *count);
  }
}

/// Checks what a generator puts into a tensor of `count` elements.
void Planner::checkGenerator(Operation *op, uint64_t count) {
  ElementType type = *elementTypeOf(op->getResult(0).getType());
  auto check = [&](llvm::Error error) {
    if (error)
      report(Kind::InvalidValueSource, op, llvm::toString(std::move(error)));
  };
  if (auto iota = dyn_cast<CheckIotaOp>(op))
    check(runtime::checkIota(type, iotaOf(iota), count));
}

void Planner::checkCall(FuncCallOp op) {
  if (std::optional<std::string> reason = functions.refuse(op.getCallee()))
    report(Kind::InvalidInvocation, op, *reason);
}

bool Planner::planSource(Operation *op, std::vector<Operation *> &sources) {
  bool isSource =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<CheckLiteralOp, CheckIotaOp, CheckFillOp, CheckFileReadNpyOp, CheckTensorViewOp>(
              [&](Operation *op) {
                checkTensor(op);
                return true;
              })
          .Case<CheckRandomUniformOp>([&](CheckRandomUniformOp op) {
            checkTensor(op);
            // The range has to fit whatever the shape is.
            if (std::optional<ElementType> type = elementTypeOf(op.getType()))
              if (llvm::Error error = runtime::checkUniform(*type, uniformOf(op)))
                report(Kind::InvalidValueSource, op, llvm::toString(std::move(error)));
            return true;
          })
          .Case<CheckOracleCallOp>([&](CheckOracleCallOp op) {
            checkTensor(op);
            if (std::optional<std::string> reason = refuseOracle(op, functions))
              report(Kind::InvalidValueSource, op, *reason);
            return true;
          })
          .Case<FuncCallOp>([&](FuncCallOp op) {
            checkCall(op);
            return true;
          })
          .Case<CheckEntropyForkOp, CheckEntropyReadOp>([](auto) { return true; })
          .Default([](Operation *) { return false; });
  if (isSource)
    sources.push_back(op);
  return isSource;
}

} // namespace loom::check
