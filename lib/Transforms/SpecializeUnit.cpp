//===- SpecializeUnit.cpp - Specialization of one definition --------------===//
#include "SpecializeUnit.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Target/Target.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Fold.h"
#include "loom/Transforms/Inline.h"

namespace loom {
using namespace mlir;

/// Operations that inlining may copy into one unit. Calls that call twice what they need grow the
/// program exponentially without being a cycle; nobody wants the result.
static constexpr unsigned kMaxCopiedOps = 1u << 16;

ModuleSymbols::ModuleSymbols(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (StringRef name = getSymbol(&op); !name.empty())
      symbols.try_emplace(name, &op);
    if (isa<TemplateDefOp, TemplateUkernelOp>(op))
      implementations[op.getAttrOfType<FlatSymbolRefAttr>("family").getValue()].push_back(&op);
  }
}

UnitSpecializer::UnitSpecializer(Operation *unit, const ModuleSymbols &symbols,
                                 const TargetProfile *target, bool checkFacts)
    : unit(unit), symbols(symbols), target(target), checkFacts(checkFacts) {}

LogicalResult UnitSpecializer::run() { return flatten(/*early=*/false); }

LogicalResult UnitSpecializer::runEarly(llvm::SetVector<Operation *> &chosen,
                                        llvm::SetVector<Operation *> &undecided) {
  if (failed(flatten(/*early=*/true)))
    return failure();
  for (Operation *callee : inlined)
    if (isa<TemplateDefOp>(callee))
      chosen.insert(callee);
  collectUndecided(undecided);
  return success();
}

LogicalResult UnitSpecializer::flatten(bool early) {
  if (failed(checkUnitTarget()))
    return failure();
  foldTargetQueries();
  while (true) {
    foldToFixpoint(unit);
    if (foldExactValues() == Progress::Changed)
      continue;
    Progress progress = resolveCalls(/*final=*/false);
    // What is still undecided will not become known by itself.
    if (progress == Progress::None && !early)
      progress = resolveCalls(/*final=*/true);
    if (progress == Progress::Failed)
      return failure();
    if (progress == Progress::None)
      return success();
    foldTargetQueries();
  }
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

LogicalResult UnitSpecializer::checkUnitTarget() {
  auto name = unit->getAttrOfType<FlatSymbolRefAttr>("target");
  if (!name)
    return success();
  Operation *record = symbols.symbols.lookup(name.getValue());
  if (!record)
    return emitUndefined(unit, "target", name);
  if (!target) {
    const TargetProfile *own = profileOfRecord(record);
    target = own ? profileForRecord(record, *own) : nullptr;
    return success();
  }
  if (const TargetProfile *own = profileForRecord(record, *target)) {
    target = own;
    return success();
  }
  Verdict verdict = checkTarget(unit, target);
  if (verdict.proof == Proof::Proven)
    return success();
  InFlightDiagnostic diag = emitCoded(unit, DiagCode::TargetIncompatible, "@");
  diag << getSymbol(unit) << " cannot be compiled for this target: " << verdict.reason;
  diag.attachNote(record->getLoc()) << "the target that it names";
  return diag;
}

void UnitSpecializer::foldTargetQueries() {
  if (!target)
    return;
  unit->walk([&](TargetSubgroupSizeOp query) {
    OpBuilder builder(query);
    query.getResult().replaceAllUsesWith(
        IndexConstantOp::create(builder, query.getLoc(), target->subgroupSize));
    query.erase();
  });
}

//===----------------------------------------------------------------------===//
// Values that facts make exact
//===----------------------------------------------------------------------===//

UnitSpecializer::Progress UnitSpecializer::foldExactValues() {
  struct Replacement {
    OpOperand *use; // null: every use of the result
    OpResult result;
    int64_t value;
  };
  SmallVector<Replacement> found;
  Facts facts(unit);
  unit->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == unit || op->hasTrait<OpTrait::ConstantLike>())
      return;
    for (OpResult result : op->getResults())
      if (!result.use_empty())
        if (auto value = facts.exact(result))
          found.push_back({nullptr, result, *value});
    // What is exact at the loop only: inside of the conditional that compares it.
    auto loop = dyn_cast<ScfForOp>(op);
    if (!loop)
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      bool carried = llvm::is_contained(loop.getInits(), operand.get());
      if (carried || (result && result.getOwner()->hasTrait<OpTrait::ConstantLike>()) ||
          facts.exact(operand.get()))
        continue;
      if (auto value = facts.exact(operand.get(), op))
        found.push_back({&operand, result, *value});
    }
  });
  for (const Replacement &replacement : found) {
    Type type = replacement.use ? replacement.use->get().getType() : replacement.result.getType();
    Operation *place =
        replacement.use ? replacement.use->getOwner() : replacement.result.getOwner();
    OpBuilder builder(place);
    Attribute literal =
        isAddressType(type)
            ? builder.getIndexAttr(replacement.value)
            : IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), replacement.value,
                                           /*isSigned=*/true, /*implicitTrunc=*/true));
    Location loc = replacement.result ? replacementLoc(replacement.result) : place->getLoc();
    Value constant = materializeConstant(builder, loc, literal, type);
    if (replacement.use)
      replacement.use->set(constant);
    else
      Value(replacement.result).replaceAllUsesWith(constant);
  }
  return found.empty() ? Progress::None : Progress::Changed;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isCall(Operation *op) { return isa<FuncCallOp, TemplateCallOp, TemplateApplyOp>(op); }

