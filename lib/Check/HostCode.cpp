//===- HostCode.cpp - Evaluating scalar programs on the host --------------===//
#include "HostCode.h"
#include "HostNumbers.h"
#include "StatedFacts.h"
#include "Values.h"
#include "loom/Check/Plan.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::Scalar;

/// Calls within calls.
static constexpr unsigned kMaxDepth = 256;

std::string authorName(Value value) {
  StringRef name = getValueName(value);
  return name.empty() ? std::string("a value") : "%" + name.str();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// The values of one run of a body, by slot.
struct HostCode::Frame {
  HostCode &code;
  std::vector<uint64_t> values;
  uint64_t &stepsLeft;
  unsigned depth;
  std::optional<HostProblem> &problem;

  uint64_t operator[](unsigned slot) const { return values[slot]; }
  bool fail(StringRef kind, Operation *op, const Twine &message) {
    problem = HostProblem{kind.str(), op->getLoc(), message.str()};
    return false;
  }
};

/// A decoded block with everything in it but calls.
struct HostCode::Body {
  std::vector<Step> steps;
  unsigned slotCount = 0;
  llvm::SmallVector<unsigned> arguments, results;
  std::optional<HostProblem> unsupported; ///< in this body
  llvm::SmallVector<FuncDefOp> callees;
};

HostCode::HostCode(Options options) : options(options) {}
HostCode::~HostCode() = default;

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

class HostDecoder {
public:
  using Frame = HostCode::Frame;
  using Step = HostCode::Step;

  HostDecoder(const HostCode::Options &options, HostCode::Body &body)
      : options(options), body(body) {}

  void decode(Block &block) {
    for (Value argument : block.getArguments())
      body.arguments.push_back(slotOf(argument));
    body.steps = decodeSteps(block);
    body.results = slotsOf(block.getTerminator()->getOperands());
    body.slotCount = slots.size();
  }

private:
  using Steps = std::vector<Step>;

  unsigned slotOf(Value value) { return slots.try_emplace(value, slots.size()).first->second; }
  SmallVector<unsigned> slotsOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return slotOf(value); });
  }

  Steps decodeSteps(Block &block) {
    Steps steps;
    for (Operation &op : block.without_terminator())
      steps.push_back(decodeOp(&op));
    return steps;
  }
  Step decodeOp(Operation *op);
  Step decodeConstant(Operation *op, Attribute value, Type type);
  Step decodeLanewise(LanewiseOpInterface op);
  Step decodeAssume(Operation *op, ArrayAttr predicates, unsigned inputs);
  Step decodeConfig(ConfigGetOp op);
  Step decodeSelect(ScfSelectOp op);
  Step decodeFor(ScfForOp op);
  Step decodeWhile(ScfWhileOp op);
  Step decodeIf(ScfIfOp op);
  Step decodeSwitch(ScfSwitchOp op);
  Step decodeLookup(ScfLookupOp op);
  Step decodeCall(FuncCallOp op);
  Step decodeFold(Operation *op);
  Step refuse(Operation *op, const Twine &message);
  Step refuse(Operation *op) { return refuse(op, "'" + getTextName(op) + "' " + options.refusal); }

  const HostCode::Options &options;
  HostCode::Body &body;
  DenseMap<Value, unsigned> slots;
};

/// Runs steps one after another.
static bool runSteps(const std::vector<HostDecoder::Step> &steps, HostDecoder::Frame &frame,
                     Operation *at) {
  if (frame.stepsLeft <= steps.size())
    return frame.fail("no_end", at, "the evaluation takes too many steps");
  frame.stepsLeft -= steps.size() + 1;
  for (const HostDecoder::Step &step : steps)
    if (!step(frame))
      return false;
  return true;
}

/// Assigns as if at once.
static void assign(HostDecoder::Frame &frame, ArrayRef<unsigned> to, ArrayRef<unsigned> from) {
  SmallVector<uint64_t, 8> values;
  for (unsigned slot : from)
    values.push_back(frame[slot]);
  for (auto [slot, value] : llvm::zip_equal(to, values))
    frame.values[slot] = value;
}

HostDecoder::Step HostDecoder::refuse(Operation *op, const Twine &message) {
  if (!body.unsupported)
    body.unsupported = HostProblem{"unsupported_op", op->getLoc(), message.str()};
  return
      [op, text = message.str()](Frame &frame) { return frame.fail("unsupported_op", op, text); };
}

