// Whatever the uniformity analysis claims has to hold: random kernels are run for every work-item
// by itself, and what the work-items saw is compared with the claims.
#include "Program.h"
#include "loom/Analysis/Uniformity.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/View/View.h"
#include <map>
#include <random>

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

using Extents = std::array<int64_t, 3>;
constexpr int64_t kSubgroupSize = 8, kGroupId = 2;
constexpr unsigned kMaxTrips = 12;

/// Writes a random kernel over `%n` that reads a table and memory of the work-item.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  std::string body() {
    emit("%zero = index.constant 0 : index");
    emit("%one = index.constant 1 : index");
    emit("%three = index.constant 3 : index");
    emit("%minus = index.constant -2 : index");
    emit("%pitch = index.constant 4 : offset");
    emit("%bytes = index.constant 64 : offset");
    emit("%x = kernel.workitem.id<x> : index");
    emit("%y = kernel.workitem.id<y> : index");
    emit("%z = kernel.workitem.id<z> : index");
    emit("%dx = kernel.workitem.dispatch.id<x> : index");
    emit("%dy = kernel.workitem.dispatch.id<y> : index");
    emit("%lane = kernel.subgroup.lane.id : index");
    emit("%subgroup = kernel.subgroup.id : index");
    emit("%group = kernel.workgroup.id<y> : index");
    emit("%wide = kernel.workgroup.size<x> : index");
    emit("%far = index.scale %dx, %pitch : index, offset -> offset");
    emit("%place = index.cast %far : offset to index");
    emit("%table = buffer.view %data[%pitch] : buffer -> view<64xi32>");
    emit("%frame = buffer.alloca<private> align(4) %bytes : buffer");
    emit("%own = buffer.view %frame[%pitch] : buffer -> view<8xi32>");
    names = {"n", "zero", "one",  "three",    "minus", "x",    "y",     "z",
             "x", "dx",   "lane", "subgroup", "group", "wide", "place", "dy"};
    block(2);
    if (pick(2)) {
      emit("kernel.exit " + condition() + " : i1");
      block(1);
    }
    return text;
  }

private:
  unsigned pick(unsigned count) { return random() % count; }
  std::string any() { return "%" + names[pick(names.size())]; }
  std::string constant() {
    static const char *const constants[] = {"%zero", "%one", "%three", "%minus"};
    return constants[pick(4)];
  }
  std::string fresh() { return "v" + std::to_string(counter++); }
  void emit(const std::string &line) { text += "  " + line + "\n"; }

  void arithmetic() {
    static const char *const ops[] = {"add", "sub", "add", "sub", "min", "max", "mul"};
    std::string name = fresh();
    switch (pick(8)) {
    case 0:
      emit("%" + name + " = index.madd " + any() + ", " + constant() + ", " + any() + " : index");
      break;
    case 1:
      emit("%" + name + " = index.mul " + any() + ", " + constant() + " : index");
      break;
    case 2:
      emit("%" + name + " = scf.select " + condition() + ", " + any() + ", " + any() + " : index");
      break;
    case 3:
      emit("%" + name + "w = view.load " +
           (pick(2) ? "%own[" + any() + "] : view<8xi32> -> i32"
                    : "%table[" + any() + "] : view<64xi32> -> i32"));
      emit("%" + name + " = index.cast %" + name + "w : i32 to index");
      break;
    default:
      emit("%" + name + " = index." + ops[pick(7)] + " " + any() + ", " + any() + " : index");
    }
    names.push_back(name);
  }

  std::string condition() {
    static const char *const predicates[] = {"eq", "ne", "slt", "sge"};
    std::string name = fresh();
    emit("%" + name + " = index.cmp " + predicates[pick(4)] + ", " + any() + ", " + any() +
         " : index");
    return "%" + name;
  }

  void yield(unsigned count) {
    std::string values, types;
    for (unsigned i = 0; i < count; ++i) {
      values += (i ? ", " : "") + any();
      types += i ? ", index" : "index";
    }
    emit("scf.yield " + values + " : " + types);
  }

  /// Arms of a choice with two results.
  void choice(unsigned depth) {
    auto scope = names;
    std::string a = fresh(), b = fresh();
    bool isSwitch = pick(3) == 0;
    std::string selector = isSwitch ? any() : condition();
    emit("%" + a + ", %" + b + " = scf." + (isSwitch ? "switch " : "if ") + selector +
         " -> (index, index) {");
    if (isSwitch)
      emit("case 1 {");
    block(depth - 1);
    yield(2);
    names = scope;
    emit(isSwitch ? "}\n  default {" : "} else {");
    block(depth - 1);
    yield(2);
    emit(isSwitch ? "}\n  }" : "}");
    names = scope;
    names.insert(names.end(), {a, b});
  }

  void countedLoop(unsigned depth) {
    auto scope = names;
    std::string iv = fresh(), p = fresh(), q = fresh(), a = fresh(), b = fresh(), end = fresh();
    std::string lower = pick(2) ? any() : "%zero", step = pick(3) ? "%one" : any();
    if (step == "%zero") // refused
      step = "%one";
    // Often as many iterations for everybody.
    if (pick(2))
      emit("%" + end + " = index.add " + lower + ", " + (pick(2) ? "%three" : any()) + " : index");
    else
      emit("%" + end + " = index.min " + any() + ", %three : index");
    emit("%" + a + ", %" + b + " = scf.for %" + iv + " = [" + lower + " to %" + end + " step " +
         step + "](%" + p + " = " + any() + " : index, %" + q + " = " + any() +
         " : index) -> (index, index) {");
    names.insert(names.end(), {iv, p, q, p, q});
    block(depth - 1);
    yield(2);
    emit("}");
    names = scope;
    names.insert(names.end(), {a, b});
  }

  void openLoop(unsigned depth) {
    auto scope = names;
    std::string p = fresh(), q = fresh(), r = fresh(), s = fresh(), a = fresh(), b = fresh();
    std::string next = fresh(), last = any();
    emit("%" + a + ", %" + b + " = scf.while(%" + p + " = %zero : index, %" + q + " = " + any() +
         " : index) -> (index, index) {");
    names.insert(names.end(), {p, q});
    block(depth - 1);
    std::string go = fresh();
    emit("%" + go + " = index.cmp slt, %" + p + ", " + last + " : index");
    emit("scf.condition %" + go + ", %" + p + ", " + any() + " : i1, index, index");
    names = scope;
    names.insert(names.end(), {r, s});
    emit("} do(%" + r + ": index, %" + s + ": index) {");
    emit("%" + next + " = index.add %" + r + ", %one : index");
    emit("scf.yield %" + next + ", " + any() + " : index, index");
    emit("}");
    names = scope;
    names.insert(names.end(), {a, b});
  }

  void block(unsigned depth) {
    for (unsigned i = 0; i < 3; ++i) {
      arithmetic();
      switch (depth > 0 ? pick(5) : 4) {
      case 0:
      case 1:
        choice(depth);
        break;
      case 2:
        countedLoop(depth);
        break;
      case 3:
        openLoop(depth);
        break;
      }
    }
  }

  std::mt19937 random;
  std::string text;
  std::vector<std::string> names;
  unsigned counter = 0;
};

