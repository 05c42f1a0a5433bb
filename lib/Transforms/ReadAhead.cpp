//===- ReadAhead.cpp - Reads that run ahead of ordered work ---------------===//
//
// Replaces a loop `[lower, upper)` with `pipeline(%depth)` by
//
//   if fewer iterations than depth:
//     the loop as it was                                             (serial path)
//   else:
//     read iterations 0 .. depth-2 into the queue                    (startup)
//     for iv in [lower, upper - distance):                           (steady loop)
//       read iteration iv + distance
//       consume iteration iv from the front of the queue
//       move the queue up by one record
//     consume the records of the queue in order                      (drain)
//
// with distance = (depth - 1) * step. Reads never leave the original range: the steady loop reads
// at `iv + distance`, which is below `upper` exactly when `iv` is below its own bound. All sums
// that are formed stay between `lower` and `upper`, except the one that decides between the two
// paths; it is clamped where facts do not show that it fits.
//
// Why each step looks as it does is in docs/internals/loop-policies.md.
//
//===----------------------------------------------------------------------===//
#include "ReadAheadPlan.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/LoopPipelines.h"
#include "loom/Transforms/Passes.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_READAHEAD
#include "loom/Transforms/Passes.h.inc"

namespace {

using Record = SmallVector<Value, 2>;

/// Builds the pipelined form of one loop.
class Pipeliner {
public:
  Pipeliner(const ReadAheadRequest &request, const ReadAheadPlan &plan)
      : request(request), plan(plan), loop(request.loop), builder(loop),
        loc(stripSourceInfo(loop.getLoc())) {}

  void run();

private:
  SmallVector<Value> emitSerial();
  SmallVector<Value> emitPipeline();
  Value emitIsShort();
  Record emitProducer(Value induction);
  SmallVector<Value> emitConsumer(Value induction, ValueRange carried, ValueRange record);
  ScfForOp emitSteady(ArrayRef<Record> queue, bool carriesPosition);
  IRMapping startCopy(Value induction);
  /// The induction variable of iteration `index`.
  Value inductionAt(int64_t index) {
    return advance(builder, loc, lower, index * *request.bounds.step);
  }

