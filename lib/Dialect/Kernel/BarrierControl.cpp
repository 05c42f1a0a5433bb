//===- BarrierControl.cpp - Who reaches a barrier together ----------------===//
//
// A barrier waits for everybody in its scope, so what decides whether it runs has to be the same
// for all of them. Here that is proven for barriers that stand in a kernel: a forward analysis says
// of every value how it may differ, and the controls around a barrier are asked in turn. What
// cannot be proven is refused. docs/internals/barriers.md says what is known and what is not.
//
// The analysis runs while the kernel is verified: operations inside of it may still be malformed.
//
//===----------------------------------------------------------------------===//
#include "KernelSupport.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "mlir/IR/Dominance.h"

namespace loom {
using namespace mlir;

namespace {

/// How a value may differ between the work-items of a workgroup. Later ones include earlier ones.
enum class Distribution {
  Workgroup, ///< the same for all of them
  Subgroup,  ///< the same within each subgroup
  Unknown,   ///< nothing is known
  Lane,      ///< differs from lane to lane
};

/// A distribution, and the operation that it comes from when it is not Workgroup.
struct Spread {
  Distribution distribution = Distribution::Workgroup;
  Operation *cause = nullptr;

  Spread join(const Spread &other) const {
    return other.distribution > distribution ? other : *this;
  }
};

/// The spread of every value of a kernel body. Values begin as Workgroup and only rise, so the work
/// list empties after at most three steps a value.
class Uniformity {
public:
  explicit Uniformity(KernelDefOp kernel) : kernel(kernel) {
    kernel.getBody().walk([&](Operation *op) { visit(op); });
    while (!queue.empty()) {
      Operation *op = queue.pop_back_val();
      queued.erase(op);
      visit(op);
    }
  }

  Spread of(Value value) const { return spreads.lookup(value); }

private:
  void visit(Operation *op);
  void visitTerminator(Operation *op);
  void visitFor(Operation *op);
  void visitWhile(Operation *op);
  void visitChoice(Operation *op);
  std::optional<Spread> askKernel(Operation *op) const;
  Spread askCall(Operation *op) const;
  Spread ofOperand(Operation *op, unsigned i) const {
    return i < op->getNumOperands() ? of(op->getOperand(i)) : Spread();
  }
  Spread ofOperands(Operation *op) const {
    Spread spread;
    for (Value operand : op->getOperands())
      spread = spread.join(of(operand));
    return spread;
  }
  void raise(Value value, const Spread &spread);
  void raiseAll(ValueRange values, const Spread &spread) {
    for (Value value : values)
      raise(value, spread);
  }