/// The numbers of the iterations of all loops around a place.
using Iterations = std::vector<unsigned>;

/// What the work-items saw at one place; nothing of those that were not there.
using Seen = std::vector<std::optional<int64_t>>;

/// Runs a kernel work-item by work-item.
class Machine {
public:
  Machine(const Extents &size, int64_t n) : size(size), n(n) {
    items = size[0] * size[1] * size[2];
  }

  /// False when something has no value, or takes too long.
  bool run(KernelDefOp kernel) {
    for (item = 0; item < items; ++item) {
      values.clear();
      hasLeft = false;
      values[kernel.getBody().getArgument(0)] = n;
      run(kernel.getBody().front());
      if (failed)
        return false;
    }
    return true;
  }

  std::map<std::pair<void *, Iterations>, std::pair<Value, Seen>> seen;
  std::map<std::pair<Operation *, Iterations>, Seen> visits;
  int64_t items;

private:
  void set(Value value, __int128 number) {
    failed |= number != int64_t(number);
    values[value] = int64_t(number);
    auto &[of, all] = seen[{value.getAsOpaquePointer(), iterations}];
    of = value;
    all.resize(items);
    all[item] = int64_t(number);
  }
  int64_t get(Value value) { return values.lookup(value); }

  void run(Block &block) {
    for (Operation &op : block) {
      if (failed || hasLeft)
        return;
      Seen &all = visits[{&op, iterations}];
      all.resize(items);
      all[item] = 0;
      if (!op.hasTrait<OpTrait::IsTerminator>())
        step(&op);
    }
  }
  /// Gives values to what takes over the operands of a terminator.
  void pass(Operation *terminator, ValueRange to, unsigned skip = 0) {
    SmallVector<int64_t> passed;
    for (Value value : terminator->getOperands().drop_front(skip))
      passed.push_back(get(value));
    for (auto [value, number] : llvm::zip(to, passed))
      set(value, number);
  }

