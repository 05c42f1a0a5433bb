//===- BarrierControl.cpp - Who reaches a barrier together ----------------===//
//
// A barrier waits for everybody in its scope, so what decides whether it runs has to be the same
// for all of them. Here that is proven for barriers that stand in a kernel: Spread.h says of every
// value how it may differ, and the controls around a barrier are asked in turn. What cannot be
// proven is refused. docs/internals/barriers.md says what is known and what is not.
//
// This runs while the kernel is verified: operations inside of it may still be malformed.
//
//===----------------------------------------------------------------------===//
#include "KernelSupport.h"
#include "loom/Dialect/Kernel/Spread.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Controls
//===----------------------------------------------------------------------===//

/// The controls of `parent` over its regions.
static void collectControls(Operation *parent, SmallVectorImpl<Control> &controls) {
  StringRef name = getTextName(parent);
  auto operand = [](Operation *op, unsigned i) {
    return op && i < op->getNumOperands() ? op->getOperand(i) : Value();
  };
  if (name == "scf.for") {
    controls.push_back({"loop_lower_bound", parent, operand(parent, 0)});
    controls.push_back({"loop_upper_bound", parent, operand(parent, 1)});
    controls.push_back({"loop_step", parent, operand(parent, 2)});
  } else if (name == "scf.while") {
    Region *before = parent->getNumRegions() ? &parent->getRegion(0) : nullptr;
    bool isWhole = before && !before->empty() && !before->front().empty();
    Operation *condition = isWhole ? &before->front().back() : nullptr;
    controls.push_back({"loop_condition", condition ? condition : parent, operand(condition, 0)});
  } else if (name == "scf.if" || name == "scf.switch" || isa<KernelExitOp>(parent)) {
    controls.push_back({"region_selector", parent, operand(parent, 0)});
  } else {
    controls.push_back({"region_selector", parent, Value()});
  }
}

/// Branches of the body that decide whether `block` runs, or how often.
static void collectBranches(KernelDefOp kernel, Block *block, SmallVectorImpl<Control> &controls) {
  if (kernel.getBody().hasOneBlock())
    return;
  PostDominanceInfo postDominance(kernel);
  for (Block &other : kernel.getBody()) {
    if (other.empty() || other.back().getNumSuccessors() < 2)
      continue;
    // A join of everybody is fine, unless the branch leads back into a loop around it.
    bool joins = &other != block && postDominance.properlyPostDominates(block, &other) &&
                 !block->isReachable(&other);
    Operation *branch = &other.back();
    if (!joins)
      controls.push_back(
          {"cfg_selector", branch, branch->getNumOperands() ? branch->getOperand(0) : Value()});
  }
}

SmallVector<Control> Spreads::controlsOf(Operation *op) const {
  SmallVector<Control> controls;
  Operation *at = op;
  for (; at->getParentOp() != kernel; at = at->getParentOp())
    collectControls(at->getParentOp(), controls);
  collectBranches(kernel, at->getBlock(), controls);
  for (KernelExitOp exit : exits) {
    bool isLater = exit->getBlock() == at->getBlock() && !exit->isBeforeInBlock(at);
    if (exit != at && !isLater)
      controls.push_back({"exit_condition", exit, exit.getCondition()});
  }
  return controls;
}

//===----------------------------------------------------------------------===//
// Workgroups of one subgroup
//===----------------------------------------------------------------------===//

/// The subgroup size that the target of `kernel` has: of the record that it names, else of the
/// profile for which the module was specialized.
static std::optional<int64_t> subgroupSize(KernelDefOp kernel) {
  if (Operation *record = lookupRecord(kernel, kernel.getTargetAttr()))
    if (std::optional<int64_t> size = subgroupSizeOfRecord(record))
      return size;
  auto module = kernel->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<StringAttr>(kSpecializedTarget) : StringAttr();
  const TargetProfile *profile = target ? lookupTargetProfile(target.getValue()) : nullptr;
  return profile ? std::optional<int64_t>(profile->subgroupSize) : std::nullopt;
}

