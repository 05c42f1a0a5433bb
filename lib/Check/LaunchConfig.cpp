//===- LaunchConfig.cpp - Evaluating the geometry of a launch -------------===//
#include "loom/Check/LaunchConfig.h"
#include "Values.h"
#include "loom/Check/Plan.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/SourceInfo.h"

namespace loom::check {
using namespace mlir;

using runtime::Issue;
using runtime::Scalar;

static Issue makeIssue(StringRef kind, Location location, const Twine &message) {
  Issue issue;
  issue.stage = "launch_config";
  issue.kind = kind.str();
  issue.message = withPlace(location, message);
  return issue;
}

static std::string authorName(Value value) {
  StringRef name = getValueName(value);
  return name.empty() ? std::string("a value") : "%" + name.str();
}

/// A sentence when `value` is outside of the literal bounds that `predicates` state for the value
/// at `position`.
static std::optional<std::string> violatedBounds(ArrayAttr predicates, unsigned position,
                                                 int64_t value, StringRef name) {
  std::optional<ConstantIntRanges> bounds = rangeFromPredicates(predicates, position, 64);
  if (!bounds || (bounds->smin().sle(value) && bounds->smax().sge(value)))
    return std::nullopt;
  return (name + " is " + Twine(value) + "; it was stated to be from " +
          Twine(bounds->smin().getSExtValue()) + " to " + Twine(bounds->smax().getSExtValue()))
      .str();
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

namespace {
class Interpreter {
public:
  void bind(Value value, Attribute constant) { constants[value] = constant; }
  int64_t integer(Value value) const {
    return cast<IntegerAttr>(constants.lookup(value)).getValue().getSExtValue();
  }
  /// Evaluates the operations before the terminator of `block`.
  LogicalResult run(Block &block);

  std::optional<Issue> issue;

private:
  LogicalResult evaluate(Operation *op);
  LogicalResult evaluateAssume(IndexAssumeOp op);
  LogicalResult evaluateConfig(ConfigGetOp op);
  LogicalResult evaluateIf(ScfIfOp op);
  LogicalResult evaluateRegion(Operation *op, Region &region);
  LogicalResult fold(Operation *op);
  LogicalResult fail(StringRef kind, Operation *op, const Twine &message) {
    issue = makeIssue(kind, op->getLoc(), message);
    return failure();
  }

  DenseMap<Value, Attribute> constants;
};
} // namespace

LogicalResult Interpreter::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  return success();
}

LogicalResult Interpreter::evaluate(Operation *op) {
  if (auto assume = dyn_cast<IndexAssumeOp>(op))
    return evaluateAssume(assume);
  if (auto get = dyn_cast<ConfigGetOp>(op))
    return evaluateConfig(get);
  if (auto branch = dyn_cast<ScfIfOp>(op))
    return evaluateIf(branch);
  if (auto choice = dyn_cast<ScfSwitchOp>(op))
    return evaluateRegion(op, choice.getArmOf(integer(choice.getSelector())));
  if (op->getNumRegions() != 0 || op->getNumResults() == 0)
    return fail("unsupported_op", op,
                "'" + getTextName(op) + "' is not computed in a launch configuration");
  return fold(op);
}

LogicalResult Interpreter::evaluateAssume(IndexAssumeOp op) {
  for (auto [position, input, result] : llvm::enumerate(op.getInputs(), op.getResults())) {
    if (auto violation =
            violatedBounds(op.getPredicates(), position, integer(input), authorName(input)))
      return fail("violated_assumption", op, *violation);
    bind(result, constants.lookup(input));
  }
  return success();
}

LogicalResult Interpreter::evaluateConfig(ConfigGetOp op) {
  auto definition =
      dyn_cast_or_null<ConfigDefOp>(SymbolTable::lookupNearestSymbolFrom(op, op.getConfigAttr()));
  if (!definition)
    return fail("unsupported_op", op, "@" + op.getConfig() + " has no value");
  std::optional<runtime::ElementType> type = elementTypeOf(op.getType());
  if (!type)
    return fail("unsupported_op", op,
                "a configuration value of type " + stringifyType(op.getType()) +
                    " is not computed in a launch configuration");
  bind(op.getResult(), attributeOf(scalarOf(definition.getValue(), *type), op.getType()));
  return success();
}

LogicalResult Interpreter::evaluateIf(ScfIfOp op) {
  bool condition = !cast<IntegerAttr>(constants.lookup(op.getCondition())).getValue().isZero();
  Region &region = condition ? op.getThenRegion() : op.getElseRegion();
  return region.empty() ? success() : evaluateRegion(op, region);
}

/// Runs the region that `op` has chosen; its results are what the region yields.
LogicalResult Interpreter::evaluateRegion(Operation *op, Region &region) {
  if (failed(run(region.front())))
    return failure();
  Operation *yield = region.front().getTerminator();
  for (auto [result, value] : llvm::zip(op->getResults(), yield->getOperands()))
    bind(result, constants.lookup(value));
  return success();
}

LogicalResult Interpreter::fold(Operation *op) {
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(constants.lookup(operand));
  // Folders may change their operation in place; the module has to stay as it is.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  LogicalResult folded = copy->fold(operands, results);
  copy->erase();
  if (failed(folded) || results.size() != op->getNumResults()) {
    bool isKnown = op->hasTrait<OpTrait::ConstantLike>() || isa<IndexDialect>(op->getDialect());
    return isKnown ? fail("not_computable", op,
                          "'" + getTextName(op) + "' has no result for these values")
                   : fail("unsupported_op", op,
                          "'" + getTextName(op) + "' is not computed in a launch configuration");
  }
  for (auto [result, value] : llvm::zip(op->getResults(), results)) {
    auto constant = dyn_cast<Attribute>(value);
    bind(result, constant ? constant : constants.lookup(cast<Value>(value)));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

LaunchEvaluation evaluateLaunchConfig(KernelDefOp kernel, ArrayRef<Scalar> workload,
                                      const runtime::LaunchLimits &limits) {
  LaunchEvaluation evaluation;
  Interpreter interpreter;
  Block &block = kernel.getConfig().front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), workload))
    interpreter.bind(argument, attributeOf(value, argument.getType()));
  if (failed(interpreter.run(block))) {
    evaluation.issue = std::move(interpreter.issue);
    return evaluation;
  }