  const ReadAheadRequest &request;
  const ReadAheadPlan &plan;
  ScfForOp loop;
  OpBuilder builder;
  Location loc;
  Value lower, upper;
};

/// A mapping in which copies of the body begin.
IRMapping Pipeliner::startCopy(Value induction) {
  IRMapping mapping;
  if (induction)
    mapping.map(loop.getInductionVar(), induction);
  return mapping;
}

Record Pipeliner::emitProducer(Value induction) {
  IRMapping mapping = startCopy(induction);
  for (Operation *op : plan.producer)
    cloneFolded(builder, op, mapping);
  Record record;
  for (Value value : plan.queued)
    record.push_back(mapping.lookup(value));
  return record;
}

SmallVector<Value> Pipeliner::emitConsumer(Value induction, ValueRange carried, ValueRange record) {
  IRMapping mapping = startCopy(induction);
  mapping.map(loop.getRegionIterArgs(), carried);
  mapping.map(ValueRange(plan.queued), record);
  for (Operation *op : plan.consumer)
    cloneFolded(builder, op, mapping);
  return llvm::map_to_vector(loop.getYield()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// `lower + distance >= upper`: the loop has at most depth - 1 iterations.
Value Pipeliner::emitIsShort() {
  Value start = lower;
  int64_t mostLower = INT64_MAX - plan.distance;
  // Where the sum would not fit, it is beyond every upper bound, and so is the largest number.
  if (request.bounds.lowerMax > mostLower)
    start = clampAbove(builder, loc, start, mostLower);
  Value last = advance(builder, loc, start, plan.distance);
  IntPredicate predicate = request.bounds.isOffset() ? IntPredicate::ule : IntPredicate::sle;
  return IndexCmpOp::create(builder, nameLoc(loc, {"short"}), predicate, upper, last);
}

SmallVector<Value> Pipeliner::emitSerial() {
  IRMapping mapping;
  auto serial = createLoopLike(builder, loop, loop.getLower(), loop.getUpper(), loop.getStep(),
                               loop.getInits());
  mapping.map(loop.getBlock()->getArguments(), serial.getBlock()->getArguments());
  OpBuilder inside = OpBuilder::atBlockEnd(serial.getBlock());
  for (Operation &op : *loop.getBlock())
    cloneFolded(inside, &op, mapping);
  return llvm::to_vector<4>(ValueRange(serial.getResults()));
}

/// The steady loop. Its carried values are those of the loop, the queue with the oldest record
/// first, and with `carriesPosition` the induction variable of the next iteration.
ScfForOp Pipeliner::emitSteady(ArrayRef<Record> queue, bool carriesPosition) {
  int64_t step = *request.bounds.step;
  SmallVector<Value> inits = llvm::to_vector<8>(ValueRange(loop.getInits()));
  for (const Record &record : queue)
    llvm::append_range(inits, record);
  if (carriesPosition)
    inits.push_back(lower);
  Value bound = retreat(builder, nameLoc(loc, {"steady_end"}), upper, plan.distance);
  ScfForOp steady = createLoopLike(builder, loop, lower, bound, loop.getStep(), inits);
  steady.setQueueRecords(request.records());
  if (Value factor = loop.getFactor())
    steady.getFactorMutable().assign(factor);
  steady.setFullUnroll(loop.getFullUnroll());
  steady.setScheduleAttr(loop.getScheduleAttr());

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(steady.getBlock());
  Value induction = steady.getInductionVar();
  size_t values = plan.queued.size(), carriedCount = loop.getInits().size();
  ValueRange arguments(steady.getRegionIterArgs());
  ValueRange records = arguments.slice(carriedCount, values * queue.size());
  Record next = emitProducer(advance(builder, loc, induction, plan.distance));
  SmallVector<Value> yields =
      emitConsumer(induction, arguments.take_front(carriedCount), records.take_front(values));
  llvm::append_range(yields, records.drop_front(values));
  llvm::append_range(yields, next);
  if (carriesPosition)
    yields.push_back(advance(builder, loc, induction, step));
  ScfYieldOp::create(builder, loc, yields);
  return steady;
}

SmallVector<Value> Pipeliner::emitPipeline() {
  int64_t step = *request.bounds.step;
  size_t values = plan.queued.size(), carriedCount = loop.getInits().size();
  SmallVector<Record> queue;
  for (int64_t i = 0; i < request.records(); ++i)
    queue.push_back(emitProducer(inductionAt(i)));
  // The steady loop ends at its bound when it counts by one, and after an exact number of
  // iterations when there is one; else it has to say where it ended.
  bool carriesPosition = plan.consumerUsesInduction && step != 1 && !request.bounds.trips;
  ScfForOp steady = emitSteady(queue, carriesPosition);
  Value position;
  if (carriesPosition)
    position = steady.getResults().back();
  else if (plan.consumerUsesInduction)
    position = request.bounds.trips ? inductionAt(*request.bounds.trips - request.records())
                                    : steady.getUpper();
  SmallVector<Value> carried =
      llvm::to_vector<4>(ValueRange(steady.getResults().take_front(carriedCount)));
  ValueRange rest(steady.getResults());
  rest = rest.drop_front(carriedCount);
  for (int64_t i = 0; i < request.records(); ++i) {
    Value induction = position ? advance(builder, loc, position, i * step) : Value();
    carried = emitConsumer(induction, carried, rest.take_front(values));
    rest = rest.drop_front(values);
  }
  return carried;
}

void Pipeliner::run() {
  lower = withConstant(builder, loc, loop.getLower(), request.bounds.lower);
  upper = withConstant(builder, loc, loop.getUpper(), request.bounds.upper);
  SmallVector<Value> results;
  if (request.isAlwaysLong()) {
    results = emitPipeline();
  } else {
    auto choice = ScfIfOp::create(builder, loop.getLoc(), loop.getResultTypes(), emitIsShort());
    choice.setExtentsAttr(loop.getExtentsAttr());
    auto fill = [&](Region &region, auto emit) {
      OpBuilder::InsertionGuard guard(builder);
      Block &block = region.front();
      builder.setInsertionPointToStart(&block);
      SmallVector<Value> values = emit();
      if (!values.empty())
        ScfYieldOp::create(builder, loc, values);
    };
    fill(choice.getThenRegion(), [&] { return emitSerial(); });
    fill(choice.getElseRegion(), [&] { return emitPipeline(); });
    results = llvm::to_vector<4>(ValueRange(choice.getResults()));
  }
  loop.getResults().replaceAllUsesWith(ValueRange(results));
  loop.erase();
}

struct ReadAheadPass : impl::ReadAheadBase<ReadAheadPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<IndexDialect, SCFDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult transform(const ReadAheadRequest &request, bool apply);
};

/// Honours one request and records it. Without `apply` it is only judged.
LogicalResult ReadAheadPass::transform(const ReadAheadRequest &request, bool apply) {
  ScfForOp loop = request.loop;
  if (failed(checkDepth(request)))
    return failure();
  auto kernel = loop->getParentOfType<KernelDefOp>();
  report::LoopPipeline row;
  if (*request.depth > 1) {
    FailureOr<ReadAheadPlan> plan = planReadAhead(request);
    if (failed(plan))
      return failure();
    if (!apply)
      return success();
    if (!request.isAlwaysShort()) {
      Pipeliner(request, *plan).run();
      if (kernel)
        appendLoopPipeline(kernel, plan->row);
      return success();
    }
    row.depth = static_cast<unsigned>(*request.depth);
    // The loop never reaches its depth: this is the serial path, which is not unrolled.
    clearPolicies(loop);
  }
  loop.getDepthMutable().clear();
  if (kernel)
    appendLoopPipeline(kernel, row);
  return success();
}

void ReadAheadPass::runOnOperation() {
  // Facts are those of the program as it came in. They stay true of the values that loops are bound
  // by, while the operations around them change.
  Facts facts(getOperation());
  SmallVector<ReadAheadRequest> requests;
  getOperation().walk([&](ScfForOp loop) {
    if (loop.getDepth())
      requests.emplace_back(loop, facts);
  });
  // Inner loops come first. After a refusal the others are still judged, to report all at once.
  bool refused = false;
  DenseSet<Operation *> changed;
  for (const ReadAheadRequest &request : requests) {
    Operation *symbol = request.loop;
    while (symbol->getParentOp() != getOperation())
      symbol = symbol->getParentOp();
    changed.insert(symbol);
    refused |= failed(transform(request, /*apply=*/!refused));
  }
  if (refused)
    return signalPassFailure();
  for (Operation &symbol : *getOperation().getBody())
    if (changed.contains(&symbol))
      cleanUpCopies(&symbol);
}

} // namespace
} // namespace loom
