//===- Unroll.cpp - Groups of iterations ----------------------------------===//
//
// `unroll` writes out a loop whose number of iterations is exact. `unroll(%factor)` replaces
// `[lower, upper)` by
//
//   for iv in [lower, upper - (factor-1) * step) step factor * step:   (main loop)
//     factor iterations, the first at iv
//   for iv in [position, upper) step step:                             (remainder)
//     one iteration
//
// A whole group fits at `iv` exactly when its last iteration, at `iv + (factor-1) * step`, is below
// `upper`. The main loop hands on where it stopped as one more carried value: the induction value
// of the group that did not fit. Sums that may leave the type are clamped, unless facts show that
// they do not.
//
//===----------------------------------------------------------------------===//
#include "UnrollGroup.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Passes.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_UNROLL
#include "loom/Transforms/Passes.h.inc"

namespace {

struct UnrollRequest {
  ScfForOp loop;
  LoopBounds bounds;
  std::optional<int64_t> factor;

  UnrollRequest(ScfForOp loop, const Facts &facts) : loop(loop), bounds(loop, facts) {
    if (Value value = loop.getFactor())
      factor = facts.exact(value);
  }
  bool isFull() { return loop.getFullUnroll(); }
  /// Whether everything that the request needs is exact.
  bool isDecided() {
    if (isFull())
      return bounds.trips.has_value();
    return factor && (*factor < 2 || bounds.step);
  }
};

/// Expands one loop.
class Unroller {
public:
  explicit Unroller(UnrollRequest &request)
      : request(request), loop(request.loop), bounds(request.bounds), group(request.loop),
        builder(request.loop), loc(stripSourceInfo(request.loop.getLoc())) {}

  LogicalResult run();

private:
  LogicalResult checkLimit(int64_t copies);
  LogicalResult expandWhole();
  LogicalResult expandGroups();
  SmallVector<Value> emitMain(Value &position);
  std::optional<unsigned> findPosition();
  Value emitPosition(OpBuilder &inside, Value induction);
  SmallVector<Value> emitRemainder(Value position, ValueRange carried);
  void replace(ArrayRef<Value> results);

