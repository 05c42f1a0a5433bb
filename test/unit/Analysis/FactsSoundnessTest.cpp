// Whatever facts claim has to hold for every input: random programs are evaluated on all values of
// two small parameters and compared with the claims.
#include "Program.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include <random>

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

/// Writes a random program over `%n` in [-4, 9] and `%m` in [0, 5].
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  std::string program() {
    names = {"n", "m"};
    emit("%zero = index.constant 0 : index");
    emit("%two = index.constant 2 : index");
    emit("%seven = index.constant 7 : index");
    names.insert(names.end(), {"zero", "two", "seven"});
    block(3);
    return Program::kernel("(%n: index, %m: index) where [range(%n, -4, 9), range(%m, 0, 5)]",
                           text);
  }

private:
  unsigned pick(unsigned count) { return random() % count; }
  std::string any() { return "%" + names[pick(names.size())]; }
  std::string fresh() { return "v" + std::to_string(counter++); }
  void emit(const std::string &line) { text += "  " + line + "\n"; }

  void arithmetic() {
    static const char *const ops[] = {"add", "sub", "mul", "min", "max"};
    std::string name = fresh();
    if (pick(6) == 0)
      emit("%" + name + " = index.madd " + any() + ", " + any() + ", %two : index");
    else
      emit("%" + name + " = index." + ops[pick(5)] + " " + any() + ", " + any() + " : index");
    names.push_back(name);
  }

  std::string condition() {
    static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                             "sge", "ult", "ule", "ugt", "uge"};
    std::string name = fresh();
    emit("%" + name + " = index.cmp " + predicates[pick(10)] + ", " + any() + ", " + any() +
         " : index");
    return "%" + name;
  }

  void nested(unsigned depth) {
    std::string test = condition();
    if (pick(3) == 0) {
      std::string other = condition(), both = fresh();
      emit("%" + both + " = scalar." + (pick(2) ? "andi " : "ori ") + test + ", " + other +
           " : i1");
      test = "%" + both;
    }
    auto scope = names;
    emit("scf.if " + test + " {");
    block(depth - 1);
    names = scope;
    emit("} else {");
    block(depth - 1);
    names = scope;
    emit("}");
  }

  void loop(unsigned depth) {
    auto scope = names;
    std::string iv = fresh(), carried = fresh(), result = fresh(), next = fresh();
    emit("%" + result + " = scf.for %" + iv + " = [%zero to " + any() + " step %two](%" + carried +
         " = " + any() + " : index) -> (index) {");
    names.insert(names.end(), {iv, carried});
    block(depth - 1);
    emit("%" + next + " = index.min " + any() + ", %seven : index");
    emit("scf.yield %" + next + " : index");
    emit("}");
    names = scope;
    names.push_back(result);
  }

  void block(unsigned depth) {
    for (unsigned i = 0; i < 3; ++i) {
      arithmetic();
      if (depth > 0 && pick(2))
        nested(depth);
      else if (depth > 0 && pick(3) == 0)
        loop(depth);
    }
  }

  std::mt19937 random;
  std::string text;
  std::vector<std::string> names;
  unsigned counter = 0;
};

/// What facts say of two operands at one operation. It is the same for every input.
struct Claim {
  Value a, b;
  std::optional<ConstantIntRanges> range; ///< of a
  std::optional<int64_t> difference;      ///< of a - b
  uint64_t divisor;                       ///< of a
  std::vector<std::pair<IntPredicate, Proof>> comparisons;
};

class Claims {
public:
  explicit Claims(const Facts &facts) : facts(facts) {}

  const std::vector<Claim> &of(Operation *op) {
    auto [it, inserted] = claims.try_emplace(op);
    if (inserted)
      for (Value a : op->getOperands())
        for (Value b : op->getOperands())
          if (a.getType().isIndex() && b.getType().isIndex())
            it->second.push_back(make(a, b, op));
    return it->second;
  }

  const Facts &facts;

private:
  Claim make(Value a, Value b, Operation *op) {
    Claim claim{a, b, facts.range(a, op), facts.maxDifference(a, b, op), facts.divisor(a), {}};
    for (IntPredicate predicate : {IntPredicate::slt, IntPredicate::eq, IntPredicate::ule})
      claim.comparisons.push_back({predicate, facts.compare(predicate, a, b, op)});
    return claim;
  }

  llvm::DenseMap<Operation *, std::vector<Claim>> claims;
};

/// Evaluates a program and checks the claims at every operation that is reached.
class Checker {
public:
  explicit Checker(Claims &known) : known(known), facts(known.facts) {}

  void run(Block &block) {
    for (Operation &op : block.without_terminator())
      step(&op);
  }
  void set(Value value, __int128 number) {
    values[value] = number;
    auto range = facts.range(value);
    if (range && !failed) {
      failed |= number < range->smin().getSExtValue() || number > range->smax().getSExtValue();
      EXPECT_FALSE(failed) << getValueName(value).str() << " is " << int64_t(number);
    }
  }

