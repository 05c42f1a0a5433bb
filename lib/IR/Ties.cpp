//===- Ties.cpp - Results that reuse an operand ---------------------------===//
#include "loom/IR/Ties.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/SourceInfo.h"

namespace loom {
using namespace mlir;

static constexpr StringLiteral kTies = "ties";

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult parseOptionalTie(OpAsmParser &parser, UnresolvedOperand &tie) {
  OptionalParseResult tied = parser.parseOptionalOperand(tie);
  if (!tied.has_value())
    return success();
  return failure(failed(*tied) || parser.parseKeyword("as"));
}

ParseResult addTies(OpAsmParser &parser, OperationState &state, TieWords words,
                    ArrayRef<UnresolvedOperand> ties, ArrayRef<UnresolvedOperand> values) {
  SmallVector<int64_t> positions;
  for (const UnresolvedOperand &tie : ties) {
    if (tie.name.empty()) {
      positions.push_back(-1);
      continue;
    }
    if (!llvm::is_contained(state.name.getAttributeNames(), kTies))
      return text(parser).emitCoded(tie.location, DiagCode::StructureOrigin, "results of '")
             << getTextName(state.name)
             << "' cannot be tied to a value; those of loops and calls can";
    auto it = llvm::find_if(values, [&](const UnresolvedOperand &value) {
      return value.name == tie.name && value.number == tie.number;
    });
    if (it == values.end())
      return text(parser).emitCoded(tie.location, DiagCode::StructureOrigin, "'")
             << tie.name << "' is not an " << words.value << " of this " << words.op
             << "; a result is tied to one";
    positions.push_back(it - values.begin());
    // The editor counts this name among the uses of the value.
    SmallVector<Value, 1> named;
    if (Value value = text(parser).lookup(tie);
        value && parser.resolveOperand(tie, value.getType(), named))
      return failure();
  }
  if (llvm::any_of(positions, [](int64_t position) { return position >= 0; }))
    state.addAttribute(kTies, parser.getBuilder().getDenseI64ArrayAttr(positions));
  return success();
}

void printTiedResults(OpAsmPrinter &printer, ValueRange results, DenseI64ArrayAttr ties,
                      OperandRange values) {
  if (!ties)
    return printResults(printer, results);
  printer << " -> (";
  llvm::interleaveComma(llvm::enumerate(results), printer, [&](auto entry) {
    if (int64_t tie = ties[entry.index()]; tie >= 0) {
      printer.printOperand(values[tie]);
      printer << " as ";
    }
    printTextType(printer, entry.value().getType(), getDynamicDims(entry.value()));
  });
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Consumed values
//===----------------------------------------------------------------------===//

/// Whether `use` may run after `op` has begun, no loop around it bringing control back.
static bool mayFollow(Operation *op, Operation *use) {
  if (op->isProperAncestor(use))
    return true;
  for (Operation *before = op; before->getParentRegion(); before = before->getParentOp()) {
    Operation *after = before->getParentRegion()->findAncestorOpInRegion(*use);
    if (!after)
      continue;
    if (before->getBlock() != after->getBlock())
      return before->getBlock()->isReachable(after->getBlock());
    return before != after && before->isBeforeInBlock(after); // else other arms of one conditional
  }
  return false;
}

/// The loop around `op` in whose next iteration `value`, which `op` consumes, is there again.
static Operation *findRound(Operation *op, Value value) {
  Operation *home = value.getParentRegion()->getParentOp();
  for (Operation *around = op->getParentOp(); around && around != home;
       around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around) || !isa<RegionBranchOpInterface>(around))
      return around;
  return nullptr;
}

static LogicalResult reportConsumed(Operation *use, Operation *op, TieWords words, Value value) {
  InFlightDiagnostic diag = emitCoded(atOperand(use, value), DiagCode::DominanceConsumed, "'%");
  diag << getValueName(value) << "' is used after a " << words.op << " has consumed it";
  diag.attachNote(op->getLoc()) << "a result of this " << words.op << " is tied to '%"
                                << getValueName(value) << "', so that only the result may be used";
  return diag;
}

/// A tied value is consumed: nothing may use it in the operation or behind it.
static LogicalResult verifyConsumed(Operation *op, TieWords words, Value value) {
  if (Operation *round = findRound(op, value)) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::DominanceConsumed, "'%");
    diag << getValueName(value)
         << "' is consumed in the first iteration of a loop around and would "
         << "be used in the next";
    diag.attachNote(round->getLoc()) << "the loop around begins here";
    return diag;
  }
  bool seen = false;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user == op) {
      // Passing the value twice, or as a bound, uses it besides consuming it.
      if (seen)
        return reportConsumed(user, op, words, value);
      seen = true;
      continue;
    }
    if (mayFollow(op, user))
      return reportConsumed(user, op, words, value);
  }
  return success();
}

LogicalResult verifyTies(Operation *op, TieWords words, OperandRange values) {
  auto ties = op->getAttrOfType<DenseI64ArrayAttr>(kTies);
  if (!ties)
    return success();
  if (size_t(ties.size()) != op->getNumResults())
    return emitCoded(op, DiagCode::StructureVariadic, "'ties' has ")
           << counted(ties.size(), "value") << " for " << counted(op->getNumResults(), "result");
  for (auto [i, tie] : llvm::enumerate(ties.asArrayRef())) {
    if (tie >= int64_t(values.size()))
      return emitCoded(op, DiagCode::StructureVariadic, "result ")
             << i << " is tied to an " << words.value << " that does not exist";
    if (tie < 0)
      continue;
    Value value = values[tie];
    if (value.getType() != op->getResult(i).getType())
      return emitCoded(op, DiagCode::TypeMismatch, "result ")
             << i << " has type " << spellType(op->getResult(i)) << ", but the " << words.value
             << " that it is tied to has " << spellType(value);
    if (failed(verifyConsumed(op, words, value)))
      return failure();
  }
  return success();
}

} // namespace loom
