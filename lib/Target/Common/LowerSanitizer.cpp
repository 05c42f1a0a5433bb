//===- LowerSanitizer.cpp - Checks inside of kernels ----------------------===//
#include "LowerSanitizer.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Target/Common/Monitor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

std::string nameOf(Value value, StringRef otherwise) {
  StringRef name = getValueName(value);
  return name.empty() ? otherwise.str() : "%" + name.str();
}

//===----------------------------------------------------------------------===//
// The monitor
//===----------------------------------------------------------------------===//

Value KernelLowering::Sanitizer::field(size_t offset, Type type) {
  return emitter.load(type, emitter.addBytes(monitor, number(offset)), 8);
}

void KernelLowering::Sanitizer::begin(Value address) {
  monitor = address;
  bufferBytes.assign(kernel.plan.body().getNumArguments(), Value());
  firstNumbers = secondNumbers = addresses = lengths = Value();
  if (!monitor || !options.checks.access)
    return;
  Value sizes = field(offsetof(Monitor, bufferBytes), emitter.pointer(0));
  for (auto [i, argument] : llvm::enumerate(kernel.plan.body().getArguments()))
    if (isa<BufferType>(argument.getType()))
      bufferBytes[i] = emitter.load(emitter.integer(64), emitter.addBytes(sizes, number(8 * i)), 8);
}

void KernelLowering::Sanitizer::beginWorkgroup(Value flatNumber) {
  workgroup = flatNumber;
  if (monitor && options.checks.race)
    emitter.callPointer(field(offsetof(Monitor, raceGroup), emitter.pointer(0)),
                        {monitor, workgroup});
}

unsigned KernelLowering::Sanitizer::siteOf(Operation *op, unsigned part,
                                           llvm::function_ref<void(SanitizerSite &site)> describe) {
  auto [entry, isNew] = siteNumbers.try_emplace({op, part}, sites.size());
  if (!isNew)
    return entry->second;
  SanitizerSite site = {{}, getTextName(op).str(), op->getLoc(), kernel.plan.info.symbol, {}};
  describe(site);
  // Passes make copies of operations: the same failure at the same place is told once.
  bool isCheck = site.check != SiteCheck::RaceAccess && site.check != SiteCheck::RaceSync;
  if (FileLineColLoc place = getFileLoc(site.location); place && isCheck)
    entry->second =
        places.try_emplace({place, StringAttr::get(op->getContext(), site.message)}, entry->second)
            .first->second;
  if (entry->second == sites.size())
    sites.push_back(std::move(site));
  return entry->second;
}

/// The set of lanes where `failing` holds, as the monitor takes it.
Value KernelLowering::Sanitizer::reportedLanes(Value failing) {
  Type type = emitter.integer(64);
  // What is the same for the workgroup is computed outside of its blocks.
  if (!kernel.group.isInBlock)
    return emitter.zeroExtend(failing, type);
  Value lanes = kernel.both(kernel.mask, failing);
  Value bits = emitter.reinterpret(lanes, emitter.integer(kernel.laneCount()));
  return kernel.laneCount() < 64 ? emitter.zeroExtend(bits, type) : bits;
}

void KernelLowering::Sanitizer::emitReport(unsigned site, Value lanes, const Check &check) {
  int64_t count = kernel.laneCount();
  Type each = emitter.vector(count, emitter.integer(64));
  if (!firstNumbers) {
    firstNumbers = emitter.frameStorage(8 * count, 64);
    secondNumbers = emitter.frameStorage(8 * count, 64);
  }
  for (auto [value, storage] :
       {std::pair(check.first, firstNumbers), std::pair(check.second, secondNumbers)}) {
    if (!value)
      continue;
    bool isVector = isa<mlir::VectorType>(value.getType());
    emitter.store(isVector ? value : emitter.splat(value, each), storage, 8);
  }
  Value first = kernel.group.isInBlock ? kernel.group.first : number(0);
  emitter.callPointer(field(offsetof(Monitor, report), emitter.pointer(0)),
                      {monitor, emitter.constant(emitter.integer(32), site), workgroup, first,
                       lanes, firstNumbers, secondNumbers});
}

//===----------------------------------------------------------------------===//
// Failing checks
//===----------------------------------------------------------------------===//

Value KernelLowering::Sanitizer::wide(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isInteger(64) ? value : emitter.cast(CastOp::SExt, value, emitter.integer(64));
}

Value KernelLowering::Sanitizer::eitherOf(Value a, Value b) {
  return a && b ? emitter.binary(IntegerOp::Or, a, b) : a ? a : b;
}

Value KernelLowering::Sanitizer::zero(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger())
    return emitter.constant(type, 0);
  if (!element.isFloat())
    return emitter.undefined(type);
  Type bits = emitter.integer(element.getIntOrFloatBitWidth());
  return emitter.reinterpret(emitter.constant(emitter.shaped(bits, type), 0), type);
}

void KernelLowering::Sanitizer::emitReports(
    Operation *op, ArrayRef<Check> checks, ArrayRef<Value> failing,
    llvm::function_ref<void(SanitizerSite &site)> describe) {
  for (auto [i, check] : llvm::enumerate(checks)) {
    unsigned site = siteOf(op, i, [&](SanitizerSite &site) {
      describe(site);
      site.message = check.message;
      site.kind = check.kind.str();
      site.hasFloats = check.hasFloats;
      site.access = check.access.value_or(site.access);
    });
    if (monitor)
      emitReport(site, reportedLanes(failing[i]), check);
  }
  if (!monitor)
    emitter.trap();
}