  auto config = cast<KernelLaunchConfigOp>(block.getTerminator());
  for (unsigned i = 0; i < 3; ++i) {
    evaluation.geometry.workgroups[i] = interpreter.integer(config->getOperand(i));
    evaluation.geometry.workgroupSize[i] = interpreter.integer(config->getOperand(3 + i));
  }
  for (Value extent : config.getClusterSize())
    if (interpreter.integer(extent) != 1)
      evaluation.issue = makeIssue("unsupported_cluster", config->getLoc(),
                                   "clusters of workgroups cannot be launched on this device");
  if (config.getDynamicWorkgroupStorage())
    evaluation.issue = makeIssue("unsupported_workgroup_storage", config->getLoc(),
                                 "dynamic workgroup memory cannot be launched on this device");
  if (auto violation = runtime::violatedLimit(evaluation.geometry, limits))
    evaluation.issue = makeIssue("invalid_geometry", config->getLoc(), *violation);
  return evaluation;
}

std::optional<Issue> checkWhereClause(KernelDefOp kernel, ArrayRef<runtime::Argument> arguments) {
  if (!kernel.getWhereAttr())
    return std::nullopt;
  for (auto [position, argument] : llvm::enumerate(arguments)) {
    auto *scalar = std::get_if<Scalar>(&argument);
    if (!scalar || runtime::isFloat(scalar->type()))
      continue;
    std::string name = authorName(kernel.getBody().getArgument(position));
    if (auto violation = violatedBounds(kernel.getWhereAttr(), position, scalar->toInteger(), name))
      return makeIssue("violated_where", kernel.getLoc(), *violation);
  }
  return std::nullopt;
}

} // namespace loom::check
