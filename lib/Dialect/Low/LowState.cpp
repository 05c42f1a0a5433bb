//===- LowState.cpp - Values of physical state that are lost --------------===//
//
// There is one SCC, one VCC and one M0, and nothing allocates or saves them: a value of such a
// class is gone when the next instruction writes that state, as its result or on the side. A use
// after that would read something else, so it is refused.
//
// Forward along the blocks: what is known where a block begins is what all ways to it agree on. It
// only ever becomes less, so each block is gone through a few times at most, however deeply loops
// are nested.
//
//===----------------------------------------------------------------------===//
#include "LowText.h"
#include "loom/IR/SourceInfo.h"
#include <array>

namespace loom {
using namespace mlir;

namespace {

struct StateClass {
  StringLiteral key;
  uint8_t implicit; ///< of ImplicitRegister
};

constexpr StateClass kStates[] = {{"amdgpu.scc", ImplicitRegister::SCC},
                                  {"amdgpu.vcc", ImplicitRegister::VCC},
                                  {"amdgpu.m0", ImplicitRegister::M0}};
constexpr unsigned kNumStates = std::size(kStates);
constexpr unsigned kSCC = 0, kVCC = 1;

/// What one state holds.
struct Held {
  Value value; ///< null: of no value, or of different ones on different ways
  /// What wrote it; where ways differ, one for each of two.
  Operation *writer = nullptr, *otherWriter = nullptr;
};

using States = std::array<Held, kNumStates>;

class StateCheck {
public:
  explicit StateCheck(Region &body) : body(body) {}

  LogicalResult run();

private:
  /// One block: what is known where it begins and where it ends.
  struct Visit {
    States in, out;
  };

  Value rootOf(Value value);
  void hold(States &states, Value value, Operation *writer);
  void rename(States &states, ValueRange values, Operation *writer);
  bool enter(Block &block, States states);
  std::optional<States> follow(Region &region, const States &states, bool *changed = nullptr);
  void step(Operation &op, States &states);
  void stepFor(LowForOp loop, States &states);
  void stepWhile(LowWhileOp loop, States &states);
  void stepIf(LowIfOp choice, States &states);
  void checkUses(Region &region);
  void report(OpOperand &use, const Held &held);

