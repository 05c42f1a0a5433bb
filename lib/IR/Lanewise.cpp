//===- Lanewise.cpp - Rules of functions of numbers -----------------------===//
#include "loom/IR/Lanewise.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/SourceInfo.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

#include "loom/IR/LanewiseInterface.cpp.inc"

namespace loom {
using namespace mlir;

Type getMaskType(Type vector) {
  auto shaped = cast<VectorType>(vector);
  return VectorType::get(vector.getContext(), shaped.getShape(),
                         IntegerType::get(vector.getContext(), 1));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult verifySameShape(Operation *op) {
  Value first;
  SmallVector<Value> dims;
  auto check = [&](Value value) -> LogicalResult {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type)
      return success();
    if (!first) {
      first = value;
      dims = getDynamicDims(value);
      return success();
    }
    if (type.getShape() != cast<VectorType>(first.getType()).getShape())
      return emitCoded(atOperand(op, value), DiagCode::ShapeKind, "the vectors of '")
             << getTextName(op) << "' have to have one shape, but one is " << spellType(first)
             << " and one is " << spellType(value);
    // Results take their extents from the operands.
    if (dims.empty() || value.getDefiningOp() == op)
      return success();
    for (auto [a, b] : llvm::zip(dims, getDynamicDims(value)))
      if (!isSameExtent(a, b)) {
        InFlightDiagnostic diag = emitCoded(atOperand(op, value), DiagCode::TypeMismatch, "'%");
        diag << getValueName(value) << "' has other extents than '%" << getValueName(first)
             << "': it is a " << spellType(value) << ", not a " << spellType(first);
        diag.attachNote(value.getLoc()) << "'%" << getValueName(value) << "' is defined here";
        return diag;
      }
    return success();
  };
  for (Value operand : op->getOperands())
    if (failed(check(operand)))
      return failure();
  for (Value result : op->getResults())
    if (failed(check(result)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Checks the widths of a conversion whose name says which side is wider.
static LogicalResult verifyWidths(Operation *op, LanewiseFunction function) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  unsigned have = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
  unsigned want = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  StringRef rule;
  switch (function) {
  case LanewiseFunction::extf:
  case LanewiseFunction::extsi:
  case LanewiseFunction::extui:
    rule = want > have ? "" : "wider than";
    break;
  case LanewiseFunction::fptrunc:
  case LanewiseFunction::trunci:
    rule = want < have ? "" : "narrower than";
    break;
  case LanewiseFunction::bitcast:
    rule = want == have ? "" : "as wide as";
    break;
  default:
    break;
  }
  if (rule.empty())
    return success();
  return emitCoded(op, DiagCode::TypeResult, "the result of '")
         << getTextName(op) << "' has to be " << rule << " its operand, but it converts " << from
         << " to " << to;
}

static LogicalResult verifyGelu(Operation *op) {
  bool logistic = op->getAttrOfType<GeluVariantAttr>("variant").getValue() == GeluVariant::logistic;
  bool scaled = op->getAttr("scale") != nullptr;
  if (logistic == scaled)
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::TypeAttribute, "'");
  diag << getTextName(op);
  if (logistic)
    return diag << "<logistic>' needs {scale = ...}";
  return diag << "' has a scale for the variant logistic only";
}

LogicalResult verifyLanewise(Operation *op) {
  if (failed(verifySameShape(op)))
    return failure();
  LanewiseFunction function = cast<LanewiseOpInterface>(op).getLanewiseFunction();
  if (function == LanewiseFunction::geluf)
    return verifyGelu(op);
  return function >= LanewiseFunction::sitofp ? verifyWidths(op, function) : success();
}

LogicalResult verifyBitField(Operation *op, Type from, Type to, int64_t offset, int64_t width) {
  if (offset < 0 || width < 1)
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op) << "' needs an offset of at least 0 and a width of at least 1, not "
           << offset << " and " << width;
  int64_t bits = from.getIntOrFloatBitWidth();
  if (width > bits || offset > bits - width)
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op) << "' takes " << counted(width, "bit") << " from bit " << offset
           << " on, but " << from << " has " << counted(bits, "bit");
  if (width > int64_t(to.getIntOrFloatBitWidth()))
    return emitCoded(op, DiagCode::StructureValue, "a field of ")
           << counted(width, "bit") << " does not fit " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

static bool isObserver(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return isa_and_nonnull<SignatureOpInterface>(op->getParentOp());
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.hasEffect<MemoryEffects::Write>();
}

LogicalResult verifyPoison(Operation *op) {
  // What lies behind very many functions is left to whoever replaces the poison.
  constexpr unsigned kMaxVisited = 1024;
  llvm::SmallSetVector<Operation *, 4> observers;
  llvm::SmallPtrSet<Operation *, 8> visited;
  SmallVector<Value> poisoned(op->getResults());
  while (!poisoned.empty() && visited.size() < kMaxVisited) {
    // The last use comes first in the list.
    SmallVector<Operation *> users = llvm::to_vector(poisoned.pop_back_val().getUsers());
    for (Operation *user : llvm::reverse(users)) {
      if (isObserver(user))
        observers.insert(user);
      else if (isa<LanewiseOpInterface>(user) && visited.insert(user).second)
        llvm::append_range(poisoned, user->getResults());
    }
  }
  for (Operation *observer : observers) {
    InFlightDiagnostic diag = emitCoded(observer, DiagCode::TypePoison, "'");
    diag << getTextName(observer) << "' would observe poison";
    diag.attachNote(op->getLoc()) << "the poison is made here";
  }
  return success(observers.empty());
}

} // namespace loom