  KernelDefOp kernel;
  DenseMap<Value, Spread> spreads;
  SmallVector<Operation *> queue;
  llvm::SmallPtrSet<Operation *, 16> queued;
};

} // namespace

static Operation *terminatorOf(Operation *op, unsigned region) {
  if (region >= op->getNumRegions() || op->getRegion(region).empty() ||
      op->getRegion(region).front().empty())
    return nullptr;
  return &op->getRegion(region).front().back();
}

static Block::BlockArgListType argumentsOf(Operation *op, unsigned region) {
  if (region >= op->getNumRegions() || op->getRegion(region).empty())
    return {};
  return op->getRegion(region).front().getArguments();
}

void Uniformity::raise(Value value, const Spread &spread) {
  if (spread.distribution <= of(value).distribution)
    return;
  spreads[value] = spread;
  for (Operation *user : value.getUsers())
    if (queued.insert(user).second)
      queue.push_back(user);
}

//===----------------------------------------------------------------------===//
// Structured control
//===----------------------------------------------------------------------===//

/// Operand order of `scf.for`: lower, upper, step, then the first values of what is carried.
void Uniformity::visitFor(Operation *op) {
  Spread step = ofOperand(op, 0).join(ofOperand(op, 2)), bounds = step.join(ofOperand(op, 1));
  auto arguments = argumentsOf(op, 0);
  if (!arguments.empty())
    raise(arguments[0], step);
  Operation *yield = terminatorOf(op, 0);
  for (OpResult result : op->getResults()) {
    unsigned i = result.getResultNumber();
    Spread carried = ofOperand(op, 3 + i);
    if (yield)
      carried = carried.join(ofOperand(yield, i));
    if (i + 1 < arguments.size())
      raise(arguments[i + 1], carried);
    // Work-items may leave the loop after different iterations.
    raise(result, carried.join(bounds));
  }
}

void Uniformity::visitWhile(Operation *op) {
  Operation *condition = terminatorOf(op, 0), *yield = terminatorOf(op, 1);
  for (BlockArgument argument : argumentsOf(op, 0)) {
    Spread carried = ofOperand(op, argument.getArgNumber());
    if (yield)
      carried = carried.join(ofOperand(yield, argument.getArgNumber()));
    raise(argument, carried);
  }
  if (!condition)
    return;
  for (BlockArgument argument : argumentsOf(op, 1))
    raise(argument, ofOperand(condition, argument.getArgNumber() + 1));
  for (OpResult result : op->getResults())
    raise(result, ofOperand(condition, result.getResultNumber() + 1).join(ofOperand(condition, 0)));
}

/// `scf.if` and `scf.switch`: the first operand chooses a region.
void Uniformity::visitChoice(Operation *op) {
  for (OpResult result : op->getResults()) {
    Spread chosen = ofOperand(op, 0);
    for (unsigned region = 0; region < op->getNumRegions(); ++region)
      if (Operation *yield = terminatorOf(op, region))
        chosen = chosen.join(ofOperand(yield, result.getResultNumber()));
    raise(result, chosen);
  }
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// Whether an axis of the workgroup has one work-item.
static bool isSingle(Operation *op, Dimension dimension) {
  return exactExtent(op, 3 + static_cast<unsigned>(dimension)) == 1;
}

/// What an operation of the `kernel` dialect answers; nothing for those that are like others.
std::optional<Spread> Uniformity::askKernel(Operation *op) const {
  Spread lane{Distribution::Lane, op}, subgroup{Distribution::Subgroup, op};
  // What is the same everywhere stays so when a lane of each subgroup is chosen.
  auto chosen = [&](Value value) {
    return of(value).distribution == Distribution::Workgroup ? Spread() : subgroup;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Spread>>(op)
      .Case<KernelWorkitemIdOp, KernelDispatchIdOp>(
          [&](auto id) { return isSingle(op, id.getDimension()) ? Spread() : lane; })
      .Case<KernelSubgroupLaneIdOp, KernelSubgroupShuffleOp, KernelSubgroupScanOp,
            KernelSubgroupMatchAnyOp, KernelWorkgroupScanOp>([&](auto) { return lane; })
      .Case<KernelSubgroupIdOp, KernelSubgroupBallotOp, KernelSubgroupActiveMaskOp,
            KernelSubgroupMatchAllOp>([&](auto) { return subgroup; })
      // Clusters of lanes have results of their own.
      .Case(
          [&](KernelSubgroupReduceOp reduce) { return reduce.getClusterSize() ? lane : subgroup; })
      .Case<KernelSubgroupVoteAnyOp, KernelSubgroupVoteAllOp, KernelSubgroupBroadcastFirstOp>(
          [&](auto o) { return chosen(o.getValue()); })
      .Case([&](KernelSubgroupBroadcastOp broadcast) {
        Spread from = of(broadcast.getLane()), value = chosen(broadcast.getValue());
        bool differs = from.distribution > Distribution::Subgroup && value.cause;
        return differs ? from : value;
      })
      .Case<KernelWorkgroupReduceOp, KernelWorkgroupVoteAnyOp, KernelWorkgroupVoteAllOp,
            KernelWorkgroupVoteCountOp>([](auto) { return Spread(); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The result of a call follows from its arguments when the callee is here to be looked at, and
/// neither reads memory nor asks where it runs.
Spread Uniformity::askCall(Operation *op) const {
  Spread unknown{Distribution::Unknown, op};
  SmallVector<Operation *> open = {op};
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (!open.empty()) {
    Operation *call = open.pop_back_val();
    auto name = call->getAttrOfType<FlatSymbolRefAttr>("callee");
    Operation *callee = name && call->hasAttr("pure") ? lookupSymbol(call, name) : nullptr;
    if (!callee || callee->getNumRegions() == 0)
      return unknown;
    if (!seen.insert(callee).second)
      continue;
    WalkResult walked = callee->walk([&](Operation *inner) {
      StringRef text = getTextName(inner);
      if (inner == callee || inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return WalkResult::advance();
      if (text == "func.call" || text == "template.call") {
        open.push_back(inner);
        return WalkResult::advance();
      }
      bool ofItself = isMemoryEffectFree(inner) && !isa<KernelDialect>(inner->getDialect());
      return ofItself ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return unknown;
  }
  return ofOperands(op);
}

/// What a region yields changes what its operation says.
void Uniformity::visitTerminator(Operation *op) {
  Operation *parent = op->getParentOp();
  if (parent && parent != kernel && queued.insert(parent).second)
    queue.push_back(parent);
}

void Uniformity::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    visitTerminator(op);
  // Blocks are rare in kernels, and the language has no branches of its own for them.
  for (Block *successor : op->getSuccessors())
    raiseAll(successor->getArguments(), {Distribution::Unknown, op});
  StringRef name = getTextName(op);
  if (name == "scf.for")
    return visitFor(op);
  if (name == "scf.while")
    return visitWhile(op);
  if (name == "scf.if" || name == "scf.switch")
    return visitChoice(op);
  if (op->getNumRegions() != 0) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        raiseAll(block.getArguments(), {Distribution::Unknown, op});
    return raiseAll(op->getResults(), {Distribution::Unknown, op});
  }
  if (op->getNumResults() == 0)
    return;
  if (std::optional<Spread> spread = askKernel(op))
    return raiseAll(op->getResults(), *spread);
  if (name == "func.call" || name == "template.call")
    return raiseAll(op->getResults(), askCall(op));
  if (!isMemoryEffectFree(op) || name.starts_with("low."))
    return raiseAll(op->getResults(), {Distribution::Unknown, op});
  if (name.ends_with(".assume") && op->getNumOperands() >= op->getNumResults()) {
    for (OpResult result : op->getResults())
      raise(result, ofOperand(op, result.getResultNumber()));
    return;
  }
  raiseAll(op->getResults(), ofOperands(op));
}

//===----------------------------------------------------------------------===//
// Controls
//===----------------------------------------------------------------------===//

namespace {

/// A value that decides whether something runs. Kinds are words of the report.
struct Control {
  StringRef kind;
  Operation *op;
  Value value; ///< null when nothing is known about the decision
};

} // namespace

/// The controls of `parent` over its region.
static void collectControls(Operation *parent, SmallVectorImpl<Control> &controls) {
  StringRef name = getTextName(parent);
  auto operand = [&](Operation *op, unsigned i) {
    return op && i < op->getNumOperands() ? op->getOperand(i) : Value();
  };
  if (name == "scf.for") {
    controls.push_back({"loop_lower_bound", parent, operand(parent, 0)});
    controls.push_back({"loop_upper_bound", parent, operand(parent, 1)});
    controls.push_back({"loop_step", parent, operand(parent, 2)});
  } else if (name == "scf.while") {
    Operation *condition = terminatorOf(parent, 0);
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

/// Everything that decides whether `op` runs, from the inside out.
static SmallVector<Control> controlsOf(Operation *op, KernelDefOp kernel) {
  SmallVector<Control> controls;
  Operation *at = op;
  for (; at->getParentOp() != kernel; at = at->getParentOp())
    collectControls(at->getParentOp(), controls);
  collectBranches(kernel, at->getBlock(), controls);
  for (auto exit : kernel.getBody().getOps<KernelExitOp>()) {
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
  if (auto name = kernel.getTargetAttr()) {
    Operation *record = lookupSymbol(kernel, name);
    if (std::optional<int64_t> size = record ? subgroupSizeOfRecord(record) : std::nullopt)
      return size;
  }
  auto module = kernel->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<StringAttr>(kSpecializedTarget) : StringAttr();
  const TargetProfile *profile = target ? lookupTargetProfile(target.getValue()) : nullptr;
  return profile ? std::optional<int64_t>(profile->subgroupSize) : std::nullopt;
}

/// The widest distribution that is still uniform in a workgroup of `kernel`.
static Distribution uniformInWorkgroup(KernelDefOp kernel) {
  KernelLaunchConfigOp config = getLaunchConfig(kernel);
  int64_t items = 1;
  bool isExact = true, isSubgroup = config != nullptr;
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::optional<int64_t> size = exactExtent(kernel, 3 + axis);
    isExact &= size && !llvm::MulOverflow(items, *size, items);
    Operation *source = config ? config->getOperand(3 + axis).getDefiningOp() : nullptr;
    isSubgroup &= axis == 0 ? source && getTextName(source) == "target.subgroup.size" : size == 1;
  }
  if (isExact && items == 1)
    return Distribution::Lane;
  std::optional<int64_t> lanes = isExact ? subgroupSize(kernel) : std::nullopt;
  return isSubgroup || (lanes && items <= *lanes) ? Distribution::Subgroup
                                                  : Distribution::Workgroup;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Who has to reach `op` together; nothing when that does not matter. A wait stands in the block of
/// its arrival.
static std::optional<SyncScope> scopeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<SyncScope>>(op)
      .Case<KernelBarrierOp, KernelBarrierArriveOp>([](auto o) { return o.getScope(); })
      .Case<KernelWorkgroupReduceOp, KernelWorkgroupScanOp, KernelWorkgroupVoteAnyOp,
            KernelWorkgroupVoteAllOp, KernelWorkgroupVoteCountOp>(
          [](auto) { return SyncScope::workgroup; })
      .Default([](Operation *) { return std::nullopt; });
}

static StringRef stringifySpread(const Spread &spread, Value value) {
  switch (spread.distribution) {
  case Distribution::Workgroup:
    return "workgroup";
  case Distribution::Subgroup:
    return "subgroup";
  case Distribution::Unknown:
    return "unknown";
  case Distribution::Lane:
    return value && value.getType().isInteger(1) ? "lane_predicate" : "lane_varying";
  }
  llvm_unreachable("covered switch");
}

static void explain(InFlightDiagnostic &diag, const Spread &spread) {
  if (!spread.cause)
    return;
  StringRef what = spread.distribution == Distribution::Lane ? "' differs from lane to lane"
                   : spread.distribution == Distribution::Subgroup
                       ? "' differs from subgroup to subgroup"
                       : "' gives a value of which nothing is known here";
  diag.attachNote(spread.cause->getLoc()) << "'" << getTextName(spread.cause) << what;
}

static LogicalResult refuse(Operation *op, SyncScope scope, const Control &control,
                            const Spread &spread) {
  InFlightDiagnostic diag = emitCoded(op, DiagCode::StructureBarrierControl, "'");
  diag << getTextName(op) << "' has to be reached by the whole " << stringifySyncScope(scope)
       << " together, but a control around it may differ: " << control.kind << " is "
       << stringifySpread(spread, control.value);
  diag.attachNote(control.op->getLoc()) << "this '" << getTextName(control.op) << "' decides";
  explain(diag, spread);
  return diag;
}

LogicalResult verifyBarrierControl(KernelDefOp kernel) {
  std::optional<Uniformity> uniformity; // of kernels that need it only
  std::optional<Distribution> workgroup;
  bool ok = true;
  kernel.getBody().walk([&](Operation *op) {
    auto storage = dyn_cast<KernelWorkgroupStorageOp>(op);
    std::optional<SyncScope> scope = scopeOf(op);
    if (!storage && !scope)
      return;
    SmallVector<Control> controls = storage ? SmallVector<Control>() : controlsOf(op, kernel);
    if (!storage && controls.empty())
      return;
    if (!uniformity) {
      uniformity.emplace(kernel);
      workgroup = uniformInWorkgroup(kernel);
    }
    if (storage) {
      Spread spread = uniformity->of(storage.getLength());
      if (spread.distribution <= *workgroup)
        return;
      InFlightDiagnostic diag =
          emitCoded(op, DiagCode::StructureWorkgroupStorage,
                    "the length of dynamic workgroup memory has to be the same for the whole "
                    "workgroup, but it is ");
      diag << stringifySpread(spread, storage.getLength());
      explain(diag, spread);
      ok = false;
      return;
    }
    Distribution allowed =
        scope == SyncScope::subgroup ? std::max(*workgroup, Distribution::Subgroup) : *workgroup;
    for (const Control &control : controls) {
      Spread spread =
          control.value ? uniformity->of(control.value) : Spread{Distribution::Unknown, nullptr};
      if (spread.distribution <= allowed)
        continue;
      ok &= succeeded(refuse(op, *scope, control, spread));
      return;
    }
  });
  return success(ok);
}

} // namespace loom