  UnrollRequest &request;
  ScfForOp loop;
  const LoopBounds &bounds;
  UnrollGroup group;
  OpBuilder builder;
  Location loc;
  Value lower, upper;
  int64_t factor = 0, step = 0;
  /// Distance between the first and the last iteration of a group, and between two groups.
  int64_t reach = 0, span = 0;
};

LogicalResult Unroller::checkLimit(int64_t copies) {
  int64_t size = std::max<int64_t>(group.getBody().size(), 1);
  auto total = llvm::checkedMul(size, copies);
  if (total && *total <= kMaterializationLimit)
    return success();
  return emitCoded(loop, DiagCode::PolicyLimit, "unrolling would write ")
         << size << " operations " << copies << " times, more than the limit of "
         << kMaterializationLimit << " operations";
}

void Unroller::replace(ArrayRef<Value> results) {
  loop.getResults().replaceAllUsesWith(ValueRange(results));
  loop.erase();
}

LogicalResult Unroller::run() {
  lower = withConstant(builder, loc, loop.getLower(), bounds.lower);
  upper = withConstant(builder, loc, loop.getUpper(), bounds.upper);
  if (request.isFull())
    return expandWhole();
  return expandGroups();
}

LogicalResult Unroller::expandWhole() {
  int64_t trips = *bounds.trips;
  if (failed(checkLimit(trips)))
    return failure();
  replace(group.emit(builder, lower, *bounds.step, trips, loop.getInits()));
  return success();
}

LogicalResult Unroller::expandGroups() {
  factor = *request.factor;
  step = *bounds.step;
  if (failed(checkLimit(factor)))
    return failure();
  auto wide = llvm::checkedMul(factor, step);
  if (!wide)
    return emitCoded(loop, DiagCode::PolicyLimit, "unrolling by ")
           << factor << " advances by " << factor << " steps of " << step
           << ", a distance that does not fit " << bounds.type;
  span = *wide;
  reach = span - step;
  // A loop that never fills a group stays as it is.
  auto lastOfFirst = llvm::checkedAdd(bounds.lowerMin, reach);
  if (bounds.trips ? *bounds.trips < factor : !lastOfFirst || bounds.upperMax <= *lastOfFirst) {
    clearPolicies(loop);
    return success();
  }
  Value position;
  SmallVector<Value> results = emitMain(position);
  if (position)
    results = emitRemainder(position, results);
  replace(results);
  return success();
}

/// The carried value that is the next induction value already, if there is one.
std::optional<unsigned> Unroller::findPosition() {
  for (auto [i, init] : llvm::enumerate(loop.getInits()))
    if (init == loop.getLower() && addedConstant(loop.getYield()->getOperand(i).getDefiningOp(),
                                                 loop.getInductionVar()) == step)
      return i;
  return std::nullopt;
}

/// Writes the main loop and returns its carried values. `position` is where the remainder begins;
/// null when there is none.
SmallVector<Value> Unroller::emitMain(Value &position) {
  ValueRange inits(loop.getInits());
  if (bounds.trips && *bounds.trips % factor)
    position = advance(builder, loc, lower, *bounds.trips / factor * span);
  if (bounds.trips && *bounds.trips / factor == 1)
    return group.emit(builder, lower, step, factor, inits);

  Value end = upper;
  if (bounds.upperMin < bounds.least() + reach)
    end = clampBelow(builder, loc, end, bounds.least() + reach);
  end = retreat(builder, nameLoc(loc, {"main_end"}), end, reach);
  std::optional<unsigned> known = findPosition();
  bool carriesPosition = !bounds.trips && !known;
  SmallVector<Value> carried = llvm::to_vector<8>(inits);
  if (carriesPosition)
    carried.push_back(lower);
  ScfForOp main = createLoopLike(builder, loop, lower, end,
                                 addressConstant(builder, loc, bounds.type, span), carried);
  OpBuilder inside = OpBuilder::atBlockEnd(main.getBlock());
  ValueRange arguments(main.getRegionIterArgs());
  SmallVector<Value> yields =
      group.emit(inside, main.getInductionVar(), step, factor, arguments.take_front(inits.size()));
  if (carriesPosition)
    yields.push_back(emitPosition(inside, main.getInductionVar()));
  ScfYieldOp::create(inside, loc, yields);
  if (!bounds.trips)
    position = known ? main.getResult(*known) : main.getResults().back();
  return llvm::to_vector(ValueRange(main.getResults().take_front(inits.size())));
}

/// Where the group after the one at `induction` would begin.
Value Unroller::emitPosition(OpBuilder &inside, Value induction) {
  if (llvm::checkedAdd(bounds.upperMax, step - 1))
    return advance(inside, nameLoc(loc, {"next_group"}), induction, span);
  // The last iteration of the group is below `upper`. If a step from there does not fit, nothing is
  // left, and the largest number says so as well.
  Value last = advance(inside, loc, induction, reach);
  return advance(inside, loc, clampAbove(inside, loc, last, INT64_MAX - step), step);
}

SmallVector<Value> Unroller::emitRemainder(Value position, ValueRange carried) {
  if (bounds.trips && *bounds.trips % factor == 1)
    return group.emit(builder, position, step, 1, carried);
  ScfForOp remainder = createLoopLike(builder, loop, position, upper, loop.getStep(), carried);
  IRMapping mapping;
  mapping.map(loop.getBlock()->getArguments(), remainder.getBlock()->getArguments());
  OpBuilder inside = OpBuilder::atBlockEnd(remainder.getBlock());
  for (Operation &op : *loop.getBlock())
    cloneFolded(inside, &op, mapping);
  return llvm::to_vector(ValueRange(remainder.getResults()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Reports a request that cannot be decided, with a note for everything that is not exact.
LogicalResult refuse(UnrollRequest &request) {
  ScfForOp loop = request.loop;
  auto note = [&](InFlightDiagnostic &diag, StringRef what, Value value,
                  std::optional<int64_t> exact) {
    if (exact)
      diag.attachNote(value.getLoc()) << what << " is " << *exact;
    else
      diag.attachNote(value.getLoc()) << what << " is not an exact number";
  };
  if (!request.isFull() && !request.factor) {
    InFlightDiagnostic diag =
        emitCoded(loop, DiagCode::PolicyFactor,
                  "unroll(...) needs a factor that is an exact number when the loop is "
                  "transformed, and this one is not");
    diag.attachNote(loop.getFactor().getLoc()) << "the factor comes from here";
    return diag;
  }
  if (!request.isFull()) {
    InFlightDiagnostic diag = emitCoded(loop, DiagCode::PolicyStep,
                                        "unroll(...) needs a step that is a positive exact number");
    note(diag, "the step", loop.getStep(), request.bounds.step);
    return diag;
  }
  InFlightDiagnostic diag = emitCoded(
      loop, DiagCode::PolicyTripCount,
      "unroll without a factor needs an exact number of iterations, which these bounds do not "
      "give; unroll(%factor) works with any bounds");
  note(diag, "the lower bound", loop.getLower(), request.bounds.lower);
  note(diag, "the upper bound", loop.getUpper(), request.bounds.upper);
  note(diag, "the step", loop.getStep(), request.bounds.step);
  return diag;
}

struct UnrollPass : impl::UnrollBase<UnrollPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<IndexDialect, SCFDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult expand(UnrollRequest &request);
  LogicalResult runRound(bool &again);
  DenseSet<Operation *> changed;
};

/// True when a loop around `loop` will be written out and may make its bounds exact.
bool isInUnrolledLoop(ScfForOp loop) {
  for (auto outer = loop->getParentOfType<ScfForOp>(); outer;
       outer = outer->getParentOfType<ScfForOp>())
    if (outer.getFullUnroll())
      return true;
  return false;
}

LogicalResult UnrollPass::expand(UnrollRequest &request) {
  ScfForOp loop = request.loop;
  if (loop.getDepth())
    return emitCoded(loop, DiagCode::PolicyBody,
                     "'scf.for' still has its pipeline(...), which has to be honoured before "
                     "unrolling");
  if (!request.isDecided())
    return refuse(request);
  if (!request.isFull()) {
    if (*request.factor < 0) {
      InFlightDiagnostic diag = emitCoded(loop, DiagCode::PolicyFactor,
                                          "unroll(...) takes a factor of 0 or more, and "
                                          "this one is ");
      diag << *request.factor;
      diag.attachNote(loop.getFactor().getLoc()) << "the factor comes from here";
      return diag;
    }
    if (*request.factor < 2) {
      clearPolicies(loop);
      return success();
    }
    if (!request.bounds.hasPositiveStep())
      return refuse(request);
  }
  return Unroller(request).run();
}

/// Expands everything that is decided, inner loops first. `again` is set when loops were left that
/// the expansion of an outer one may decide.
LogicalResult UnrollPass::runRound(bool &again) {
  Facts facts(getOperation());
  SmallVector<UnrollRequest> requests;
  getOperation().walk([&](ScfForOp loop) {
    if (loop.hasUnrollRequest())
      requests.emplace_back(loop, facts);
  });
  bool refused = false;
  again = false;
  for (UnrollRequest &request : requests) {
    if (!request.isDecided() && isInUnrolledLoop(request.loop)) {
      again = true;
      continue;
    }
    Operation *symbol = request.loop;
    while (symbol->getParentOp() != getOperation())
      symbol = symbol->getParentOp();
    changed.insert(symbol);
    refused |= failed(expand(request));
  }
  return success(!refused);
}

void UnrollPass::runOnOperation() {
  changed.clear();
  for (bool again = true; again;)
    if (failed(runRound(again)))
      return signalPassFailure();
  getOperation().walk([](ScfForOp loop) {
    if (!loop.getDepth())
      clearPolicies(loop);
  });
  for (Operation &symbol : *getOperation().getBody())
    if (changed.contains(&symbol))
      cleanUpCopies(&symbol);
}

} // namespace
} // namespace loom
