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
// Consumed values
//===----------------------------------------------------------------------===//

/// The operands whose registers `op` gives to something else: the source of a move, and what an
/// instruction writes its result over.
static SmallVector<OpOperand *> consumedOperands(Operation *op) {
  SmallVector<OpOperand *> consumed;
  if (auto move = dyn_cast<LowMoveOp>(op))
    consumed.push_back(&move.getSourceMutable());
  auto instruction = dyn_cast<LowOpOp>(op);
  const Descriptor *descriptor = instruction ? getDescriptor(instruction) : nullptr;
  if (!descriptor)
    return consumed;
  DictionaryAttr immediates = instruction.getImmediatesAttr();
  unsigned next = 0;
  for (unsigned i = 0; i < descriptor->operands().size(); ++i) {
    const DescriptorOperand &operand = descriptor->operands()[i];
    if (operand.literal != LiteralKind::None && immediates &&
        immediates.contains(descriptor->literalName(i)))
      continue;
    if (next < op->getNumOperands() && operand.tied >= 0)
      consumed.push_back(&op->getOpOperand(next));
    ++next;
  }
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

/// Follows the open scopes along the blocks. The implicit scope of schedule(phased) is not listed.
class ScopeCheck {
public:
  ScopeCheck(Operation *function, Region &body)
      : implicit(getSchedule(function) == "phased"), body(body) {}

  LogicalResult run();

private:
  using Scopes = SmallVector<Operation *, 4>;

  LogicalResult visit(Block &block);
  LogicalResult enter(Operation *from, Block *block, const Scopes &open);

  bool implicit;
  Region &body;
  /// What is open where a block begins, and the branch that said so.
  llvm::DenseMap<Block *, std::pair<Scopes, Operation *>> atEntry;
  SmallVector<Block *> work;
};

} // namespace

LogicalResult ScopeCheck::enter(Operation *from, Block *block, const Scopes &open) {
  auto [it, isNew] = atEntry.try_emplace(block, open, from);
  if (isNew) {
    work.push_back(block);
    return success();
  }
  if (it->second.first == open)
    return success();
  InFlightDiagnostic diag = emitCoded(from, DiagCode::StructureScheduleScope,
                                      "inconsistent-join: this branch arrives with ");
  diag << counted(open.size(), "open scope") << ", another one with " << it->second.first.size()
       << (open.size() == it->second.first.size() ? " others" : "");
  if (it->second.second)
    diag.attachNote(it->second.second->getLoc()) << "the other branch is here";
  return diag;
}

LogicalResult ScopeCheck::visit(Block &block) {
  Scopes open = atEntry.find(&block)->second.first;
  for (Operation &op : block) {
    if (isa<LowScheduleBeginOp>(op)) {
      open.push_back(&op);
    } else if (isa<LowScheduleEndOp>(op)) {
      if (open.empty())
        return emitCoded(&op, DiagCode::StructureScheduleScope,
                         "outside-scope: no 'low.schedule.begin' is open here")
               << (implicit ? "; the scope of the function closes by itself" : "");
      open.pop_back();
    } else if (isa<LowSchedulePhaseOp>(op)) {
      if (open.empty() && !implicit)
        return emitCoded(&op, DiagCode::StructureScheduleScope,
                         "outside-scope: 'low.schedule.phase' needs schedule(phased) or an open "
                         "'low.schedule.begin'");
    } else if (isa<LowReturnOp>(op) && !open.empty()) {
      InFlightDiagnostic diag = emitCoded(&op, DiagCode::StructureScheduleScope,
                                          "unclosed-scope: the function is left with ");
      diag << counted(open.size(), "open scope");
      diag.attachNote(open.back()->getLoc()) << "opened here";
      return diag;
    }
  }
  Operation *last = block.empty() ? nullptr : &block.back();
  for (Block *next : block.getSuccessors())
    if (failed(enter(last, next, open)))
      return failure();
  return success();
}

LogicalResult ScopeCheck::run() {
  if (failed(enter(nullptr, &body.front(), {})))
    return failure();
  LogicalResult ok = success();
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (failed(visit(*block)))
      ok = failure();
  }
  return ok;
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
  bool ok = true;
  for (Block &block : llvm::drop_begin(body))
    for (BlockArgument argument : block.getArguments())
      ok &= succeeded(verifyLowType(argument.getLoc(), function, argument.getType(),
                                    "'%" + getValueName(argument) + "'", DiagCode::TypeArgument));
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool fine = succeeded(verifyOperation(function, op));
    ok &= fine;
    return isa<LowDialect>(op->getDialect()) ? WalkResult::advance() : WalkResult::skip();
  });
  if (!ok)
    return failure();
  body.walk([&](Operation *op) { ok &= succeeded(verifyConsumption(op)); });
  ok &= succeeded(verifyOrderContract(function, body));
  ok &= succeeded(ScopeCheck(function, body).run());
  return success(ok);
}

} // namespace loom