  void count(ScfForOp loop) {
    int64_t lower = get(loop.getLower()), upper = get(loop.getUpper()), by = get(loop.getStep());
    failed |= by <= 0;
    SmallVector<int64_t> carried;
    for (Value init : loop.getInits())
      carried.push_back(get(init));
    iterations.push_back(0);
    for (__int128 i = lower; i < upper && !failed; i += by, ++iterations.back()) {
      failed |= iterations.back() == kMaxTrips;
      set(loop.getInductionVar(), i);
      for (auto [argument, number] : llvm::zip(loop.getRegionIterArgs(), carried))
        set(argument, number);
      run(*loop.getBlock());
      for (auto [number, value] : llvm::zip(carried, loop.getYield()->getOperands()))
        number = get(value);
    }
    iterations.pop_back();
    for (auto [result, number] : llvm::zip(loop.getResults(), carried))
      set(result, number);
  }

  void repeat(ScfWhileOp loop) {
    Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
    iterations.push_back(0);
    for (auto [argument, init] : llvm::zip(before.getArguments(), loop.getInits()))
      set(argument, get(init));
    while (true) {
      run(before);
      failed |= iterations.back() == kMaxTrips;
      if (failed || !get(before.getTerminator()->getOperand(0)))
        break;
      pass(before.getTerminator(), after.getArguments(), 1);
      run(after);
      ++iterations.back();
      pass(after.getTerminator(), before.getArguments());
    }
    iterations.pop_back();
    pass(before.getTerminator(), loop.getResults(), 1);
  }

  std::optional<int64_t> position(Operation *op) {
    int64_t id[] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
    if (auto local = dyn_cast<KernelWorkitemIdOp>(op))
      return id[static_cast<unsigned>(local.getDimension())];
    if (auto global = dyn_cast<KernelDispatchIdOp>(op)) {
      unsigned axis = static_cast<unsigned>(global.getDimension());
      return kGroupId * size[axis] + id[axis];
    }
    if (isa<KernelSubgroupLaneIdOp>(op))
      return item % kSubgroupSize;
    if (isa<KernelSubgroupIdOp>(op))
      return item / kSubgroupSize;
    if (isa<KernelWorkgroupIdOp>(op))
      return kGroupId;
    if (isa<KernelWorkgroupSizeOp>(op))
      return size[0];
    return std::nullopt;
  }

  std::optional<__int128> arithmetic(Operation *op) {
    auto operand = [&](unsigned i) { return __int128(get(op->getOperand(i))); };
    if (auto constant = dyn_cast<IndexConstantOp>(op))
      return constant.getInt();
    if (isa<IndexCastOp>(op))
      return operand(0);
    if (isa<IndexAddOp>(op))
      return operand(0) + operand(1);
    if (isa<IndexSubOp>(op))
      return operand(0) - operand(1);
    if (isa<IndexMulOp, IndexScaleOp>(op))
      return operand(0) * operand(1);
    if (isa<IndexMaddOp>(op))
      return operand(0) * operand(1) + operand(2);
    if (isa<IndexMinOp>(op))
      return std::min(operand(0), operand(1));
    if (isa<IndexMaxOp>(op))
      return std::max(operand(0), operand(1));
    if (isa<ScfSelectOp>(op))
      return operand(0) ? operand(1) : operand(2);
    if (auto cmp = dyn_cast<IndexCmpOp>(op)) {
      bool equal = operand(0) == operand(1), less = operand(0) < operand(1);
      return cmp.getPredicate() == IntPredicate::eq    ? equal
             : cmp.getPredicate() == IntPredicate::ne  ? !equal
             : cmp.getPredicate() == IntPredicate::slt ? less
                                                       : !less;
    }
    if (auto load = dyn_cast<ViewLoadOp>(op)) {
      // The table is the same for everybody, the memory of a work-item is its own.
      bool isOwn = cast<ViewType>(load.getView().getType()).getShape()[0] == 8;
      return (operand(1) * 7 + (isOwn ? item * 3 : 0)) % 5;
    }
    return std::nullopt;
  }

  void step(Operation *op) {
    if (auto loop = dyn_cast<ScfForOp>(op))
      return count(loop);
    if (auto loop = dyn_cast<ScfWhileOp>(op))
      return repeat(loop);
    if (isa<ScfIfOp, ScfSwitchOp>(op)) {
      bool isFirst = isa<ScfIfOp>(op) ? get(op->getOperand(0)) : get(op->getOperand(0)) == 1;
      Block &arm = op->getRegion(isFirst ? 0 : 1).front();
      run(arm);
      return pass(arm.getTerminator(), op->getResults());
    }
    if (auto exit = dyn_cast<KernelExitOp>(op))
      hasLeft = get(exit.getCondition());
    else if (std::optional<int64_t> number = position(op))
      set(op->getResult(0), *number);
    else if (std::optional<__int128> number = arithmetic(op))
      set(op->getResult(0), *number);
  }

  Extents size;
  int64_t n, item = 0;
  bool failed = false, hasLeft = false;
  llvm::DenseMap<Value, int64_t> values;
  Iterations iterations;
};