HostDecoder::Step HostDecoder::decodeOp(Operation *op) {
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    if (isa<TensorType>(type) || !elementTypeOf(type))
      return refuse(op);
  return llvm::TypeSwitch<Operation *, Step>(op)
      .Case<IndexConstantOp>([&](auto op) {
        return decodeConstant(op, IntegerAttr::get(IndexType::get(op.getContext()), op.getInt()),
                              op.getType());
      })
      .Case<ScalarConstantOp>(
          [&](auto op) { return decodeConstant(op, op.getValue(), op.getType()); })
      .Case<IndexAssumeOp, ScalarAssumeOp>(
          [&](auto op) { return decodeAssume(op, op.getPredicates(), op.getInputs().size()); })
      .Case<ConfigGetOp>([&](auto op) { return decodeConfig(op); })
      .Case<ScfSelectOp>([&](auto op) { return decodeSelect(op); })
      .Case<ScfForOp>([&](auto op) { return decodeFor(op); })
      .Case<ScfWhileOp>([&](auto op) { return decodeWhile(op); })
      .Case<ScfIfOp>([&](auto op) { return decodeIf(op); })
      .Case<ScfSwitchOp>([&](auto op) { return decodeSwitch(op); })
      .Case<ScfLookupOp>([&](auto op) { return decodeLookup(op); })
      .Case<ScfScheduleFenceOp>([](auto) { return [](Frame &) { return true; }; })
      .Case<FuncCallOp>([&](auto op) { return decodeCall(op); })
      .Case<LanewiseOpInterface>([&](auto op) { return decodeLanewise(op); })
      .Default([&](Operation *op) { return decodeFold(op); });
}

HostDecoder::Step HostDecoder::decodeConstant(Operation *op, Attribute value, Type type) {
  unsigned slot = slotOf(op->getResult(0));
  uint64_t bits = scalarOfConstant(value, *elementTypeOf(type)).bits();
  return [slot, bits](Frame &frame) {
    frame.values[slot] = bits;
    return true;
  };
}

HostDecoder::Step HostDecoder::decodeConfig(ConfigGetOp op) {
  auto definition =
      dyn_cast_or_null<ConfigDefOp>(SymbolTable::lookupNearestSymbolFrom(op, op.getConfigAttr()));
  if (!definition)
    return refuse(op, "@" + op.getConfig() + " has no value");
  unsigned slot = slotOf(op.getResult());
  uint64_t bits = scalarOf(definition.getValue(), *elementTypeOf(op.getType())).bits();
  return [slot, bits](Frame &frame) {
    frame.values[slot] = bits;
    return true;
  };
}

HostDecoder::Step HostDecoder::decodeLanewise(LanewiseOpInterface op) {
  std::optional<HostNumber> number = HostNumber::create(op);
  if (!number || (options.exactOnly && !number->isExact()))
    return refuse(op);
  SmallVector<unsigned> operands = slotsOf(op->getOperands());
  unsigned result = slotOf(op->getResult(0));
  return [op, number = *number, operands, result](Frame &frame) mutable {
    SmallVector<uint64_t, 3> bits;
    for (unsigned operand : operands)
      bits.push_back(frame[operand]);
    std::optional<uint64_t> value = number.evaluate(bits);
    if (!value)
      return frame.fail("not_computable", op,
                        "'" + getTextName(op) + "' has no result for these values");
    frame.values[result] = *value;
    return true;
  };
}

HostDecoder::Step HostDecoder::decodeAssume(Operation *op, ArrayAttr predicates, unsigned inputs) {
  SmallVector<unsigned> operands = slotsOf(op->getOperands());
  SmallVector<unsigned> from(llvm::make_range(operands.begin(), operands.begin() + inputs));
  SmallVector<unsigned> to = slotsOf(op->getResults());
  return [=](Frame &frame) {
    SmallVector<std::optional<Scalar>, 4> values;
    for (auto [value, slot] : llvm::zip_equal(op->getOperands(), operands))
      values.push_back(Scalar::fromBits(*elementTypeOf(value.getType()), frame[slot]));
    auto nameOf = [&](unsigned position) { return authorName(op->getOperand(position)); };
    if (auto violation = violatedFact(predicates, values, nameOf))
      return frame.fail("violated_assumption", op, *violation);
    assign(frame, to, from);
    return true;
  };
}

