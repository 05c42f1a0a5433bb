//===- ReadAheadPlan.cpp - How a loop body is cut in two ------------------===//
#include "ReadAheadPlan.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Depth
//===----------------------------------------------------------------------===//

LogicalResult checkDepth(const ReadAheadRequest &request) {
  if (request.depth && *request.depth >= 1 && *request.depth <= kMaxPipelineDepth)
    return success();
  ScfForOp loop = request.loop;
  InFlightDiagnostic diag = emitCoded(loop, DiagCode::PolicyDepth, "pipeline(...) ");
  if (request.depth)
    diag << "takes a depth from 1 to " << kMaxPipelineDepth << ", and this one is "
         << *request.depth;
  else
    diag << "needs a depth that is an exact number when the loop is transformed, and this one is "
            "not";
  diag.attachNote(loop.getDepth().getLoc()) << "the depth comes from here";
  return diag;
}

std::optional<int64_t> ReadAheadRequest::distance() const {
  return llvm::checkedMul(records(), *bounds.step);
}

bool ReadAheadRequest::isAlwaysShort() const {
  if (bounds.trips)
    return *bounds.trips < *depth;
  // The loop is long when `lower + distance < upper`.
  auto reach = distance();
  auto last = reach ? llvm::checkedAdd(bounds.lowerMin, *reach) : std::nullopt;
  return reach && (!last || bounds.upperMax <= *last);
}

bool ReadAheadRequest::isAlwaysLong() const {
  if (bounds.trips)
    return *bounds.trips >= *depth;
  auto reach = distance();
  auto last = reach ? llvm::checkedAdd(bounds.lowerMax, *reach) : std::nullopt;
  return last && bounds.upperMin > *last;
}

//===----------------------------------------------------------------------===//
// What stands in the way
//===----------------------------------------------------------------------===//

namespace {

/// Looks for everything that keeps a loop from being cut, and reports all of it.
class Obstacles {
public:
  Obstacles(const ReadAheadRequest &request, const LoopBody &body)
      : request(request), loop(request.loop), body(body) {}

  LogicalResult check();

private:
  InFlightDiagnostic report(Operation *op, DiagCode code);
  void checkStep();
  void checkEffects(Operation *op);
  void checkCollective(Operation *op);
  void checkDependence(Operation *op);
  Operation *findBlockedRead(Operation *unit);