/// What the launch configuration and the target of `kernel` say.
static SpreadOptions optionsOf(KernelDefOp kernel) {
  SpreadOptions options;
  for (unsigned axis = 0; axis < 3; ++axis)
    options.workgroupSize[axis] = exactExtent(kernel, 3 + axis);
  options.subgroupSize = subgroupSize(kernel);
  return options;
}

Distribution Spreads::uniformInWorkgroup() const {
  int64_t items = 1;
  for (std::optional<int64_t> size : options.workgroupSize)
    if (!size || llvm::MulOverflow(items, *size, items))
      return Distribution::Workgroup;
  if (items == 1)
    return Distribution::Varying;
  std::optional<int64_t> group = options.lanes ? options.lanes : options.subgroupSize;
  return group && items <= *group ? Distribution::Subgroup : Distribution::Workgroup;
}

Distribution Spreads::uniformInSubgroup() const {
  return options.lanes == 1 ? Distribution::Varying : Distribution::Subgroup;
}

/// Whether a workgroup of `kernel` is by its launch configuration as wide as a subgroup.
static bool isOneSubgroup(KernelDefOp kernel) {
  KernelLaunchConfigOp config = getLaunchConfig(kernel);
  Operation *width = config ? config->getOperand(3).getDefiningOp() : nullptr;
  return width && getTextName(width) == "target.subgroup.size" && exactExtent(kernel, 4) == 1 &&
         exactExtent(kernel, 5) == 1;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

std::optional<SyncScope> convergenceScope(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<SyncScope>>(op)
      .Case<KernelBarrierOp, KernelBarrierArriveOp>([](auto o) { return o.getScope(); })
      .Case<KernelWorkgroupReduceOp, KernelWorkgroupScanOp, KernelWorkgroupVoteAnyOp,
            KernelWorkgroupVoteAllOp, KernelWorkgroupVoteCountOp>(
          [](auto) { return SyncScope::workgroup; })
      .Default([](Operation *) { return std::nullopt; });
}

static StringRef stringifySpread(const Spread &spread, Value value) {
  if (spread.isUniform())
    return spread.isWorkgroup() ? "workgroup" : "subgroup";
  if (!spread.isKnown)
    return "unknown";
  return value && value.getType().isInteger(1) ? "lane_predicate" : "lane_varying";
}

/// What decides, as the author knows it.
static std::string describeControl(const Control &control) {
  StringRef name = getTextName(control.op);
  if (control.kind == "loop_condition")
    return "the condition of an 'scf.while' around it";
  StringRef part = llvm::StringSwitch<StringRef>(control.kind)
                       .Case("loop_lower_bound", "the lower bound")
                       .Case("loop_upper_bound", "the upper bound")
                       .Case("loop_step", "the step")
                       .Default(name == "scf.switch" ? "the selector" : "the condition");
  StringRef place = llvm::StringSwitch<StringRef>(control.kind)
                        .Case("exit_condition", "' in front of it")
                        .Case("cfg_selector", "' that leads here")
                        .Default("' around it");
  return (part + (name.starts_with("scf.") ? " of an '" : " of a '") + name + place).str();
}

/// What an author can do about it.
static std::string adviseOn(const Control &control) {
  std::string name = ("'" + getTextName(control.op) + "'").str();
  if (control.kind == "exit_condition")
    return "move it in front of the " + name;
  if (control.kind == "cfg_selector")
    return "branch by a value that is the same for all of it";
  return "move it out of the " + (control.kind == "loop_condition" ? "'scf.while'" : name) +
         ", or decide by a value that is the same for all of it";
}

/// How a value that decides may differ.
static StringRef describeSpread(const Spread &spread) {
  if (!spread.isKnown)
    return "is not known to be the same for all of it";
  return spread.isUniform() ? "differs between subgroups" : "differs between work-items";
}

static void explain(InFlightDiagnostic &diag, const Spread &spread) {
  if (!spread.cause)
    return;
  StringRef what = spread.isUniform() ? "' differs from subgroup to subgroup"
                   : spread.isKnown   ? "' differs from lane to lane"
                                      : "' gives a value of which nothing is known here";
  diag.attachNote(spread.cause->getLoc()) << "'" << getTextName(spread.cause) << what;
}

/// The calls that inlined code at `location` comes from, from the inside out.
static void noteCalls(InFlightDiagnostic &diag, Location location) {
  auto call = dyn_cast<CallSiteLoc>(location);
  if (!call)
    return;
  noteCalls(diag, call.getCallee());
  diag.attachNote(call.getCaller()) << "called here";
  noteCalls(diag, call.getCaller());
}

static LogicalResult refuse(Operation *op, SyncScope scope, const Control &control,
                            const Spread &spread) {
  InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureBarrierControl, "'");
  diag << getTextName(op) << "' has to be reached by the whole " << stringifySyncScope(scope)
       << " together, but " << describeControl(control) << ' ' << describeSpread(spread) << "; "
       << adviseOn(control);
  noteCalls(diag, op->getLoc());
  diag.attachNote(control.op->getLoc())
      << "this '" << getTextName(control.op) << "' decides: " << control.kind << " is "
      << stringifySpread(spread, control.value);
  explain(diag, spread);
  return diag;
}