  Region &body;
  llvm::DenseMap<Block *, Visit> visits;
  llvm::DenseMap<Value, Value> roots;
  bool checking = false;
  llvm::DenseSet<Value> reported;
};

} // namespace

//===----------------------------------------------------------------------===//
// What the states hold
//===----------------------------------------------------------------------===//

/// The number of the state that values of `type` are in, or nullopt.
static std::optional<unsigned> stateOf(Type type) {
  if (auto reg = dyn_cast<RegisterType>(type))
    for (unsigned i = 0; i < kNumStates; ++i)
      if (reg.getClassKey() == kStates[i].key)
        return i;
  return std::nullopt;
}

static void lose(States &states, unsigned state, Operation *writer) {
  states[state] = {Value(), writer, nullptr};
}

/// Adds another way, on which `states` are known; says whether less is known now.
static bool join(States &known, const States &states) {
  bool changed = false;
  for (auto [into, from] : llvm::zip(known, states)) {
    if (!into.value || into.value == from.value)
      continue;
    changed = true;
    into = {Value(), from.writer, into.writer};
  }
  return changed;
}

/// The value that was written: assume operations, and copies within a state, only name it anew.
Value StateCheck::rootOf(Value value) {
  if (!stateOf(value.getType()))
    return value;
  SmallVector<Value> chain;
  Value root = value;
  while (!roots.contains(root)) {
    roots[root] = root; // ends a cycle, which is reported elsewhere
    chain.push_back(root);
    Operation *op = root.getDefiningOp();
    if (!isa_and_nonnull<LowAssumeOp, LowCopyOp, LowMoveOp>(op))
      break;
    unsigned position = cast<OpResult>(root).getResultNumber();
    if (position >= op->getNumOperands() || op->getOperand(position).getType() != root.getType())
      break;
    root = op->getOperand(position);
  }
  root = roots[root];
  for (Value link : chain)
    roots[link] = root;
  return root;
}

/// `value` is what its state, if it is in one, holds from now on.
void StateCheck::hold(States &states, Value value, Operation *writer) {
  if (std::optional<unsigned> state = stateOf(value.getType()))
    states[*state] = {rootOf(value), writer, nullptr};
}

/// `values` stand for what the states hold already: arguments of a block, results of a choice. What
/// is passed for them is checked where it is passed.
void StateCheck::rename(States &states, ValueRange values, Operation *writer) {
  for (Value value : values)
    if (std::optional<unsigned> state = stateOf(value.getType()); state && states[*state].value)
      hold(states, value, writer);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void StateCheck::stepFor(LowForOp loop, States &states) {
  // The loop's own comparison; that of vector registers is a mask, too.
  auto compare = [&](States &at) {
    auto reg = dyn_cast<RegisterType>(loop.getLower().getType());
    lose(at, kSCC, loop);
    if (!reg || reg.getClassKey() != "amdgpu.sgpr")
      lose(at, kVCC, loop);
  };
  compare(states);
  bool changed = true;
  std::optional<States> end = follow(loop.getBody(), states);
  while (end && changed) {
    compare(*end);
    end = follow(loop.getBody(), *end, &changed);
  }
  rename(states, loop.getResults(), loop);
  if (!end)
    return;
  compare(*end);
  rename(*end, loop.getResults(), loop);
  join(states, *end);
}

void StateCheck::stepWhile(LowWhileOp loop, States &states) {
  bool changed = true;
  std::optional<States> decided = follow(loop.getBefore(), states);
  while (decided && changed) {
    std::optional<States> end = follow(loop.getAfter(), *decided);
    if (!end)
      break;
    decided = follow(loop.getBefore(), *end, &changed);
  }
  if (decided)
    states = *decided;
  rename(states, loop.getResults(), loop);
}

void StateCheck::stepIf(LowIfOp choice, States &states) {
  std::optional<States> first = follow(choice.getThenRegion(), states), second = states;
  if (!choice.getElseRegion().empty())
    second = follow(choice.getElseRegion(), states);
  for (std::optional<States> *way : {&first, &second})
    if (*way)
      rename(**way, choice.getResults(), choice);
  if (first && second)
    join(*first, *second);
  if (first || second)
    states = first ? *first : *second;
}

void StateCheck::step(Operation &op, States &states) {
  if (checking) {
    for (OpOperand &use : op.getOpOperands())
      if (auto state = stateOf(use.get().getType());
          state && states[*state].value != rootOf(use.get()))
        report(use, states[*state]);
    for (Region &region : op.getRegions())
      checkUses(region);
  }
  if (auto loop = dyn_cast<LowForOp>(op))
    return stepFor(loop, states);
  if (auto loop = dyn_cast<LowWhileOp>(op))
    return stepWhile(loop, states);
  if (auto choice = dyn_cast<LowIfOp>(op))
    return stepIf(choice, states);
  auto instruction = dyn_cast<LowOpOp>(op);
  const Descriptor *descriptor = instruction ? getDescriptor(instruction) : nullptr;
  for (unsigned state = 0; state < kNumStates; ++state)
    if (isa<LowFuncCallOp>(op) ||
        (descriptor && descriptor->implicitDefs & kStates[state].implicit))
      lose(states, state, &op);
  for (Value result : op.getResults())
    if (rootOf(result) == result)
      hold(states, result, &op);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Another way to the begin of `block`; says whether less is known there now.
bool StateCheck::enter(Block &block, States states) {
  rename(states, block.getArguments(), nullptr);
  auto [it, isNew] = visits.try_emplace(&block);
  if (!isNew)
    return join(it->second.in, states);
  it->second.in = states;
  return true;
}

/// Another way into `region`; `changed` receives whether less is known in it now. Returns what is
/// known at its end, nullopt when there is no way to it.
std::optional<States> StateCheck::follow(Region &region, const States &states, bool *changed) {
  if (region.empty())
    return std::nullopt;
  SmallVector<Block *> work;
  if (enter(region.front(), states))
    work.push_back(&region.front());
  if (changed)
    *changed = !work.empty();
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    States now = visits[block].in;
    for (Operation &op : *block)
      step(op, now);
    visits[block].out = now;
    for (Block *next : block->getSuccessors())
      if (enter(*next, now))
        work.push_back(next);
  }
  std::optional<States> end;
  for (Block &block : region) {
    auto visit = visits.find(&block);
    if (visit == visits.end() || !block.hasNoSuccessors())
      continue;
    if (end)
      join(*end, visit->second.out);
    else
      end = visit->second.out;
  }
  return end;
}

/// Reports the uses in `region` whose values are lost, now that all is known.
void StateCheck::checkUses(Region &region) {
  for (Block &block : region) {
    auto visit = visits.find(&block);
    if (visit == visits.end())
      continue;
    States now = visit->second.in;
    for (Operation &op : block)
      step(op, now);
  }
}

void StateCheck::report(OpOperand &use, const Held &held) {
  Value value = use.get();
  if (!reported.insert(rootOf(value)).second)
    return;
  InFlightDiagnostic diag = emitCoded(use.getOwner(), DiagCode::DominanceConsumed, "'%");
  diag << getValueName(value) << "' is lost: " << value.getType()
       << " is written again before this use; use it before that, or copy it to a register";
  Operation *definition = rootOf(value).getDefiningOp();
  for (Operation *writer : {held.writer, held.otherWriter}) {
    if (!writer || writer == definition)
      continue;
    auto instruction = dyn_cast<LowOpOp>(writer);
    diag.attachNote(writer->getLoc())
        << "'" << (instruction ? instruction.getDescriptor().str() : getTextName(writer).str())
        << "' writes it here";
    return;
  }
}

LogicalResult StateCheck::run() {
  States states;
  for (BlockArgument argument : body.getArguments())
    hold(states, argument, nullptr);
  follow(body, states);
  checking = true;
  checkUses(body);
  return success(reported.empty());
}

LogicalResult verifyStates(Region &body) { return StateCheck(body).run(); }

} // namespace loom