/// Decides first and changes then: facts do not survive changes. An undecided application is
/// decided for good only when nothing else is left to do, and one at a time, since its body may
/// make facts that the next one needs.
UnitSpecializer::Progress UnitSpecializer::resolveCalls(bool final) {
  SmallVector<Operation *> calls;
  unit->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isCall(op))
      calls.push_back(op);
  });
  if (calls.empty())
    return Progress::None;
  SmallVector<Decision> decisions;
  bool failedAny = false;
  {
    Facts facts(unit);
    for (Operation *call : calls) {
      failedAny |= failed(decide(call, facts, final, decisions));
      if (final && !decisions.empty())
        break;
    }
  }
  if (failedAny)
    return Progress::Failed;
  for (const Decision &decision : decisions)
    if (failed(inlineCall(decision)))
      return Progress::Failed;
  return decisions.empty() ? Progress::None : Progress::Changed;
}

LogicalResult UnitSpecializer::decide(Operation *call, const Facts &facts, bool final,
                                      SmallVectorImpl<Decision> &decisions) {
  if (auto apply = dyn_cast<TemplateApplyOp>(call)) {
    auto family = dyn_cast_or_null<TemplateDeclOp>(symbols.symbols.lookup(apply.getFamily()));
    if (!family)
      return emitUndefined(call, "template family", apply.getFamilyAttr());
    Selection selection = selectImplementation(
        apply, family, symbols.implementations.lookup(apply.getFamily()), facts, target, final);
    if (selection.choice)
      decisions.push_back({call, selection.choice});
    return failure(selection.failed);
  }
  auto name = call->getAttrOfType<FlatSymbolRefAttr>("callee");
  Operation *callee = symbols.symbols.lookup(name.getValue());
  if (!callee)
    return emitUndefined(call, "function", name);
  if (auto func = dyn_cast<FuncCallOp>(call)) {
    auto policy = callee->getAttrOfType<InlinePolicyAttr>("inline_policy");
    bool kept = func.getInlinePolicy() == InlinePolicy::NoInline ||
                (!func.getInlinePolicy() && policy && policy.getValue() == InlinePolicy::NoInline);
    if (kept && !isa<KernelDefOp>(unit))
      return success();
    if (kept) {
      InFlightDiagnostic diag = emitCoded(call, DiagCode::TargetUnsupported, "the call of @");
      diag << name.getValue() << " is to be kept ('noinline'), but a kernel is compiled as one "
           << "function without calls";
      diag.attachNote(callee->getLoc()) << "the function is defined here";
      return diag;
    }
  }
  if (failed(checkCallee(call, callee)))
    return failure();
  return decideExact(call, callee, facts, final, decisions);
}

LogicalResult UnitSpecializer::checkCallee(Operation *call, Operation *callee) {
  auto refuse = [&](DiagCode code, const Twine &reason) {
    InFlightDiagnostic diag = emitCoded(call, code, "cannot inline @");
    diag << getSymbol(callee) << ": " << reason.str();
    diag.attachNote(callee->getLoc())
        << (callee->getNumRegions() ? "defined here" : "declared here");
    return diag;
  };
  if (isa<TemplateUkernelOp>(callee))
    return refuse(DiagCode::LoweringTemplate, "it is provided outside (materialization_blocked)");
  if (!callee->getNumRegions())
    return refuse(DiagCode::LinkUnresolved, "it is declared, but nothing defines it");
  if (StringRef blocked = whyNotInlined(callee); !blocked.empty())
    return refuse(DiagCode::ParseUnsupported, "it " + blocked);
  Verdict verdict = checkTarget(callee, target);
  if (verdict.proof == Proof::Disproven)
    return refuse(DiagCode::TargetIncompatible, verdict.reason);
  return success();
}

LogicalResult UnitSpecializer::decideExact(Operation *call, Operation *callee, const Facts &facts,
                                           bool final, SmallVectorImpl<Decision> &decisions) {
  SmallVector<Operation *> contracts{callee};
  if (auto impl = dyn_cast<TemplateDefOp>(callee))
    if (Operation *family = symbols.symbols.lookup(impl.getFamily()))
      contracts.push_back(family);
  bool function = isa<FuncCallOp>(call), unknown = false;
  for (Operation *contract : contracts) {
    Verdict verdict = checkContract(contract, call, facts, target);
    if (verdict.proof == Proof::Proven)
      continue;
    // The author of an exact call of a function promises what the function asks for.
    if (verdict.proof == Proof::Unknown && (function || !final)) {
      unknown = true;
      continue;
    }
    bool disproven = verdict.proof == Proof::Disproven;
    InFlightDiagnostic diag =
        emitCoded(call, disproven ? DiagCode::LoweringTemplate : DiagCode::LoweringUnknownFact,
                  "this call breaks the contract of @");
    diag << getSymbol(contract) << ": " << verdict.reason
         << (disproven ? " (exact_call_rejected)" : "");
    diag.attachNote(contract->getLoc()) << "the contract is stated here";
    return diag;
  }
  if (!unknown || function)
    decisions.push_back({call, callee, unknown});
  return success();
}

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