/// An operation that only its folder can evaluate.
HostDecoder::Step HostDecoder::decodeFold(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() == 0 || !isMemoryEffectFree(op) ||
      (op->getNumOperands() == 0 && !op->hasTrait<OpTrait::ConstantLike>()))
    return refuse(op);
  bool isKnown = isa<IndexDialect>(op->getDialect());
  SmallVector<unsigned> operands = slotsOf(op->getOperands()), results = slotsOf(op->getResults());
  return [=, refusal = options.refusal](Frame &frame) {
    SmallVector<Attribute> constants;
    for (auto [slot, value] : llvm::zip_equal(operands, op->getOperands()))
      constants.push_back(attributeOf(
          Scalar::fromBits(*elementTypeOf(value.getType()), frame[slot]), value.getType()));
    // Folders may change their operation in place; the module has to stay as it is.
    Operation *copy = op->clone();
    SmallVector<OpFoldResult> folded;
    LogicalResult status = copy->fold(constants, folded);
    copy->erase();
    if (failed(status) || folded.size() != results.size())
      return isKnown ? frame.fail("not_computable", op,
                                  "'" + getTextName(op) + "' has no result for these values")
                     : frame.fail("unsupported_op", op, "'" + getTextName(op) + "' " + refusal);
    for (auto [slot, value, result] : llvm::zip_equal(results, folded, op->getResults())) {
      auto constant = dyn_cast<Attribute>(value);
      if (!constant) // one of the operands
        constant =
            constants[llvm::find(op->getOperands(), cast<Value>(value)) - op->operand_begin()];
      frame.values[slot] = scalarOfConstant(constant, *elementTypeOf(result.getType())).bits();
    }
    return true;
  };
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

HostDecoder::Step HostDecoder::decodeSelect(ScfSelectOp op) {
  unsigned condition = slotOf(op.getCondition()), yes = slotOf(op.getTrueValue()),
           no = slotOf(op.getFalseValue()), result = slotOf(op.getResult());
  return [=](Frame &frame) {
    frame.values[result] = frame[frame[condition] ? yes : no];
    return true;
  };
}

HostDecoder::Step HostDecoder::decodeFor(ScfForOp op) {
  bool isSigned = isa<IndexType>(op.getLower().getType());
  unsigned lower = slotOf(op.getLower()), upper = slotOf(op.getUpper()),
           step = slotOf(op.getStep());
  Block &block = *op.getBlock();
  SmallVector<unsigned> inits = slotsOf(op.getInits()), carried = slotsOf(block.getArguments());
  unsigned induction = carried.front();
  carried.erase(carried.begin());
  Steps steps = decodeSteps(block);
  SmallVector<unsigned> yields = slotsOf(op.getYield()->getOperands());
  SmallVector<unsigned> results = slotsOf(op.getResults());
  Operation *at = op;
  return [=](Frame &frame) {
    uint64_t i = frame[lower], end = frame[upper], by = frame[step];
    if (isSigned ? static_cast<int64_t>(by) <= 0 : by == 0)
      return frame.fail("not_computable", at, "the step of the loop is not positive");
    auto isBelow = [&](uint64_t a, uint64_t b) {
      return isSigned ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
    };
    assign(frame, carried, inits);
    while (isBelow(i, end)) {
      frame.values[induction] = i;
      if (!runSteps(steps, frame, at))
        return false;
      assign(frame, carried, yields);
      // The last step may leave 64 bits; by then the loop is over.
      if (end - i <= by)
        break;
      i += by;
    }
    assign(frame, results, carried);
    return true;
  };
}

HostDecoder::Step HostDecoder::decodeWhile(ScfWhileOp op) {
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  SmallVector<unsigned> inits = slotsOf(op.getInits());
  SmallVector<unsigned> entering = slotsOf(before.getArguments());
  Steps test = decodeSteps(before);
  auto exit = cast<ScfConditionOp>(before.getTerminator());
  unsigned condition = slotOf(exit.getCondition());
  SmallVector<unsigned> forwarded = slotsOf(exit.getValues());
  SmallVector<unsigned> arguments = slotsOf(after.getArguments());
  Steps steps = decodeSteps(after);
  SmallVector<unsigned> yields = slotsOf(after.getTerminator()->getOperands());
  SmallVector<unsigned> results = slotsOf(op.getResults());
  Operation *at = op;
  return [=](Frame &frame) {
    assign(frame, entering, inits);
    while (true) {
      if (!runSteps(test, frame, at))
        return false;
      if (!frame[condition])
        break;
      assign(frame, arguments, forwarded);
      if (!runSteps(steps, frame, at))
        return false;
      assign(frame, entering, yields);
    }
    assign(frame, results, forwarded);
    return true;
  };
}

