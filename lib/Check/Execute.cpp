//===- Execute.cpp - Running planned samples ------------------------------===//
#include "loom/Check/Execute.h"
#include "Values.h"
#include "loom/Check/LaunchConfig.h"
#include "loom/Runtime/Compare.h"

namespace loom::check {
using namespace mlir;

using runtime::Argument;
using runtime::Equality;
using runtime::Issue;
using runtime::Mismatch;
using runtime::Scalar;
using runtime::Tensor;

namespace {
class SampleRunner {
public:
  SampleRunner(const CasePlan &plan, uint64_t ordinal, runtime::Device &device,
               const ExecuteOptions &options)
      : plan(plan), device(device), options(options), values(plan.valueIds.size()) {
    result.caseName = plan.name;
    result.ordinal = ordinal;
  }

  SampleResult run();

private:
  using Slot = std::variant<std::monostate, Scalar, Tensor>;

  void bindParameters();
  LogicalResult materialize(Operation *op);
  llvm::Error fillTensor(Operation *op, Tensor &tensor);
  LogicalResult launch(KernelLaunchOp op);
  KernelDefOp findKernel(KernelLaunchOp op);
  void expect(Operation *op, uint64_t index);
  std::optional<std::string> disagreement(Value actual, Value expected, Equality equality);
  std::string describe(Value actual, Value expected, const Mismatch &mismatch);
  LogicalResult fail(Issue issue) {
    result.issues.push_back(std::move(issue));
    return failure();
  }

  Slot &slot(Value value) { return values[plan.valueIds.lookup(value)]; }
  const Scalar &scalar(Value value) { return std::get<Scalar>(slot(value)); }