/// The implementations that an application which is still there may choose when more is known.
void UnitSpecializer::collectUndecided(llvm::SetVector<Operation *> &undecided) {
  Facts facts(unit);
  unit->walk([&](TemplateApplyOp apply) {
    for (Operation *op : symbols.implementations.lookup(apply.getFamily()))
      if (checkContract(op, apply, facts, target).proof != Proof::Disproven)
        undecided.insert(op);
  });
}

/// Puts the facts that a function asks of its arguments on them, before they enter its body.
void UnitSpecializer::assumeWhere(Operation *call, ArrayAttr where) {
  SmallVector<Attribute> kept;
  SmallVector<Value> inputs, others;
  // Predicates of an assume operation are about its own operands: every argument of an address type
  // becomes one, in order.
  SmallVector<int64_t> position(call->getNumOperands(), -1);
  for (OpOperand &operand : call->getOpOperands())
    if (isAddressType(operand.get().getType())) {
      position[operand.getOperandNumber()] = inputs.size();
      inputs.push_back(operand.get());
    }
  for (auto p : where.getAsRange<PredicateAttr>()) {
    SmallVector<int64_t> arguments = llvm::to_vector(p.getArgs());
    bool fits = true;
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (p.isValue(i)) {
        argument = position[argument];
        fits &= argument >= 0;
      }
    if (fits)
      kept.push_back(
          PredicateAttr::get(call->getContext(), p.getKindCode(), p.getValueMask(), arguments));
  }
  if (kept.empty())
    return;
  OpBuilder builder(call);
  SmallVector<StringRef> names;
  for (Value input : inputs)
    names.push_back(getValueName(input));
  Location loc = nameLoc(stripSourceInfo(call->getLoc()), names);
  auto assume = IndexAssumeOp::create(builder, loc, ValueRange(inputs), ValueRange(),
                                      builder.getArrayAttr(kept));
  for (OpOperand &operand : call->getOpOperands())
    if (position[operand.getOperandNumber()] >= 0)
      operand.set(assume.getResult(position[operand.getOperandNumber()]));
  if (checkFacts)
    checkTrusted(call, assume);
}

/// What is promised at a call is checked in front of it, except on the host, where nothing is
/// executed that has an effect.
void UnitSpecializer::checkTrusted(Operation *call, Operation *assume) {
  auto kernel = call->getParentOfType<KernelDefOp>();
  if (kernel && kernel.getConfig().isAncestor(call->getParentRegion()))
    return;
  OpBuilder builder(assume);
  auto check =
      SanitizerAssertOpOp::create(builder, stripSourceInfo(call->getLoc()), assume->getOperands(),
                                  cast<IndexAssumeOp>(assume).getPredicates());
  check->setAttr("assumed", builder.getStringAttr(getTextName(call)));
}

LogicalResult UnitSpecializer::reportCycle(const Decision &decision) {
  InFlightDiagnostic diag = emitCoded(decision.call, DiagCode::LoweringCallCycle, "inlining @");
  diag << getSymbol(decision.callee) << " would never end: it is part of a cycle of calls";
  SmallVector<const Frame *> path;
  for (int i = frameOf.lookup(decision.call) - 1; i >= 0; i = frames[i].parent) {
    path.push_back(&frames[i]);
    if (frames[i].callee == decision.callee)
      break;
  }
  for (const Frame *frame : llvm::reverse(path))
    diag.attachNote(frame->place) << "@" << getSymbol(frame->callee) << " is called here";
  return diag;
}

LogicalResult UnitSpecializer::inlineCall(const Decision &decision) {
  int parent = frameOf.lookup(decision.call) - 1;
  bool cycle = decision.callee == unit;
  for (int i = parent; i >= 0; i = frames[i].parent)
    cycle |= frames[i].callee == decision.callee;
  if (cycle)
    return reportCycle(decision);
  if (copiedOps > kMaxCopiedOps)
    return emitCoded(decision.call, DiagCode::LoweringCallCycle, "inlining into @")
           << getSymbol(unit) << " copies more than " << kMaxCopiedOps << " operations";
  auto where = decision.callee->getAttrOfType<ArrayAttr>("where");
  if (decision.assumeWhere && where)
    assumeWhere(decision.call, where);
  frames.push_back({decision.callee, decision.call->getLoc(), parent});
  inlined.insert(decision.callee);
  int frame = frames.size();
  frameOf.erase(decision.call);
  inlineBody(decision.call, decision.callee->getRegion(0), [&](Operation *, Operation *copy) {
    ++copiedOps;
    if (isCall(copy))
      frameOf[copy] = frame;
  });
  return success();
}

} // namespace loom
