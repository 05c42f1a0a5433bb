//===- Sample.cpp - One sample of a case, step by step --------------------===//
//
// Many samples of a case differ in a parameter that few of its values depend on. Each source has a
// version: it changes when what the source was made from has other values than in the sample
// before. A source whose version stays is not made again. A tensor that a launch may have written
// is restored from a copy, which is kept from the second such sample on.
//
//===----------------------------------------------------------------------===//
#include "loom/Check/Sample.h"
#include "Expect.h"
#include "Launch.h"
#include "Materialize.h"
#include "Values.h"
#include "loom/Runtime/Npy.h"
#include <cstring>

namespace loom::check {
using namespace mlir;

using runtime::Issue;
using runtime::Scalar;
using runtime::Tensor;

/// Copies of a case take at most this much memory; sources beyond are made again each time.
static constexpr uint64_t kMaxCopies = uint64_t(1) << 30;

struct Sample::State {
  /// What is known of a source from the sample before.
  struct Made {
    bool isMade = false;
    SmallVector<uint64_t> key; ///< values and versions that it was made from
    uint64_t version = 0;      ///< never the same for different values
    std::optional<Tensor> copy;
  };

  State(const CasePlan &plan, runtime::Device &device, const ExecuteOptions &options)
      : plan(plan), options(options), slots(plan), functions(moduleOf(plan)),
        materializer(plan.op, slots, functions, this->options),
        launcher(moduleOf(plan), device, this->options), made(plan.sources.size()) {
    findWritten();
  }

  static ModuleOp moduleOf(const CasePlan &plan) {
    return CheckCaseOp(plan.op)->getParentOfType<ModuleOp>();
  }

  void findWritten();
  SmallVector<uint64_t> keyOf(Operation *op);
  std::optional<Issue> makeSource(Operation *op, Made &state);
  void keepCopy(Operation *op, Made &state);
  void dropCopy(Made &state);
  void write(CheckFileWriteNpyOp op);