namespace {
/// One region that may be chosen, and what it yields.
struct Arm {
  std::vector<HostDecoder::Step> steps;
  SmallVector<unsigned> yields;
};
} // namespace

static bool runArm(const Arm &arm, ArrayRef<unsigned> results, HostDecoder::Frame &frame,
                   Operation *at) {
  if (!runSteps(arm.steps, frame, at))
    return false;
  assign(frame, results, arm.yields);
  return true;
}

HostDecoder::Step HostDecoder::decodeIf(ScfIfOp op) {
  unsigned condition = slotOf(op.getCondition());
  SmallVector<Arm, 2> arms(2);
  for (auto [arm, region] :
       llvm::zip_equal(arms, SmallVector<Region *>{&op.getElseRegion(), &op.getThenRegion()}))
    if (!region->empty())
      arm = {decodeSteps(region->front()), slotsOf(region->front().getTerminator()->getOperands())};
  SmallVector<unsigned> results = slotsOf(op.getResults());
  Operation *at = op;
  return [=](Frame &frame) { return runArm(arms[frame[condition] != 0], results, frame, at); };
}

HostDecoder::Step HostDecoder::decodeSwitch(ScfSwitchOp op) {
  unsigned selector = slotOf(op.getSelector());
  SmallVector<Arm> arms;
  for (Region &region : op.getArms())
    arms.push_back(
        {decodeSteps(region.front()), slotsOf(region.front().getTerminator()->getOperands())});
  SmallVector<int64_t> keys(op.getKeys());
  SmallVector<unsigned> results = slotsOf(op.getResults());
  Operation *at = op;
  return [=](Frame &frame) {
    auto key = llvm::find(keys, static_cast<int64_t>(frame[selector]));
    return runArm(arms[key - keys.begin()], results, frame, at);
  };
}

HostDecoder::Step HostDecoder::decodeLookup(ScfLookupOp op) {
  unsigned selector = slotOf(op.getSelector());
  SmallVector<unsigned> cells = slotsOf(op.getCells()), results = slotsOf(op.getResults());
  SmallVector<int64_t> keys(op.getKeys());
  return [=](Frame &frame) {
    size_t row = llvm::find(keys, static_cast<int64_t>(frame[selector])) - keys.begin();
    assign(frame, results, ArrayRef(cells).slice(row * results.size(), results.size()));
    return true;
  };
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

HostDecoder::Step HostDecoder::decodeCall(FuncCallOp op) {
  auto callee =
      dyn_cast_or_null<FuncDefOp>(SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr()));
  if (!callee)
    return refuse(op, "function @" + op.getCallee() + " is declared and never defined");
  body.callees.push_back(callee);
  SmallVector<unsigned> arguments = slotsOf(op.getArguments()), results = slotsOf(op.getResults());
  Operation *at = op;
  return [=](Frame &frame) mutable {
    if (frame.depth == kMaxDepth)
      return frame.fail("no_end", at,
                        "calls stand within more than " + Twine(kMaxDepth) + " other calls");
    return frame.code.enter(callee, frame, arguments, results);
  };
}

/// Why the body of `function` cannot be run, apart from its operations.
static std::optional<HostProblem> checkFunction(FuncDefOp function) {
  auto problem = [&](const Twine &message) {
    return HostProblem{"unsupported_op", function.getLoc(),
                       ("function @" + function.getSymName() + " " + message).str()};
  };
  if (!function.getBody().hasOneBlock())
    return problem("has several blocks; the host evaluates structured control flow");
  for (Type type : llvm::concat<Type>(cast<SignatureOpInterface>(*function).getSignatureInputs(),
                                      cast<SignatureOpInterface>(*function).getSignatureResults()))
    if (isa<TensorType>(type) || !elementTypeOf(type))
      return problem("has a parameter or result of type " + stringifyType(type) +
                     "; the host evaluates functions of scalars");
  return std::nullopt;
}