void KernelLowering::Sanitizer::emit(Operation *op, ArrayRef<Check> checks,
                                     llvm::function_ref<void(SanitizerSite &site)> describe,
                                     llvm::function_ref<void()> body, bool once) {
  bool isVector = kernel.inLanes;
  SmallVector<Value> failing;
  Value anyFails;
  for (const Check &check : checks) {
    Value fails = isVector ? kernel.both(kernel.mask, check.fails) : check.fails;
    // A lane fails once. What a later check computes may have no value where an earlier one failed.
    if (anyFails)
      fails = emitter.select(anyFails, emitter.constant(fails.getType(), 0), fails);
    failing.push_back(fails);
    anyFails = eitherOf(anyFails, fails);
  }
  if (!anyFails) {
    if (body)
      body();
    return;
  }
  SmallVector<Value> results;
  // A token is nothing at run time, and the same whether something was skipped or not.
  for (Value result : body ? op->getResults() : op->getResults().take_front(0))
    if (!isa<AsyncTokenType>(result.getType()))
      results.push_back(result);
  Block *tell = emitter.makeBlock(), *join = emitter.makeBlock(kernel.passedTypes(results));
  SmallVector<Value> skipped;
  auto run = [&](Value active) {
    llvm::SaveAndRestore narrowed(kernel.mask, active);
    if (body)
      body();
    return kernel.passedAll(results, results);
  };
  // For the lanes of `rest`, of which there may be none.
  auto runRest = [&](Value rest) {
    Block *again = emitter.makeBlock();
    emitter.branchIf(kernel.any(rest), again, {}, join, skipped);
    emitter.enter(again);
    SmallVector<Value> values = run(rest);
    for (auto [result, value, nothing] : llvm::zip(results, values, skipped))
      if (!kernel.hasScalarForm(result))
        value = kernel.selectLanes(rest, value, nothing);
    emitter.branch(join, values);
  };
  auto skip = [&] {
    for (Type type : join->getArgumentTypes())
      skipped.push_back(zero(type));
  };
  Value someFail = isVector ? kernel.any(anyFails) : anyFails;
  auto rest = [&] { return kernel.both(kernel.mask, kernel.negated(anyFails)); };
  if (once && body && isVector) {
    Value all = kernel.mask ? kernel.mask : kernel.allLanes();
    Block *go = emitter.makeBlock(all.getType());
    emitter.branchIf(someFail, tell, {}, go, all);
    emitter.enter(tell);
    emitReports(op, checks, failing, describe);
    emitter.branch(go, rest());
    emitter.enter(go);
    skip();
    runRest(go->getArgument(0));
  } else {
    Block *go = emitter.makeBlock();
    emitter.branchIf(someFail, tell, {}, go, {});
    emitter.enter(go);
    emitter.branch(join, run(kernel.mask));
    emitter.enter(tell);
    emitReports(op, checks, failing, describe);
    skip();
    if (body && isVector)
      runRest(rest());
    else
      emitter.branch(join, skipped);
  }
  emitter.enter(join);
  for (auto [result, value] : llvm::zip(results, join->getArguments()))
    kernel.receive(result, value);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool KernelLowering::Sanitizer::needsMask(Operation *op) const {
  return options.checks.operation && hasUndefinedResults(op);
}

bool KernelLowering::Sanitizer::lower(Operation *op) {
  if (isa<SanitizerAssertAccessOp, SanitizerAssertAccessesOp>(op)) {
    lowerAssertAccess(op);
    return true;
  }
  if (auto assertion = dyn_cast<SanitizerAssertOpOp>(op)) {
    lowerAssertValues(op, assertion.getPredicates());
    return true;
  }
  if (auto assertion = dyn_cast<SanitizerAssertValueOp>(op)) {
    lowerAssertValues(op, assertion.getPredicates());
    kernel.lowerAssume(op);
    return true;
  }
  if (auto assertion = dyn_cast<SanitizerAssertLayoutOp>(op)) {
    lowerAssertLayout(assertion);
    return true;
  }
  if (isa<SanitizerRaceAccessOp, SanitizerRaceSyncOp>(op)) {
    tellRace(op);
    return true;
  }
  // Who fails does not access.
  if (options.checks.access && (lowerAccess(op) || lowerByteAccess(op) || lowerTransferAccess(op)))
    return true;
  tellRace(op);
  if (options.checks.operation && lowerOperation(op))
    return true;
  auto alignment = dyn_cast<BufferAssumeAlignmentOp>(op);
  return options.checks.value && alignment && lowerAlignment(alignment);
}

KernelLowering::~KernelLowering() = default;

KernelLowering::KernelLowering(const KernelPlan &plan, const Facts &facts, LoweringTarget &target,
                               Emitter &emitter, std::vector<LoweredOperation> &operations,
                               const LoweringOptions &options, std::vector<SanitizerSite> &sites)
    : plan(plan), facts(facts), target(target), emitter(emitter), ranges(emitter),
      floats(emitter, target), operations(operations),
      sanitizer(std::make_unique<Sanitizer>(*this, options, sites)) {}

void KernelLowering::beginFunction(Value monitor) { sanitizer->begin(monitor); }

bool KernelLowering::checksAccesses() const { return sanitizer->checksAccesses(); }

SmallVector<Value> KernelLowering::extentsNeededBy(Operation *op) {
  SmallVector<Value> extents;
  // What makes a view owns its extents, and what passes one on does not look at it.
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>())
    return extents;
  for (Value operand : op->getOperands()) {
    if (!isa<ViewType>(operand.getType()))
      continue;
    for (Value extent : getDynamicDims(operand))
      if (isAddressType(extent.getType()))
        extents.push_back(extent);
    for (OpFoldResult stride : getViewLayout(operand).strides)
      if (auto value = dyn_cast<Value>(stride))
        extents.push_back(value);
  }
  return extents;
}

bool KernelLowering::mayRunForAll(Operation *op) const { return !sanitizer->needsMask(op); }

} // namespace loom::lowering