/// Compares claims with what was seen.
class Judge {
public:
  Judge(const Uniformity &uniformity, const Machine &machine)
      : uniformity(uniformity), machine(machine) {}

  void judge() {
    for (const auto &[place, entry] : machine.seen) {
      const auto &[value, seen] = entry;
      LaneShape shape = uniformity.shape(value);
      ++claims[static_cast<unsigned>(shape.distribution)];
      EXPECT_TRUE(holds(shape, seen)) << getValueName(value).str() << " is not " << describe(shape);
    }
    for (const auto &[place, seen] : machine.visits) {
      Distribution control = uniformity.control(place.first);
      ++controls[static_cast<unsigned>(control)];
      EXPECT_TRUE(isTogether(control, seen))
          << printSourceText(place.first) << " is not reached by all of a "
          << describe({control, 0});
    }
  }

  unsigned claims[4] = {}, controls[4] = {};

private:
  static std::string describe(LaneShape shape) {
    static const char *const names[] = {"workgroup", "subgroup", "affine ", "varying"};
    return names[static_cast<unsigned>(shape.distribution)] +
           (shape.stride ? std::to_string(shape.stride) : "");
  }
  int64_t groupOf(int64_t item, Distribution distribution) const {
    return distribution == Distribution::Workgroup ? 0 : item / uniformity.getOptions().lanes;
  }

  bool holds(LaneShape shape, const Seen &seen) const {
    if (shape.distribution == Distribution::Varying)
      return true;
    std::map<int64_t, __int128> bases;
    for (int64_t item = 0; item < machine.items; ++item) {
      if (!seen[item])
        continue;
      int64_t lane = item % uniformity.getOptions().lanes;
      __int128 base = __int128(*seen[item]) - __int128(shape.stride) * lane;
      if (bases.try_emplace(groupOf(item, shape.distribution), base).first->second != base)
        return false;
    }
    return true;
  }

  bool isTogether(Distribution control, const Seen &seen) const {
    if (control == Distribution::Varying)
      return true;
    std::map<int64_t, bool> present;
    for (int64_t item = 0; item < machine.items; ++item)
      if (present.try_emplace(groupOf(item, control), seen[item]).first->second !=
          seen[item].has_value())
        return false;
    return control != Distribution::Affine;
  }

  const Uniformity &uniformity;
  const Machine &machine;
};

std::string programOf(const Extents &size, const std::string &body) {
  std::string text = "kernel.def @k() {\n  %unit = index.constant 3 : index\n";
  for (unsigned axis = 0; axis < 3; ++axis)
    text += "  %w" + std::to_string(axis) + " = index.constant " + std::to_string(size[axis]) +
            " : index\n";
  return text +
         "  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%w0, %w1, %w2) : "
         "index\n} launch(%n: index, %data: buffer) {\n" +
         body + "  kernel.return\n}\n";
}

TEST(UniformitySoundness, ClaimsHoldForEveryWorkItemOfRandomKernels) {
  const Extents shapes[] = {{8, 4, 2}, {16, 2, 2}, {64, 1, 1}, {1, 16, 4},
                            {4, 4, 2}, {5, 3, 2},  {50, 1, 1}, {1, 1, 24}};
  unsigned claims[4] = {}, controls[4] = {}, runs = 0;
  for (unsigned seed = 0; seed < 320; ++seed) {
    const Extents &size = shapes[seed % 8];
    std::string text = programOf(size, Generator(seed).body());
    Program p(text);
    KernelDefOp kernel;
    p.module->walk([&](KernelDefOp op) { kernel = op; });
    ASSERT_TRUE(kernel) << text;
    Facts facts(*p.module);
    for (int64_t n : {0, 5}) {
      Machine machine(size, n);
      if (!machine.run(kernel))
        continue;
      ++runs;
      // All extents known, none, and two of three; groups of one to eight subgroups.
      for (unsigned known : {7u, 0u, 3u, 6u})
        for (int64_t lanes : {8, 16, 64}) {
          UniformityOptions options;
          options.lanes = lanes;
          options.subgroupSize = kSubgroupSize;
          for (unsigned axis = 0; axis < 3; ++axis)
            if (known & (1u << axis))
              options.workgroupSize[axis] = size[axis];
          Uniformity uniformity(kernel, facts, options);
          Judge judge(uniformity, machine);
          judge.judge();
          for (unsigned i = 0; i < 4; ++i)
            claims[i] += judge.claims[i], controls[i] += judge.controls[i];
          ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", n " << n << ", lanes "
                                                    << lanes << ", extents " << known << "\n"
                                                    << text;
        }
    }
  }
  // The claims are there to be checked.
  EXPECT_GT(runs, 200u);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_GT(claims[i], 10000u) << i;
  for (unsigned i : {0, 1, 3})
    EXPECT_GT(controls[i], 10000u) << i;
}

} // namespace
