//===- LowVerify.cpp - Rules of Low functions as a whole ------------------===//
//
// What is checked here concerns several operations at once: which operations and types a body may
// have, values that may not be used again, and schedule scopes over the blocks.
//
//===----------------------------------------------------------------------===//
#include "LowText.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/SetVector.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Operations and types
//===----------------------------------------------------------------------===//

static LogicalResult verifyOperation(Operation *function, Operation *op) {
  if (!isa<LowDialect>(op->getDialect()))
    return emitCoded(op, DiagCode::StructurePlacement, "'")
           << getTextName(op) << "' is not an operation of Low; '" << getTextName(function)
           << "' holds instructions and the control flow of Low";
  if (getSchedule(function) == "locked" && op->getNumRegions())
    return emitCoded(op, DiagCode::StructurePlacement, "'")
           << getTextName(op) << "' has regions, whose order schedule(locked) cannot keep; use "
           << "blocks and branches";
  for (OpResult result : op->getResults()) {
    std::string what = "result " + std::to_string(result.getResultNumber()) + " of '" +
                       getTextName(op).str() + "'";
    if (failed(verifyLowType(op->getLoc(), function, result.getType(), what, DiagCode::TypeResult)))
      return failure();
  }
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(verifyLowType(argument.getLoc(), function, argument.getType(),
                               "'%" + getValueName(argument) + "'", DiagCode::TypeArgument)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and their descriptors
//===----------------------------------------------------------------------===//

/// What the descriptor says of an operand of an instruction; null for other operations.
static const DescriptorOperand *describeUse(OpOperand &use) {
  auto instruction = dyn_cast<LowOpOp>(use.getOwner());
  const Descriptor *descriptor = instruction ? getDescriptor(instruction) : nullptr;
  if (!descriptor)
    return nullptr;
  DictionaryAttr immediates = instruction.getImmediatesAttr();
  unsigned next = 0;
  for (unsigned i = 0; i < descriptor->operands().size(); ++i) {
    const DescriptorOperand &operand = descriptor->operands()[i];
    if (operand.literal != LiteralKind::None && immediates &&
        immediates.contains(descriptor->literalName(i)))
      continue;
    if (next++ == use.getOperandNumber())
      return &operand;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Partly written values
//===----------------------------------------------------------------------===//

/// The only part of `value` that is written, or Whole. A 16-bit load without the operand that it
/// leaves the rest to writes a part; a load of the other half into it makes it whole.
static RegisterPart writtenPart(Value value) {
  RegisterPart part = RegisterPart::Whole;
  // A load of the same half again leaves the other one as it was.
  for (auto load = value.getDefiningOp<LowOpOp>(); load; load = value.getDefiningOp<LowOpOp>()) {
    const Descriptor *descriptor = getDescriptor(load);
    if (!descriptor || !descriptor->hasOptionalOperand())
      return RegisterPart::Whole;
    RegisterPart written = descriptor->results()[0].part;
    if (part != RegisterPart::Whole && written != part)
      return RegisterPart::Whole;
    part = written;
    if (load.getInputs().size() < descriptor->operands().size())
      return part;
    value = load.getInputs().back();
  }
  return RegisterPart::Whole;
}

static LogicalResult verifyParts(Operation *op) {
  for (OpResult result : op->getResults()) {
    RegisterPart written = writtenPart(result);
    if (written == RegisterPart::Whole)
      continue;
    for (OpOperand &use : result.getUses()) {
      const DescriptorOperand *operand = describeUse(use);
      if (operand && (operand->part == written || operand->tied >= 0))
        continue;
      InFlightDiagnostic diag = emitCoded(use.getOwner(), DiagCode::DominancePartial, "'%");
      diag << getValueName(result) << "' is used as a whole, but only its "
           << (written == RegisterPart::Low ? "low" : "high") << " half is written";
      diag.attachNote(op->getLoc()) << "written here; the register whose other half stays is the "
                                       "last operand of this instruction";
      return diag;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Consumed values
//===----------------------------------------------------------------------===//

/// The operands whose registers `op` gives to something else: the source of a move, and what an
/// instruction writes its result over.
static SmallVector<OpOperand *> consumedOperands(Operation *op) {
  SmallVector<OpOperand *> consumed;
  if (auto move = dyn_cast<LowMoveOp>(op))
    consumed.push_back(&move.getSourceMutable());
  for (OpOperand &use : op->getOpOperands())
    if (const DescriptorOperand *operand = describeUse(use); operand && operand->tied >= 0)
      consumed.push_back(&use);
  return consumed;
}

/// Whether a path leads from behind `from` to `to` without passing the definition of `value` again.
static bool reachesWithout(Block *from, Block *to, Block *definition) {
  llvm::SmallSetVector<Block *, 8> work;
  work.insert(from->succ_begin(), from->succ_end());
  for (unsigned i = 0; i < work.size(); ++i) {
    Block *block = work[i];
    // Entering the block of the definition makes a new value: what stands before it is not a use.
    if (block == definition)
      continue;
    if (block == to)
      return true;
    work.insert(block->succ_begin(), block->succ_end());
  }
  return false;
}

/// Whether `user` can run after `consumer`, for the same `value`.
static bool runsAfter(Operation *user, Operation *consumer, Value value) {
  Region *home = value.getParentRegion();
  // The innermost region that holds both.
  Operation *a = consumer, *b = user;
  for (Region *region = consumer->getParentRegion(); region; region = region->getParentRegion()) {
    if (Operation *inside = region->findAncestorOpInRegion(*user)) {
      a = region->findAncestorOpInRegion(*consumer);
      b = inside;
      break;
    }
    if (region == home)
      break;
  }
  if (a == b) // different regions of one operation: alternatives, unless it is a loop
    return isa<LowForOp, LowWhileOp>(a);
  if (a->getBlock() == b->getBlock() && a->isBeforeInBlock(b))
    return true;
  return reachesWithout(a->getBlock(), b->getBlock(), value.getParentBlock());
}

/// Whether `op` runs more than once for one `value`: it stands in a loop that the value is not of.
static bool repeats(Operation *op, Value value) {
  for (Operation *parent = op->getParentOp();
       parent && value.getParentRegion() != op->getParentRegion(); parent = parent->getParentOp()) {
    if (parent->isAncestor(value.getParentRegion()->getParentOp()))
      return false;
    if (isa<LowForOp, LowWhileOp>(parent))
      return true;
  }
  Block *block = op->getBlock();
  return value.getParentRegion() == op->getParentRegion() && block != value.getParentBlock() &&
         reachesWithout(block, block, value.getParentBlock());
}

static LogicalResult verifyConsumption(Operation *op) {
  for (OpOperand *consumed : consumedOperands(op)) {
    Value value = consumed->get();
    Operation *again = repeats(op, value) ? op : nullptr;
    for (OpOperand &use : value.getUses()) {
      if (&use == consumed)
        continue;
      if (use.getOwner() == op || runsAfter(use.getOwner(), op, value))
        again = use.getOwner();
    }
    if (!again)
      continue;
    InFlightDiagnostic diag = emitCoded(again, DiagCode::DominanceConsumed, "'%");
    diag << getValueName(value) << "' is used after its registers were given up; copy it before";
    diag.attachNote(op->getLoc()) << "'" << getTextName(op) << "' takes its registers here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Schedule scopes
//===----------------------------------------------------------------------===//

namespace {

/// Follows the open scopes along the blocks. What is open is told by the innermost
/// `low.schedule.begin`: each stands in one place and has one scope around it. The implicit scope
/// of schedule(phased) is not among them.
class ScopeCheck {
public:
  ScopeCheck(Operation *function, Region &body)
      : implicit(getSchedule(function) == "phased"), body(body) {}

  LogicalResult run();

private:
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation &op, Operation *&open);
  LogicalResult enter(Operation *from, Block *block, Operation *open);
  std::string countOpen(Operation *open) const {
    return counted(open ? scopes.lookup(open).depth : 0, "open scope");
  }

  struct Scope {
    Operation *outer = nullptr;
    unsigned depth = 0;
  };

  bool implicit;
  Region &body;
  llvm::DenseMap<Operation *, Scope> scopes;
  /// The innermost scope where a block begins, and the branch that said so.
  llvm::DenseMap<Block *, std::pair<Operation *, Operation *>> atEntry;
  SmallVector<Block *> work;
};

} // namespace

LogicalResult ScopeCheck::enter(Operation *from, Block *block, Operation *open) {
  auto [it, isNew] = atEntry.try_emplace(block, open, from);
  auto [known, other] = it->second;
  if (isNew)
    work.push_back(block);
  if (known == open)
    return success();
  InFlightDiagnostic diag = emitCoded(from, DiagCode::StructureScheduleScope,
                                      "inconsistent-join: this branch arrives with ");
  diag << countOpen(open) << ", another one with ";
  if (countOpen(open) == countOpen(known))
    diag << "a different one";
  else
    diag << (known ? scopes.lookup(known).depth : 0);
  if (other)
    diag.attachNote(other->getLoc()) << "the other branch is here";
  return diag;
}

LogicalResult ScopeCheck::visit(Operation &op, Operation *&open) {
  if (isa<LowScheduleBeginOp>(op)) {
    scopes[&op] = {open, open ? scopes.lookup(open).depth + 1 : 1};
    open = &op;
  } else if (isa<LowScheduleEndOp>(op)) {
    if (!open)
      return emitCoded(&op, DiagCode::StructureScheduleScope,
                       "outside-scope: no 'low.schedule.begin' is open here")
             << (implicit ? "; the scope of the function closes by itself" : "");
    open = scopes.lookup(open).outer;
  } else if (isa<LowSchedulePhaseOp>(op) && !open && !implicit) {
    return emitCoded(&op, DiagCode::StructureScheduleScope,
                     "outside-scope: 'low.schedule.phase' needs schedule(phased) or an open "
                     "'low.schedule.begin'");
  } else if (isa<LowReturnOp>(op) && open) {
    InFlightDiagnostic diag = emitCoded(&op, DiagCode::StructureScheduleScope,
                                        "unclosed-scope: the function is left with ");
    diag << countOpen(open);
    diag.attachNote(open->getLoc()) << "opened here";
    return diag;
  }
  return success();
}

LogicalResult ScopeCheck::visit(Block &block) {
  Operation *open = atEntry.lookup(&block).first;
  for (Operation &op : block)
    if (failed(visit(op, open)))
      return failure();
  for (Block *next : block.getSuccessors())
    if (failed(enter(&block.back(), next, open)))
      return failure();
  return success();
}

LogicalResult ScopeCheck::run() {
  if (failed(enter(nullptr, &body.front(), nullptr)))
    return failure();
  bool ok = true;
  while (!work.empty())
    ok &= succeeded(visit(*work.pop_back_val()));
  return success(ok);
}

/// SPIR-V goes through another compiler, which keeps no order.
static LogicalResult verifyOrderContract(Operation *function, Region &body) {
  const DescriptorSet *set = getDescriptorSet(function);
  if (!set || set->getFamily() != DescriptorFamily::SPIRV)
    return success();
  LogicalResult ok = success();
  body.walk([&](Operation *op) {
    if (isa<LowSchedulePhaseOp, LowScheduleBeginOp, LowScheduleEndOp>(op))
      ok = emitCoded(op, DiagCode::TargetUnsupported, "'")
           << getTextName(op) << "' orders native instructions; SPIR-V goes through another "
           << "compiler that does not keep it";
  });
  return ok;
}

LogicalResult verifyLowBody(Operation *function, Region &body) {
  // A mistake in every statement is told for the first of them.
  constexpr unsigned limit = 20;
  unsigned errors = 0;
  for (Block &block : llvm::drop_begin(body))
    for (BlockArgument argument : block.getArguments())
      errors += errors < limit &&
                failed(verifyLowType(argument.getLoc(), function, argument.getType(),
                                     "'%" + getValueName(argument) + "'", DiagCode::TypeArgument));
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    errors += failed(verifyOperation(function, op));
    if (errors >= limit)
      return WalkResult::interrupt();
    return isa<LowDialect>(op->getDialect()) ? WalkResult::advance() : WalkResult::skip();
  });
  if (errors)
    return failure();
  body.walk([&](Operation *op) {
    errors += failed(verifyConsumption(op)) || failed(verifyParts(op));
    return errors >= limit ? WalkResult::interrupt() : WalkResult::advance();
  });
  errors += failed(verifyStates(body));
  errors += failed(verifyOrderContract(function, body));
  errors += failed(ScopeCheck(function, body).run());
  return success(errors == 0);
}

} // namespace loom