static LogicalResult checkLength(KernelWorkgroupStorageOp storage, const Spreads &spreads,
                                 Distribution inWorkgroup) {
  Spread spread = spreads.of(storage.getLength());
  if (spread.distribution <= inWorkgroup)
    return success();
  InFlightDiagnostic diag =
      emitCoded(storage, DiagCode::StructureWorkgroupStorage,
                "the length of dynamic workgroup memory has to be the same for the whole "
                "workgroup, but it ");
  diag << describeSpread(spread);
  explain(diag, spread);
  return diag;
}

LogicalResult checkControls(Operation *op, SyncScope scope, const Spreads &spreads,
                            Distribution inWorkgroup) {
  Distribution allowed = scope == SyncScope::subgroup
                             ? std::max(inWorkgroup, spreads.uniformInSubgroup())
                             : inWorkgroup;
  for (const Control &control : spreads.controlsOf(op)) {
    Spread spread = control.value ? spreads.of(control.value) : Spread::unknown(nullptr);
    if (spread.distribution > allowed)
      return refuse(op, scope, control, spread);
  }
  return success();
}

LogicalResult checkConvergence(const Spreads &spreads, Distribution inWorkgroup) {
  bool ok = true;
  spreads.getKernel().getBody().walk([&](Operation *op) {
    if (auto storage = dyn_cast<KernelWorkgroupStorageOp>(op))
      ok &= succeeded(checkLength(storage, spreads, inWorkgroup));
    else if (std::optional<SyncScope> scope = convergenceScope(op))
      ok &= succeeded(checkControls(op, *scope, spreads, inWorkgroup));
  });
  return success(ok);
}

LogicalResult verifyBarrierControl(KernelDefOp kernel) {
  // Most kernels have no use for the analysis.
  WalkResult walked = kernel.getBody().walk([](Operation *op) {
    bool matters = isa<KernelWorkgroupStorageOp>(op) || convergenceScope(op);
    return matters ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!walked.wasInterrupted())
    return success();
  Spreads spreads(kernel, optionsOf(kernel));
  spreads.run();
  Distribution inWorkgroup = spreads.uniformInWorkgroup();
  if (isOneSubgroup(kernel))
    inWorkgroup = std::max(inWorkgroup, Distribution::Subgroup);
  return checkConvergence(spreads, inWorkgroup);
}

} // namespace loom
