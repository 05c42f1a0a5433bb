//===- Scenario.cpp - Running trials --------------------------------------===//
#include "Scenario.h"
#include "Expect.h"
#include "Planner.h"
#include "Values.h"

namespace loom::check {
using namespace mlir;

using runtime::Argument;
using runtime::Scalar;
using runtime::Tensor;

ScenarioRunner::ScenarioRunner(const ScenarioPlan &plan, runtime::Device &device,
                               const ExecuteOptions &options)
    : plan(plan), options(options), module(CheckScenarioOp(plan.op)->getParentOfType<ModuleOp>()),
      slots(plan), functions(module), materializer(plan.op, slots, functions, this->options),
      launcher(module, device, this->options) {}

runtime::Issue ScenarioRunner::trouble(Operation *op, llvm::Error error) {
  runtime::Issue issue;
  issue.stage = "materialize";
  issue.kind = "invalid_invocation";
  issue.message = withPlace(op->getLoc(), llvm::toString(std::move(error)));
  return issue;
}

//===----------------------------------------------------------------------===//
// Configurations and trials
//===----------------------------------------------------------------------===//

ScenarioRunner::Issue ScenarioRunner::makeSources(ArrayRef<Operation *> sources) {
  for (Operation *op : sources)
    if (Issue issue = materializer.make(op))
      return issue;
  return std::nullopt;
}

/// The ordinal and the entropy that a repetition passes to its body.
static void bindArguments(Region &region, uint64_t ordinal, Entropy entropy, Slots &slots) {
  if (region.getNumArguments() == 0)
    return;
  slots[region.getArgument(0)] = Scalar::fromBits(runtime::ElementType::Index, ordinal);
  slots[region.getArgument(1)] = entropy;
}

ScenarioRunner::Issue ScenarioRunner::configure(uint64_t ordinal) {
  if (configured == ordinal)
    return std::nullopt;
  configured.reset();
  configuration = Entropy().fork("configuration", ordinal);
  bindArguments(CheckScenarioOp(plan.op).getBody(), ordinal, configuration, slots);
  if (Issue issue = makeSources(plan.sources))
    return issue;
  configured = ordinal;
  return std::nullopt;
}

TrialResult ScenarioRunner::run(uint64_t ordinal) {
  result = TrialResult();
  result.scenario = plan.name;
  result.ordinal = ordinal;
  result.configuration = ordinal / plan.trialsPerConfiguration;
  result.index = ordinal % plan.trialsPerConfiguration;
  size_t position = 0;
  while (result.index >= uint64_t(CheckTrialOp(plan.trials[position].op).getTrials()))
    result.index -= CheckTrialOp(plan.trials[position++].op).getTrials();
  const TrialPlan &trial = plan.trials[position];

  Issue issue = configure(result.configuration);
  Entropy entropy = configuration.fork("trial", position).fork("index", result.index);
  result.entropy = entropy.key;
  events = {};
  if (!issue) {
    bindArguments(CheckTrialOp(trial.op).getBody(), result.index, entropy, slots);
    issue = makeSources(trial.sources);
  }
  if (!issue)
    issue = runSubject(trial.subject);
  if (issue)
    result.issues.push_back(std::move(*issue));
  return result;
}

ScenarioRunner::Issue ScenarioRunner::runSubject(Operation *subject) {
  if (auto compare = dyn_cast<CheckCompareOp>(subject))
    return runCompare(compare);
  return runInvoke(cast<CheckInvokeOp>(subject));
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

llvm::Expected<ScenarioRunner::Inputs> ScenarioRunner::copyInputs(OperandRange workload,
                                                                  OperandRange arguments) {
  Inputs inputs;
  for (Value value : workload)
    inputs.workload.push_back(slots.scalar(value));
  for (Value value : arguments) {
    Tensor *tensor = slots.tensor(value);
    if (!tensor) {
      inputs.arguments.push_back(slots.scalar(value));
      continue;
    }
    llvm::Expected<Tensor> copy = tensor->clone(options.placement);
    if (!copy)
      return copy.takeError();
    inputs.tensors.push_back(std::make_unique<Tensor>(std::move(*copy)));
    inputs.arguments.push_back(inputs.tensors.back().get());
  }
  return inputs;
}

ScenarioRunner::Issue ScenarioRunner::runKernel(StringRef kernel, const Inputs &inputs) {
  PreparedLaunch launch;
  launch.kernel = kernel.str();
  launch.workload = inputs.workload;
  launch.arguments = inputs.arguments;
  if (Issue issue = launcher.resolve(launch))
    return issue;
  return launcher.run(launch, events);
}

/// Runs the entry kernel of a function and reads its results.
ScenarioRunner::Issue ScenarioRunner::runOnTarget(FuncDefOp function, const Inputs &inputs,
                                                  SmallVectorImpl<uint64_t> &results) {
  SmallVector<Type> types = cast<SignatureOpInterface>(*function).getSignatureResults();
  llvm::Expected<Tensor> stored = Tensor::create(
      runtime::ElementType::I64, {static_cast<int64_t>(types.size())}, options.placement);
  if (!stored)
    return trouble(function, stored.takeError());
  PreparedLaunch launch;
  launch.kernel = (function.getSymName() + ".check_entry").str();
  launch.arguments = inputs.arguments;
  launch.arguments.push_back(&*stored);
  if (Issue issue = launcher.resolve(launch))
    return issue;
  if (Issue issue = launcher.run(launch, events))
    return issue;
  for (auto [i, type] : llvm::enumerate(types))
    results.push_back(Scalar::fromBits(*elementTypeOf(type), stored->get(i).bits()).bits());
  return std::nullopt;
}

ScenarioRunner::Issue ScenarioRunner::runInvoke(CheckInvokeOp op) {
  llvm::Expected<Inputs> inputs = copyInputs(op.getWorkload(), op.getArguments());
  if (!inputs)
    return trouble(op, inputs.takeError());
  SmallVector<uint64_t> results;
  auto function = module.lookupSymbol<FuncDefOp>(op.getSubject());
  Issue issue =
      function ? runOnTarget(function, *inputs, results) : runKernel(op.getSubject(), *inputs);
  if (!issue)
    evaluateExpectations({}, slots, events, result);
  return issue;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

ScenarioRunner::Issue ScenarioRunner::compareFunctions(CheckCompareOp op) {
  auto function = module.lookupSymbol<FuncDefOp>(op.getSubject());
  llvm::Expected<Inputs> inputs = copyInputs(op.getWorkload(), op.getArguments());
  if (!inputs)
    return trouble(op, inputs.takeError());
  SmallVector<uint64_t> actual, expected, arguments;
  if (Issue issue = runOnTarget(function, *inputs, actual))
    return issue;
  for (Value value : op.getArguments())
    arguments.push_back(slots.scalar(value).bits());
  StringRef oracle = op.getOracle().value_or(op.getSubject());
  if (llvm::Error error = functions.call(oracle, arguments, expected))
    return trouble(op, std::move(error));
  SmallVector<Operation *> expectations;
  if (!op.getBody().empty()) {
    Block &block = op.getBody().front();
    for (auto [i, bits] : llvm::enumerate(actual)) {
      runtime::ElementType type = *elementTypeOf(block.getArgument(2 * i).getType());
      slots[block.getArgument(2 * i)] = Scalar::fromBits(type, bits);
      slots[block.getArgument(2 * i + 1)] = Scalar::fromBits(type, expected[i]);
    }
    for (Operation &expectation : block)
      expectations.push_back(&expectation);
  }
  evaluateExpectations(expectations, slots, events, result);
  return std::nullopt;
}

/// Both kernels run on copies of their own; then each tensor has to have the same bits in both.
ScenarioRunner::Issue ScenarioRunner::compareKernels(CheckCompareOp op) {
  Inputs copies[2];
  for (Inputs &inputs : copies) {
    llvm::Expected<Inputs> made = copyInputs(op.getWorkload(), op.getArguments());
    if (!made)
      return trouble(op, made.takeError());
    inputs = std::move(*made);
  }
  if (Issue issue = runKernel(op.getSubject(), copies[0]))
    return issue;
  if (Issue issue = runKernel(*op.getOracle(), copies[1]))
    return issue;
  evaluateExpectations({}, slots, events, result);
  auto actual = copies[0].tensors.begin(), expected = copies[1].tensors.begin();
  for (Value value : op.getArguments()) {
    if (!slots.tensor(value))
      continue;
    std::string name = slots.name(value);
    uint64_t index = result.expectationCount++;
    std::optional<std::string> detail =
        differenceInBits(**actual++, name, **expected++, name + " of @" + op.getOracle()->str());
    if (!detail)
      continue;
    ExpectationFailure &failure = result.failures.emplace_back();
    failure.index = index;
    failure.kind = "bitwise";
    failure.actualId = failure.expectedId = slots.id(value);
    failure.detail = std::move(*detail);
    failure.location = sourceLocation(op->getLoc());
  }
  return std::nullopt;
}

ScenarioRunner::Issue ScenarioRunner::runCompare(CheckCompareOp op) {
  return module.lookupSymbol<FuncDefOp>(op.getSubject()) ? compareFunctions(op)
                                                         : compareKernels(op);
}

} // namespace loom::check