  const CasePlan &plan;
  ExecuteOptions options;
  Slots slots;
  HostFunctions functions;
  Materializer materializer;
  Launcher launcher;
  std::vector<Made> made; ///< by source
  DenseMap<Value, uint64_t> versions;
  DenseSet<Value> written; ///< tensors whose storage launches receive
  uint64_t copiedBytes = 0;
  std::vector<PreparedLaunch> launches;
  runtime::EventLog events;
  SampleResult result;
};

Sample::Sample(const CasePlan &plan, runtime::Device &device, const ExecuteOptions &options)
    : state(std::make_unique<State>(plan, device, options)) {}
Sample::~Sample() = default;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A launch may write every tensor argument and everything that shares storage with one.
void Sample::State::findWritten() {
  for (KernelLaunchOp launch : plan.launches)
    for (Value value : launch.getArguments())
      while (value && written.insert(value).second) {
        auto view = value.getDefiningOp<CheckTensorViewOp>();
        value = view ? view.getSource() : Value();
      }
}

SmallVector<uint64_t> Sample::State::keyOf(Operation *op) {
  SmallVector<uint64_t> key;
  for (Value operand : op->getOperands())
    key.push_back(slots.tensor(operand) ? versions.lookup(operand) : slots.scalar(operand).bits());
  return key;
}

void Sample::State::dropCopy(Made &state) {
  if (state.copy)
    copiedBytes -= state.copy->byteSize();
  state.copy.reset();
}

/// Keeps a copy of what was made twice from the same, if it may be made so again.
void Sample::State::keepCopy(Operation *op, Made &state) {
  // To fill a tensor is as fast as to copy one.
  if (op->getNumResults() != 1 || isa<CheckFillOp>(op))
    return;
  const Tensor &tensor = *slots.tensor(op->getResult(0));
  if (copiedBytes + tensor.byteSize() > kMaxCopies)
    return;
  llvm::Expected<Tensor> copy = tensor.clone();
  if (!copy)
    return llvm::consumeError(copy.takeError());
  copiedBytes += copy->byteSize();
  state.copy = std::move(*copy);
}

/// Makes the values of a source, or finds that they are what they were.
std::optional<Issue> Sample::State::makeSource(Operation *op, Made &state) {
  SmallVector<uint64_t> key = keyOf(op);
  bool isSame = state.isMade && state.key == key;
  // A view has the contents of its source, which is made before it.
  bool isStored = isSame && !isa<CheckTensorViewOp>(op) &&
                  llvm::all_of(op->getResults(), [&](Value value) { return slots.tensor(value); });
  if (isStored &&
      llvm::none_of(op->getResults(), [&](Value value) { return written.contains(value); }))
    return std::nullopt;
  if (isStored && state.copy) {
    Tensor &tensor = *slots.tensor(op->getResult(0));
    std::memcpy(tensor.data(), state.copy->data(), tensor.byteSize());
    return std::nullopt;
  }
  state.isMade = false;
  if (std::optional<Issue> issue = materializer.make(op))
    return issue;
  state.isMade = true;
  if (isStored)
    keepCopy(op, state);
  if (isSame)
    return std::nullopt;
  dropCopy(state);
  state.key = std::move(key);
  ++state.version;
  for (Value result : op->getResults())
    versions[result] = state.version;
  return std::nullopt;
}

std::optional<Issue> Sample::materialize(uint64_t ordinal) {
  const CasePlan &plan = state->plan;
  state->launches.clear();
  state->events = {};
  state->result = SampleResult();
  state->result.caseName = plan.name;
  state->result.ordinal = ordinal;
  std::vector<Scalar> bound = plan.parameterValues(ordinal);
  for (auto [parameter, value] : llvm::zip_equal(plan.parameters, bound)) {
    state->slots[parameter.value()] = value;
    state->result.parameters.push_back({parameter.displayName(), value.toText()});
  }
  for (auto [op, made] : llvm::zip_equal(plan.sources, state->made))
    if (std::optional<Issue> issue = state->makeSource(op, made))
      return issue;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::optional<Issue> Sample::prepare() {
  state->launches.clear();
  for (KernelLaunchOp op : state->plan.launches) {
    PreparedLaunch &launch = state->launches.emplace_back();
    launch.op = op;
    launch.kernel = op.getKernel().str();
    for (Value value : op.getWorkload())
      launch.workload.push_back(state->slots.scalar(value));
    for (Value value : op.getArguments())
      launch.arguments.push_back(argumentOf(value, state->slots));
    if (std::optional<Issue> issue = state->launcher.resolve(launch)) {
      state->launches.clear();
      return issue;
    }
  }
  return std::nullopt;
}

ArrayRef<PreparedLaunch> Sample::launches() const { return state->launches; }

std::optional<Issue> Sample::launch() {
  for (const PreparedLaunch &launch : state->launches)
    if (std::optional<Issue> issue = state->launcher.run(launch, state->events))
      return issue;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A file that cannot be written is a failure behind the expectations.
void Sample::State::write(CheckFileWriteNpyOp op) {
  llvm::Error error = runtime::writeNpy(resolvePath(op.getPath(), options.outputFolder),
                                        *slots.tensor(op.getValue()));
  if (!error)
    return;
  ExpectationFailure &failure = result.failures.emplace_back();
  failure.index = result.expectationCount++;
  failure.kind = "none";
  failure.actualId = slots.id(op.getValue());
  failure.detail = llvm::toString(std::move(error));
  failure.location = sourceLocation(op->getLoc());
}

SampleResult Sample::check() {
  State &s = *state;
  evaluateExpectations(s.plan.expectations, s.slots, s.events, s.result);
  bool hasFailed = !s.result.passed();
  for (CheckFileWriteNpyOp op : s.plan.writes)
    if (hasFailed || op.getMode() == WriteMode::always)
      s.write(op);
  return s.result;
}

SampleResult Sample::run(uint64_t ordinal) {
  std::optional<Issue> issue = materialize(ordinal);
  if (!issue)
    issue = prepare();
  if (!issue)
    issue = launch();
  if (!issue)
    return check();
  state->result.issues.push_back(std::move(*issue));
  addUnexpectedEvents(state->events, state->result);
  return state->result;
}

} // namespace loom::check