  const CasePlan &plan;
  runtime::Device &device;
  const ExecuteOptions &options;
  std::vector<Slot> values; ///< by value id
  SampleResult result;
};
} // namespace

SampleResult SampleRunner::run() {
  bindParameters();
  for (Operation *op : plan.sources)
    if (failed(materialize(op)))
      return std::move(result);
  for (KernelLaunchOp op : plan.launches)
    if (failed(launch(op)))
      return std::move(result);
  result.expectationCount = plan.expectations.size();
  for (auto [index, op] : llvm::enumerate(plan.expectations))
    expect(op, index);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void SampleRunner::bindParameters() {
  std::vector<Scalar> bound = plan.parameterValues(result.ordinal);
  for (auto [parameter, value] : llvm::zip_equal(plan.parameters, bound)) {
    slot(parameter.value()) = value;
    result.parameters.push_back({parameter.displayName(), value.toText()});
  }
}

LogicalResult SampleRunner::materialize(Operation *op) {
  Value value = op->getResult(0);
  if (auto literal = dyn_cast<CheckLiteralOp>(op)) {
    slot(value) = scalarOf(literal.getValue(), *elementTypeOf(literal.getType()));
    return success();
  }
  SmallVector<Value> dims = getDynamicDims(value);
  auto dim = dims.begin();
  SmallVector<int64_t> shape;
  for (int64_t extent : cast<TensorType>(value.getType()).getShape())
    shape.push_back(extent == ShapedType::kDynamic ? scalar(*dim++).toInteger() : extent);

  llvm::Expected<Tensor> tensor =
      Tensor::create(*elementTypeOf(value.getType()), shape, options.placement);
  llvm::Error error = tensor ? fillTensor(op, *tensor) : tensor.takeError();
  if (error) {
    Issue issue;
    issue.stage = "materialize";
    issue.kind = "invalid_value_source";
    issue.message =
        withPlace(op->getLoc(), plan.valueName(value) + ": " + llvm::toString(std::move(error)));
    return fail(std::move(issue));
  }
  slot(value) = std::move(*tensor);
  return success();
}

llvm::Error SampleRunner::fillTensor(Operation *op, Tensor &tensor) {
  if (auto iota = dyn_cast<CheckIotaOp>(op))
    return runtime::generateIota(tensor, iotaOf(iota));
  if (auto fill = dyn_cast<CheckFillOp>(op)) {
    runtime::generateFill(tensor, scalarOf(fill.getValue(), tensor.type()));
    return llvm::Error::success();
  }
  auto uniform = cast<CheckRandomUniformOp>(op);
  return runtime::generateUniform(tensor, uniformOf(uniform),
                                  scalar(uniform.getSeed()).toInteger());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

KernelDefOp SampleRunner::findKernel(KernelLaunchOp op) {
  if (options.resolveKernel)
    if (KernelDefOp kernel = options.resolveKernel(op.getKernel()))
      return kernel;
  return dyn_cast_or_null<KernelDefOp>(
      SymbolTable::lookupNearestSymbolFrom(op, op.getKernelAttr()));
}

LogicalResult SampleRunner::launch(KernelLaunchOp op) {
  SmallVector<Scalar> workload;
  for (Value value : op.getWorkload())
    workload.push_back(scalar(value));
  std::vector<Argument> arguments;
  for (Value value : op.getArguments()) {
    Slot &bound = slot(value);
    if (auto *tensor = std::get_if<Tensor>(&bound))
      arguments.push_back(tensor);
    else
      arguments.push_back(std::get<Scalar>(bound));
  }

  if (std::optional<Issue> issue = device.prepare(op.getKernel()))
    return fail(std::move(*issue));
  KernelDefOp kernel = findKernel(op);
  if (std::optional<Issue> issue = checkWhereClause(kernel, arguments))
    return fail(std::move(*issue));
  LaunchEvaluation evaluation = evaluateLaunchConfig(kernel, workload, device.limits());
  if (evaluation.issue)
    return fail(std::move(*evaluation.issue));
  if (std::optional<Issue> issue = device.launch({op.getKernel(), evaluation.geometry, arguments}))
    return fail(std::move(*issue));
  return success();
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

static std::string shapeText(const Tensor &tensor) {
  std::string text = "[";
  for (int64_t extent : tensor.shape())
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

std::string SampleRunner::describe(Value actual, Value expected, const Mismatch &mismatch) {
  std::string position;
  if (auto *tensor = std::get_if<Tensor>(&slot(actual)))
    position = tensor->position(mismatch.flat);
  auto text = [](const Scalar &value) {
    std::string number = value.toText();
    return runtime::isFloat(value.type()) ? number + " (" + value.toHex() + ")" : number;
  };
  std::string detail = plan.valueName(actual) + position + " is " + text(mismatch.actual) + ", " +
                       plan.valueName(expected) + position + " is " + text(mismatch.expected);
  if (!position.empty())
    detail += "; first of " + std::to_string(mismatch.count) + " mismatches in " +
              std::to_string(mismatch.total) + " elements (flat index " +
              std::to_string(mismatch.flat) + ")";
  return detail;
}

/// Why the values of an expectation differ, or nothing when they agree.
std::optional<std::string> SampleRunner::disagreement(Value actual, Value expected,
                                                      Equality equality) {
  std::optional<Mismatch> mismatch;
  if (auto *tensor = std::get_if<Tensor>(&slot(actual))) {
    const Tensor &other = std::get<Tensor>(slot(expected));
    // Equal types leave dynamic extents open.
    if (tensor->shape() != other.shape())
      return plan.valueName(actual) + " has the shape " + shapeText(*tensor) + ", " +
             plan.valueName(expected) + " has the shape " + shapeText(other);
    mismatch = runtime::compare(*tensor, other, equality);
  } else {
    mismatch = runtime::compare(scalar(actual), scalar(expected), equality);
  }
  if (!mismatch)
    return std::nullopt;
  return describe(actual, expected, *mismatch);
}

void SampleRunner::expect(Operation *op, uint64_t index) {
  Value actual = op->getOperand(0), expected = op->getOperand(1);
  bool bitwise = isa<CheckExpectBitwiseOp>(op);
  std::optional<std::string> detail =
      disagreement(actual, expected, bitwise ? Equality::Bitwise : Equality::Numeric);
  if (!detail)
    return;
  ExpectationFailure failure;
  failure.index = index;
  failure.kind = bitwise ? "bitwise" : "equal";
  failure.actualId = plan.valueIds.lookup(actual);
  failure.expectedId = plan.valueIds.lookup(expected);
  failure.detail = std::move(*detail);
  failure.location = sourceLocation(op->getLoc());
  result.failures.push_back(std::move(failure));
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

SampleResult runSample(const CasePlan &plan, uint64_t ordinal, runtime::Device &device,
                       const ExecuteOptions &options) {
  return SampleRunner(plan, ordinal, device, options).run();
}

llvm::Expected<TestReport> runPlan(const TestPlan &plan, runtime::Device &device,
                                   const ExecuteOptions &options) {
  if (options.sample)
    for (const CasePlan &planned : plan.cases)
      if (planned.sampleCount != 0 && *options.sample >= planned.sampleCount)
        return llvm::createStringError(
            "case @" + planned.name + " has " + Twine(planned.sampleCount) + " sample" +
            (planned.sampleCount == 1 ? "" : "s") + " counted from 0; there is no sample " +
            Twine(*options.sample));
  TestReport report;
  report.caseCount = plan.cases.size();
  report.planningIssues = plan.issues;
  for (const CasePlan &planned : plan.cases) {
    uint64_t first = options.sample.value_or(0);
    uint64_t end = options.sample ? first + 1 : planned.sampleCount;
    // A case with a planning issue has no samples, whichever was asked for.
    for (uint64_t ordinal = first; ordinal < std::min(end, planned.sampleCount); ++ordinal)
      report.samples.push_back(runSample(planned, ordinal, device, options));
  }
  return report;
}

} // namespace loom::check