  bool failed = false, overflow = false;
  unsigned claims = 0;

private:
  bool compare(IntPredicate predicate, __int128 a, __int128 b) {
    if (predicate >= IntPredicate::ult) {
      a = uint64_t(int64_t(a));
      b = uint64_t(int64_t(b));
    }
    switch (predicate) {
    case IntPredicate::eq:
      return a == b;
    case IntPredicate::ne:
      return a != b;
    case IntPredicate::slt:
    case IntPredicate::ult:
      return a < b;
    case IntPredicate::sle:
    case IntPredicate::ule:
      return a <= b;
    case IntPredicate::sgt:
    case IntPredicate::ugt:
      return a > b;
    default:
      return a >= b;
    }
  }

  /// Everything that is claimed of the operands at their use.
  void checkUses(Operation *op) {
    for (const Claim &claim : known.of(op)) {
      __int128 a = values[claim.a], b = values[claim.b];
      claims += claim.range.has_value() + claim.difference.has_value();
      if (claim.range)
        failed |= a < claim.range->smin().getSExtValue() || a > claim.range->smax().getSExtValue();
      failed |= claim.difference && a - b > *claim.difference;
      failed |= claim.divisor ? a % __int128(claim.divisor) != 0 : a != 0;
      for (auto [predicate, proof] : claim.comparisons)
        failed |= proof != Proof::Unknown && compare(predicate, a, b) != (proof == Proof::Proven);
    }
    EXPECT_FALSE(failed) << "at " << printSourceText(op);
  }

  void runLoop(ScfForOp loop) {
    __int128 lower = values[loop.getLower()], upper = values[loop.getUpper()];
    __int128 carried = values[loop.getInits()[0]], trips = 0;
    for (__int128 i = lower; i < upper && trips < 64; i += 2, ++trips) {
      set(loop.getInductionVar(), i);
      set(loop.getRegionIterArgs()[0], carried);
      run(*loop.getBlock());
      carried = values[loop.getYield()->getOperand(0)];
    }
    overflow |= trips == 64;
    auto claimed = facts.tripCount(loop.getLower(), loop.getUpper(), loop.getStep(), loop);
    failed |= !overflow && claimed && *claimed != trips;
    EXPECT_FALSE(failed) << "trips of " << printSourceText(loop.getOperation());
    set(loop.getResult(0), carried);
  }

  void step(Operation *op) {
    if (failed || overflow)
      return;
    checkUses(op);
    auto operand = [&](unsigned i) { return values[op->getOperand(i)]; };
    if (auto conditional = dyn_cast<ScfIfOp>(op))
      return run(values[conditional.getCondition()] ? conditional.getThenRegion().front()
                                                    : conditional.getElseRegion().front());
    if (auto loop = dyn_cast<ScfForOp>(op))
      return runLoop(loop);
    __int128 result;
    if (auto constant = dyn_cast<IndexConstantOp>(op))
      result = constant.getInt();
    else if (isa<IndexAddOp>(op))
      result = operand(0) + operand(1);
    else if (isa<IndexSubOp>(op))
      result = operand(0) - operand(1);
    else if (isa<IndexMulOp>(op))
      result = operand(0) * operand(1);
    else if (isa<IndexMaddOp>(op))
      result = operand(0) * operand(1) + operand(2);
    else if (isa<IndexMinOp>(op))
      result = std::min(operand(0), operand(1));
    else if (isa<IndexMaxOp>(op))
      result = std::max(operand(0), operand(1));
    else if (auto cmp = dyn_cast<IndexCmpOp>(op))
      result = compare(cmp.getPredicate(), operand(0), operand(1));
    else
      result = isa<ScalarAndIOp>(op) ? operand(0) & operand(1) : operand(0) | operand(1);
    // Beyond the carrier the language gives no value, so there is nothing to check.
    overflow |= result != int64_t(result);
    if (overflow)
      return;
    values[op->getResult(0)] = result;
    if (op->getResult(0).getType().isInteger(1)) {
      auto exact = facts.exact(op->getResult(0));
      failed |= exact && *exact != int64_t(result);
      EXPECT_FALSE(failed) << printSourceText(op);
    } else {
      set(op->getResult(0), result);
    }
  }

  Claims &known;
  const Facts &facts;
  llvm::DenseMap<Value, __int128> values;
};

TEST(FactsSoundness, ClaimsHoldForEveryInputOfRandomPrograms) {
  unsigned claims = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::string text = Generator(seed).program();
    Program p(text);
    Facts facts(*p.module);
    Claims known(facts);
    Block *body = p.value("n").getParentBlock();
    for (int64_t n = -4; n <= 9; ++n)
      for (int64_t m = 0; m <= 5; ++m) {
        Checker checker(known);
        checker.set(p.value("n"), n);
        checker.set(p.value("m"), m);
        checker.run(*body);
        claims += checker.claims;
        ASSERT_FALSE(checker.failed) << "seed " << seed << ", n " << n << ", m " << m << "\n"
                                     << text;
      }
  }
  // The claims are there to be checked.
  EXPECT_GT(claims, 100000u);
}

} // namespace