bool HostCode::enter(FuncDefOp function, Frame &caller, ArrayRef<unsigned> arguments,
                     ArrayRef<unsigned> results) {
  Block &block = function.getBody().front();
  if (!bodies.contains(&block))
    if (std::optional<HostProblem> problem = checkFunction(function)) {
      caller.problem = std::move(problem);
      return false;
    }
  Body &body = bodyOf(block);
  Frame frame{*this, std::vector<uint64_t>(body.slotCount), caller.stepsLeft, caller.depth + 1,
              caller.problem};
  SmallVector<std::optional<Scalar>, 8> values;
  for (auto [position, slot] : llvm::enumerate(body.arguments)) {
    frame.values[slot] = caller[arguments[position]];
    ElementType type = *elementTypeOf(block.getArgument(position).getType());
    values.push_back(Scalar::fromBits(type, frame[slot]));
  }
  auto nameOf = [&](unsigned position) { return authorName(block.getArgument(position)); };
  if (ArrayAttr where = function.getWhereAttr())
    if (auto violation = violatedFact(where, values, nameOf))
      return frame.fail("violated_assumption", function, *violation);
  if (!runSteps(body.steps, frame, function))
    return false;
  Operation *end = block.getTerminator();
  if (auto failure = dyn_cast<FuncFailOp>(end))
    return frame.fail("failed", end,
                      "@" + function.getSymName() + " fails with " + failure.getStatus());
  for (auto [slot, value] : llvm::zip_equal(results, body.results))
    caller.values[slot] = frame[value];
  return true;
}

HostCode::Body &HostCode::bodyOf(Block &block) {
  std::unique_ptr<Body> &body = bodies[&block];
  if (!body) {
    body = std::make_unique<Body>();
    HostDecoder(options, *body).decode(block);
  }
  return *body;
}

std::optional<HostProblem> HostCode::findUnsupported(Block &block) {
  SmallVector<Block *> pending{&block};
  DenseSet<Block *> seen{&block};
  while (!pending.empty()) {
    Body &body = bodyOf(*pending.pop_back_val());
    if (body.unsupported)
      return body.unsupported;
    for (FuncDefOp callee : body.callees) {
      if (std::optional<HostProblem> problem = checkFunction(callee))
        return problem;
      if (seen.insert(&callee.getBody().front()).second)
        pending.push_back(&callee.getBody().front());
    }
  }
  return std::nullopt;
}

std::optional<HostProblem> HostCode::findUnsupported(FuncDefOp function) {
  if (std::optional<HostProblem> problem = checkFunction(function))
    return problem;
  return findUnsupported(function.getBody().front());
}

std::optional<HostProblem> HostCode::run(Block &block, ArrayRef<uint64_t> arguments,
                                         SmallVectorImpl<uint64_t> &results) {
  Body &body = bodyOf(block);
  std::optional<HostProblem> problem;
  uint64_t stepsLeft = options.maxSteps;
  Frame frame{*this, std::vector<uint64_t>(body.slotCount), stepsLeft, 0, problem};
  for (auto [slot, value] : llvm::zip_equal(body.arguments, arguments))
    frame.values[slot] = value;
  results.clear();
  if (runSteps(body.steps, frame, block.getParentOp()))
    for (unsigned slot : body.results)
      results.push_back(frame[slot]);
  return problem;
}

std::optional<HostProblem> HostCode::call(FuncDefOp function, ArrayRef<uint64_t> arguments,
                                          SmallVectorImpl<uint64_t> &results) {
  std::optional<HostProblem> problem;
  uint64_t stepsLeft = options.maxSteps;
  size_t resultCount = cast<SignatureOpInterface>(*function).getSignatureResults().size();
  Frame outer{*this, std::vector<uint64_t>(arguments.begin(), arguments.end()), stepsLeft, 0,
              problem};
  outer.values.resize(arguments.size() + resultCount);
  SmallVector<unsigned> from = llvm::to_vector(llvm::seq<unsigned>(0, arguments.size()));
  SmallVector<unsigned> to =
      llvm::to_vector(llvm::seq<unsigned>(arguments.size(), outer.values.size()));
  results.clear();
  if (enter(function, outer, from, to))
    results.append(outer.values.begin() + arguments.size(), outer.values.end());
  return problem;
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

FuncDefOp HostFunctions::find(StringRef name) {
  auto [entry, isNew] = functions.try_emplace(name);
  if (isNew)
    entry->second = module.lookupSymbol<FuncDefOp>(name);
  return entry->second;
}

std::optional<std::string> HostFunctions::refuse(StringRef name) {
  FuncDefOp function = find(name);
  if (!function)
    return ("function @" + name + " is declared and never defined").str();
  if (std::optional<HostProblem> problem = code.findUnsupported(function))
    return withPlace(problem->location, problem->message);
  return std::nullopt;
}

llvm::Error HostFunctions::call(StringRef name, ArrayRef<uint64_t> arguments,
                                SmallVectorImpl<uint64_t> &results) {
  if (std::optional<HostProblem> problem = code.call(find(name), arguments, results))
    return llvm::createStringError(withPlace(problem->location, problem->message));
  return llvm::Error::success();
}

} // namespace loom::check