  const ReadAheadRequest &request;
  ScfForOp loop;
  const LoopBody &body;
  bool found = false;
};

/// Begins an error that names `op`; a note at the loop follows unless `op` is the loop.
InFlightDiagnostic Obstacles::report(Operation *op, DiagCode code) {
  found = true;
  InFlightDiagnostic diag = emitCoded(op, code, "'");
  diag << getTextName(op) << "' ";
  if (op != loop)
    diag.attachNote(loop.getLoc())
        << "read-ahead of depth " << *request.depth << " is requested here";
  return diag;
}

void Obstacles::checkStep() {
  if (request.bounds.hasPositiveStep())
    return;
  InFlightDiagnostic diag = report(loop, DiagCode::PolicyStep);
  if (request.bounds.step)
    diag << "has the step " << *request.bounds.step << "; read-ahead needs a positive one";
  else
    diag << "has a step that is not an exact number; read-ahead needs a positive exact step";
  diag.attachNote(loop.getStep().getLoc()) << "the step comes from here";
}

void Obstacles::checkCollective(Operation *op) {
  if (!request.bounds.lower || !request.bounds.upper) {
    report(op, DiagCode::PolicyBody)
        << "needs every lane in each iteration; read-ahead of a loop with collectives needs exact "
           "bounds, so that no lane takes another path";
    return;
  }
  Operation *unit = loop.getBlock()->findAncestorOpInBlock(*op);
  if (unit && body.inReadClosure(unit))
    report(op, DiagCode::PolicyDependence)
        << "takes part in what a read needs, and a collective cannot run ahead";
}

void Obstacles::checkEffects(Operation *op) {
  if (isa<ScfScheduleFenceOp>(op)) {
    report(op, DiagCode::PolicyBody) << "orders the source, which reads that run ahead cannot keep";
  } else if (isa<ScfWhileOp>(op)) {
    report(op, DiagCode::PolicyBody) << "does not stay in one stage of a pipeline";
  } else if (isa<KernelSubgroupReduceOp>(op)) {
    checkCollective(op);
  } else if (isa<KernelBarrierOp>(op)) {
    report(op, DiagCode::PolicyBody) << "may not be passed by reads that run ahead";
  } else if (isa<FuncCallOp, TemplateCallOp, TemplateApplyOp>(op)) {
    if (!op->hasAttr("pure"))
      report(op, DiagCode::PolicyBody)
          << "is still a call, and what it does to memory is not known";
  } else if (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>()) {
    Effects effects = getEffects(op);
    if (effects.writes)
      report(op, DiagCode::PolicyBody) << "writes memory, and later reads may not run ahead of it";
    else if (effects.unknown)
      report(op, DiagCode::PolicyBody) << "has effects that are not known";
  }
}

/// A read in the conditional `unit` whose guard or address depends on carried values; null when the
/// carried values are only used beside the reads.
Operation *Obstacles::findBlockedRead(Operation *unit) {
  if (!isa<ScfIfOp>(unit) || body.isCarried(unit->getOperand(0)))
    return unit;
  DenseSet<Operation *> carried;
  auto isCarried = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return (definition && carried.contains(definition)) || body.isCarried(value);
  };
  for (Region &region : unit->getRegions())
    for (Operation &op : region.getOps()) {
      bool depends = false;
      visitCaptures(&op, [&](Value value) { depends |= isCarried(value); });
      if (!depends)
        continue;
      if (countReads(&op))
        return &op;
      carried.insert(&op);
    }
  return nullptr;
}

void Obstacles::checkDependence(Operation *op) {
  BlockArgument source = body.carriedSource(op);
  auto describe = [&](InFlightDiagnostic &diag) {
    diag.attachNote(source.getLoc())
        << "the carried value '%" << getValueName(source) << "' begins here";
  };
  if (isa<ScfIfOp>(op) && !findBlockedRead(op)) {
    InFlightDiagnostic diag = report(op, DiagCode::PolicyBody);
    diag << "both reads memory and works on carried values; a conditional is not split between "
            "the stages: guard the reads in a conditional of their own";
    describe(diag);
    return;
  }
  InFlightDiagnostic diag = report(op, DiagCode::PolicyDependence);
  diag << (op->getNumRegions() ? "reads memory and depends on a carried value"
                               : "reads at a place that depends on a carried value")
       << ", so it cannot run ahead";
  describe(diag);
}

LogicalResult Obstacles::check() {
  checkStep();
  if (loop.getTies())
    report(loop, DiagCode::PolicyBody)
        << "ties a result to an initial value, which a queue beside it cannot keep";
  for (Operation *op : body.ops())
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) { checkEffects(inner); });
  for (Operation *op : body.ops())
    if (body.reads(op) && body.isCarried(op))
      checkDependence(op);
  if (body.totalReads() == 0 && !found)
    report(loop, DiagCode::PolicyNothingToRead)
        << "reads nothing that could be read ahead; drop pipeline(...) or give it depth 1";
  return success(!found);
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

/// The operations of the producer that the consumer may carry out again: constants, and index
/// arithmetic on the induction variable and on values from outside the loop.
DenseSet<Operation *> findRecomputable(const LoopBody &body) {
  DenseSet<Operation *> result;
  for (Operation *op : body.ops()) {
    bool cheap = op->hasTrait<OpTrait::ConstantLike>() ||
                 (isa<IndexDialect>(op->getDialect()) && isMemoryEffectFree(op));
    if (cheap && body.inReadClosure(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return !definition || definition->getBlock() != op->getBlock() ||
                 result.contains(definition);
        }))
      result.insert(op);
  }
  return result;
}

} // namespace

/// Fills `plan` with the cut.
static void cut(ScfForOp loop, const LoopBody &body, ReadAheadPlan &plan) {
  Block *block = loop.getBlock();
  DenseSet<Operation *> recomputable = findRecomputable(body);
  DenseSet<Operation *> recomputed;
  DenseSet<Value> queued;
  SmallVector<Operation *> open;
  auto use = [&](Value value) {
    if (value == loop.getInductionVar())
      plan.consumerUsesInduction = true;
    Operation *definition = value.getDefiningOp();
    if (!definition || definition->getBlock() != block || !body.inReadClosure(definition))
      return;
    if (!recomputable.contains(definition))
      queued.insert(value);
    else if (recomputed.insert(definition).second)
      open.push_back(definition);
  };
  for (Value value : loop.getYield()->getOperands())
    use(value);
  for (Operation *op : body.ops())
    if (!body.inReadClosure(op))
      visitCaptures(op, use);
  while (!open.empty())
    visitCaptures(open.pop_back_val(), use);
  for (Operation *op : body.ops()) {
    bool produces = body.inReadClosure(op);
    if (produces)
      plan.producer.push_back(op);
    if (!produces || recomputed.contains(op))
      plan.consumer.push_back(op);
    for (Value result : op->getResults())
      if (queued.contains(result))
        plan.queued.push_back(result);
  }
}

/// Fills in what the report shows.
static void describe(const ReadAheadRequest &request, const LoopBody &body, ReadAheadPlan &plan) {
  report::LoopPipeline &row = plan.row;
  row.pipelined = true;
  row.depth = static_cast<unsigned>(*request.depth);
  row.queueRecords = static_cast<unsigned>(request.records());
  row.valuesPerRecord = static_cast<unsigned>(plan.queued.size());
  row.readCount = body.totalReads();
  for (auto [position, op] : llvm::enumerate(body.ops())) {
    report::PipelineStage &stage = row.stages.emplace_back();
    stage.position = static_cast<unsigned>(position);
    stage.op = getTextName(op).str();
    stage.producer = body.inReadClosure(op);
    stage.iterationLookahead = stage.producer ? row.queueRecords : 0;
  }
}

/// Checks that the transformed loop stays within what can be materialized.
static LogicalResult checkSize(const ReadAheadRequest &request, const LoopBody &body,
                               ReadAheadPlan &plan) {
  ScfForOp loop = request.loop;
  int64_t perRecord = std::max<int64_t>(body.size(), plan.queued.size());
  if (request.records() * std::max<int64_t>(perRecord, 1) > kMaterializationLimit)
    return emitCoded(loop, DiagCode::PolicyLimit, "pipeline(...) of depth ")
           << *request.depth << " would repeat " << perRecord << " operations " << request.records()
           << " times, more than the limit of " << kMaterializationLimit << " operations";
  std::optional<int64_t> distance = request.distance();
  if (!distance)
    return emitCoded(loop, DiagCode::PolicyLimit, "pipeline(...) of depth ")
           << *request.depth << " reads " << request.records() << " steps of "
           << *request.bounds.step << " ahead, a distance that does not fit "
           << request.bounds.type;
  plan.distance = *distance;
  for (Value value : plan.queued)
    if (countSlots(value.getType()))
      return emitCoded(value.getDefiningOp(), DiagCode::PolicyBody, "'")
             << getTextName(value.getDefiningOp())
             << "' makes a value whose extents differ between iterations; it cannot wait in the "
                "queue of a pipeline";
  return success();
}

FailureOr<ReadAheadPlan> planReadAhead(const ReadAheadRequest &request) {
  LoopBody body(request.loop);
  if (failed(Obstacles(request, body).check()))
    return failure();
  ReadAheadPlan plan;
  cut(request.loop, body, plan);
  if (!request.isAlwaysShort() && failed(checkSize(request, body, plan)))
    return failure();
  describe(request, body, plan);
  return plan;
}

} // namespace loom
