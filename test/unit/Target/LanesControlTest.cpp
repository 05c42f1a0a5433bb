//===- LanesControlTest.cpp - Random control flow over lanes --------------===//
//
// A generator writes a program as text and, beside it, as a tree that is run here for all
// work-items, statement by statement: a construct runs each of its regions for those work-items
// that take it. Each work-item writes to rows of its own, or between barriers, so that there is one
// right answer.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

constexpr int64_t kSlots = 8; ///< of a row
constexpr int64_t kMostItems = 2 * 256;

enum class Kind { Index, I32, F32, I1, Vector, View };

/// Elements as bits; of a view its number.
struct Value {
  int64_t at[3] = {0, 0, 0};
};

struct Launch {
  std::array<int64_t, 3> size;
  int64_t groups, lanes, count; ///< count is the parameter %n
  std::vector<int32_t> rows[2]; ///< what the two views see
  int64_t groupItems() const { return size[0] * size[1] * size[2]; }
  int64_t items() const { return groups * groupItems(); }
};

using Items = std::vector<int64_t>;

struct Machine {
  Launch *launch;
  /// By number of the value, then of the work-item.
  std::vector<std::vector<Value>> values;
  std::vector<bool> left; ///< work-items that have left

  Value &of(int value, int64_t item) { return values[value][item]; }
};

struct Block;
struct Node {
  std::function<void(Machine &, const Items &)> run;
};
struct Block {
  std::vector<Node> nodes;
  std::string text;
  void run(Machine &machine, const Items &items) const {
    for (const Node &node : nodes) {
      Items staying;
      for (int64_t item : items)
        if (!machine.left[item])
          staying.push_back(item);
      if (!staying.empty())
        node.run(machine, staying);
    }
  }
};
using BlockPtr = std::shared_ptr<Block>;

/// What the generator knows of a value.
struct Known {
  Kind kind;
  int64_t low = 0, high = 0; ///< of an index
  bool isUniform = false;    ///< provably the same for the workgroup
};

const char *const kRows = "view<512x8xi32>";

std::string typeOf(Kind kind) {
  switch (kind) {
  case Kind::Index:
    return "index";
  case Kind::I32:
    return "i32";
  case Kind::F32:
    return "f32";
  case Kind::I1:
    return "i1";
  case Kind::Vector:
    return "vector<3xi32>";
  case Kind::View:
    return kRows;
  }
  return "";
}

int32_t lowBits(int64_t value) { return static_cast<int32_t>(static_cast<uint64_t>(value)); }

float asFloat(int64_t bits) {
  float value;
  int32_t narrow = lowBits(bits);
  std::memcpy(&value, &narrow, 4);
  return value;
}

int64_t floatBits(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, 4);
  // One NaN stands for all.
  return value != value ? 0x7fc00000 : bits;
}

//===----------------------------------------------------------------------===//
// The generator
//===----------------------------------------------------------------------===//

struct Options {
  bool hasBarriers = false, hasExits = false, hasCollectives = false;
  bool isFlat = true; ///< the workgroup has one axis
};

class Generator {
public:
  Generator(unsigned seed, const Options &options) : random(seed), options(options) {}

  /// The text of the kernel and the tree.
  std::string generate(const std::string &name, const Launch &launch, bool isExact);
  BlockPtr body;
  size_t valueCount() const { return known.size(); }

private:
  using Run = std::function<Value(Machine &, int64_t)>;

  int64_t below(int64_t end) { return static_cast<int64_t>(random() % uint64_t(end)); }
  bool chance(int percent) { return below(100) < percent; }
  std::string name(int value) const { return "%v" + std::to_string(value); }

  int fresh(Known what) {
    known.push_back(what);
    return static_cast<int>(known.size()) - 1;
  }
  void line(const std::string &text) { block->text += text + "\n"; }
  void node(std::function<void(Machine &, const Items &)> run) {
    block->nodes.push_back({std::move(run)});
  }
  /// A value that each work-item computes by itself.
  int add(Known what, const std::string &text, Run run) {
    int id = fresh(what);
    line(name(id) + " = " + text);
    node([id, run](Machine &m, const Items &items) {
      for (int64_t item : items)
        m.of(id, item) = run(m, item);
    });
    scope.push_back(id);
    return id;
  }
  int constant(int64_t number) {
    return add({Kind::Index, number, number, true},
               "index.constant " + std::to_string(number) + " : index",
               [number](Machine &, int64_t) { return Value{{number}}; });
  }
  int pick(Kind kind, bool mustBeUniform = false);
  int make(Kind kind);
  int indexOperation();
  int comparison(bool isUniform);
  /// An index in [low, high].
  int clamped(int value, int64_t low, int64_t high);
  int clampedPick(int64_t low, int64_t high, bool isUniform);
  Kind anyKind() {
    const Kind kinds[] = {Kind::Index, Kind::Index, Kind::I32,    Kind::I32,
                          Kind::F32,   Kind::I1,    Kind::Vector, Kind::View};
    return kinds[below(std::size(kinds))];
  }

  void statement(int depth, bool isUniform);
  void statements(int depth, bool isUniform, int count) {
    for (int i = 0; i < count; ++i)
      statement(depth, isUniform);
  }
  void store();
  void load();
  void collective();
  void exchange();
  void groupCollective();
  void conditional(int depth, bool isUniform);
  void choice(int depth, bool isUniform);
  void loop(int depth, bool isUniform);
  void whileLoop(int depth, bool isUniform);
  void leave(int depth);

  /// Values of these kinds, as they are passed on; an index is clamped.
  std::vector<int> passed(const std::vector<Kind> &kinds);
  std::string list(const std::vector<int> &values, bool withTypes);
  std::string types(const std::vector<Kind> &kinds);
  /// Runs `fill` for a new block inside of the present one and its scope.
  BlockPtr nested(llvm::function_ref<void()> fill);
  static void copy(Machine &m, const Items &items, const std::vector<int> &from,
                   const std::vector<int> &to);
  std::vector<int> freshOf(const std::vector<Kind> &kinds) {
    std::vector<int> ids;
    for (Kind kind : kinds)
      ids.push_back(fresh(carried(kind)));
    return ids;
  }
  static Known carried(Kind kind) { return {kind, -1000, 1000, false}; }

  std::mt19937 random;
  Options options;
  std::vector<Known> known;
  std::vector<int> scope, steps;
  Block *block = nullptr;
  int item = 0, local = 0, total = 0;
};

int Generator::pick(Kind kind, bool mustBeUniform) {
  std::vector<int> candidates;
  for (int id : scope)
    if (known[id].kind == kind && (known[id].isUniform || !mustBeUniform))
      candidates.push_back(id);
  if (candidates.empty())
    return make(kind);
  // The latest values are the likeliest.
  size_t recent = std::min<size_t>(candidates.size(), chance(70) ? 6 : candidates.size());
  return candidates[candidates.size() - 1 - below(recent)];
}

int Generator::clamped(int value, int64_t low, int64_t high) {
  Known what = known[value];
  if (what.low < low) {
    int bound = constant(low);
    what = {Kind::Index, low, std::max(low, what.high), what.isUniform};
    int from = value;
    value = add(
        what, "index.max " + name(from) + ", " + name(bound) + " : index",
        [from, low](Machine &m, int64_t i) { return Value{{std::max(m.of(from, i).at[0], low)}}; });
  }
  if (what.high > high) {
    int bound = constant(high);
    what = {Kind::Index, std::min(what.low, high), high, what.isUniform};
    int from = value;
    value = add(what, "index.min " + name(from) + ", " + name(bound) + " : index",
                [from, high](Machine &m, int64_t i) {
                  return Value{{std::min(m.of(from, i).at[0], high)}};
                });
  }
  return value;
}

int Generator::clampedPick(int64_t low, int64_t high, bool isUniform) {
  int value = pick(Kind::Index, isUniform);
  int64_t range = high - low + 1;
  if (known[value].low >= 0 && chance(60)) {
    int width = constant(range), from = value;
    value =
        add({Kind::Index, 0, range - 1, known[from].isUniform},
            "index.rem " + name(from) + ", " + name(width) + " : index",
            [from, range](Machine &m, int64_t i) { return Value{{m.of(from, i).at[0] % range}}; });
    if (low == 0)
      return value;
    int base = constant(low);
    from = value;
    return add({Kind::Index, low, high, known[from].isUniform},
               "index.add " + name(from) + ", " + name(base) + " : index",
               [from, low](Machine &m, int64_t i) { return Value{{m.of(from, i).at[0] + low}}; });
  }
  return clamped(value, low, high);
}

int Generator::indexOperation() {
  int a = pick(Kind::Index), b = pick(Kind::Index);
  if (chance(15)) {
    const int64_t edges[] = {INT32_MAX - 3,
                             int64_t(INT32_MIN) + 2,
                             int64_t(UINT32_MAX) - 1,
                             INT64_MAX - 5000,
                             INT64_MIN + 5000,
                             1,
                             3,
                             -1,
                             65536};
    b = constant(edges[below(std::size(edges))]);
  }
  Known x = known[a], y = known[b];
  bool isUniform = x.isUniform && y.isUniform;
  auto text = [&](const std::string &op) {
    return "index." + op + " " + name(a) + ", " + name(b) + " : index";
  };
  int64_t low, high;
  switch (below(6)) {
  case 0:
    if (!llvm::AddOverflow(x.low, y.low, low) && !llvm::AddOverflow(x.high, y.high, high))
      return add({Kind::Index, low, high, isUniform}, text("add"), [a, b](Machine &m, int64_t i) {
        return Value{{m.of(a, i).at[0] + m.of(b, i).at[0]}};
      });
    break;
  case 1:
    if (!llvm::SubOverflow(x.low, y.high, low) && !llvm::SubOverflow(x.high, y.low, high))
      return add({Kind::Index, low, high, isUniform}, text("sub"), [a, b](Machine &m, int64_t i) {
        return Value{{m.of(a, i).at[0] - m.of(b, i).at[0]}};
      });
    break;
  case 2: {
    int64_t corners[4];
    bool overflows = llvm::MulOverflow(x.low, y.low, corners[0]) |
                     llvm::MulOverflow(x.low, y.high, corners[1]) |
                     llvm::MulOverflow(x.high, y.low, corners[2]) |
                     llvm::MulOverflow(x.high, y.high, corners[3]);
    if (!overflows)
      return add({Kind::Index, *std::min_element(corners, corners + 4),
                  *std::max_element(corners, corners + 4), isUniform},
                 text("mul"), [a, b](Machine &m, int64_t i) {
                   return Value{{m.of(a, i).at[0] * m.of(b, i).at[0]}};
                 });
    break;
  }
  case 3:
    if (x.low >= 0 && y.low > 0)
      return add({Kind::Index, 0, x.high, isUniform}, text("div"), [a, b](Machine &m, int64_t i) {
        return Value{{m.of(a, i).at[0] / m.of(b, i).at[0]}};
      });
    break;
  case 4:
    if (x.low >= 0 && y.low > 0)
      return add(
          {Kind::Index, 0, y.high - 1, isUniform}, text("rem"),
          [a, b](Machine &m, int64_t i) { return Value{{m.of(a, i).at[0] % m.of(b, i).at[0]}}; });
    break;
  default:
    break;
  }
  return add({Kind::Index, std::min(x.low, y.low), std::min(x.high, y.high), isUniform},
             text("min"), [a, b](Machine &m, int64_t i) {
               return Value{{std::min(m.of(a, i).at[0], m.of(b, i).at[0])}};
             });
}

int Generator::comparison(bool isUniform) {
  int a = pick(Kind::Index, isUniform), b = pick(Kind::Index, isUniform);
  bool both = known[a].isUniform && known[b].isUniform;
  const char *predicates[] = {"slt", "sle", "eq", "ne"};
  int way = below(4);
  return add({Kind::I1, 0, 0, both},
             "index.cmp " + std::string(predicates[way]) + ", " + name(a) + ", " + name(b) +
                 " : index",
             [a, b, way](Machine &m, int64_t i) {
               int64_t x = m.of(a, i).at[0], y = m.of(b, i).at[0];
               return Value{{way == 0 ? x < y : way == 1 ? x <= y : way == 2 ? x == y : x != y}};
             });
}

int Generator::make(Kind kind) {
  switch (kind) {
  case Kind::Index:
    return indexOperation();
  case Kind::I1:
    return comparison(false);
  case Kind::I32: {
    if (chance(50)) {
      int a = pick(Kind::Index);
      return add({Kind::I32, 0, 0, known[a].isUniform}, "index.cast " + name(a) + " : index to i32",
                 [a](Machine &m, int64_t i) { return Value{{lowBits(m.of(a, i).at[0])}}; });
    }
    int a = pick(Kind::I32), b = pick(Kind::I32);
    const char *ops[] = {"addi", "subi", "muli", "xori"};
    int way = below(4);
    return add(
        {Kind::I32, 0, 0, known[a].isUniform && known[b].isUniform},
        "scalar." + std::string(ops[way]) + " " + name(a) + ", " + name(b) + " : i32",
        [a, b, way](Machine &m, int64_t i) {
          uint32_t x = m.of(a, i).at[0], y = m.of(b, i).at[0];
          return Value{{lowBits(way == 0 ? x + y : way == 1 ? x - y : way == 2 ? x * y : x ^ y)}};
        });
  }
  case Kind::F32: {
    int a = pick(Kind::I32);
    if (chance(50))
      return add({Kind::F32, 0, 0, known[a].isUniform},
                 "scalar.sitofp " + name(a) + " : i32 to f32", [a](Machine &m, int64_t i) {
                   return Value{{floatBits(static_cast<float>(lowBits(m.of(a, i).at[0])))}};
                 });
    int x = pick(Kind::F32), y = pick(Kind::F32);
    bool isProduct = chance(40);
    return add({Kind::F32, 0, 0, known[x].isUniform && known[y].isUniform},
               std::string(isProduct ? "scalar.mulf " : "scalar.addf ") + name(x) + ", " + name(y) +
                   " : f32",
               [x, y, isProduct](Machine &m, int64_t i) {
                 float p = asFloat(m.of(x, i).at[0]), q = asFloat(m.of(y, i).at[0]);
                 return Value{{floatBits(isProduct ? p * q : p + q)}};
               });
  }
  case Kind::Vector: {
    int a = pick(Kind::I32), b = pick(Kind::I32);
    if (chance(60)) {
      return add({Kind::Vector, 0, 0, false},
                 "vector.from_elements " + name(a) + ", " + name(b) + ", " + name(a) +
                     " : vector<3xi32>",
                 [a, b](Machine &m, int64_t i) {
                   int64_t x = m.of(a, i).at[0], y = m.of(b, i).at[0];
                   return Value{{x, y, x}};
                 });
    }
    int v = pick(Kind::Vector), w = pick(Kind::Vector);
    return add({Kind::Vector, 0, 0, false},
               "vector.addi " + name(v) + ", " + name(w) + " : vector<3xi32>",
               [v, w](Machine &m, int64_t i) {
                 Value sum;
                 for (int k = 0; k < 3; ++k)
                   sum.at[k] = lowBits(m.of(v, i).at[k] + m.of(w, i).at[k]);
                 return sum;
               });
  }
  case Kind::View: {
    int condition = pick(Kind::I1), a = pick(Kind::View), b = pick(Kind::View);
    return add({Kind::View, 0, 0, false},
               "scf.select " + name(condition) + ", " + name(a) + ", " + name(b) + " : " + kRows,
               [condition, a, b](Machine &m, int64_t i) {
                 return m.of(m.of(condition, i).at[0] ? a : b, i);
               });
  }
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Generator::statement(int depth, bool isUniform) {
  int way = below(100);
  if (depth > 0 && way < 42) {
    bool keeps = isUniform && options.hasBarriers && chance(70);
    switch (way % 5) {
    case 0:
    case 1:
      return conditional(depth, keeps);
    case 2:
      return loop(depth, keeps);
    case 3:
      return whileLoop(depth, keeps);
    default:
      return choice(depth, keeps);
    }
  }
  if (way < 55)
    return store();
  if (way < 63)
    return load();
  if (way < 70 && options.hasCollectives)
    return collective();
  if (way < 82 && isUniform && options.hasBarriers)
    return chance(60) ? exchange() : groupCollective();
  make(anyKind());
}

/// Where a work-item finds its own elements.
static int32_t &slotOf(Machine &m, int view, int64_t item, int64_t slot) {
  return m.launch->rows[m.of(view, item).at[0]][item * kSlots + slot];
}

void Generator::store() {
  int view = pick(Kind::View);
  if (chance(25)) {
    int value = pick(Kind::Vector), slot = clampedPick(0, kSlots - 3, false), row = item;
    line("vector.store " + name(value) + ", " + name(view) + "[" + name(row) + ", " + name(slot) +
         "] : vector<3xi32>, " + kRows);
    return node([=](Machine &m, const Items &items) {
      for (int64_t i : items)
        for (int k = 0; k < 3; ++k)
          slotOf(m, view, i, m.of(slot, i).at[0] + k) = m.of(value, i).at[k];
    });
  }
  int value;
  if (chance(25)) {
    int real = pick(Kind::F32);
    value = add({Kind::I32, 0, 0, known[real].isUniform},
                "scalar.bitcast " + name(real) + " : f32 to i32",
                [real](Machine &m, int64_t i) { return m.of(real, i); });
  } else if (chance(30)) {
    int index = pick(Kind::Index), shift = constant(32);
    value = add({Kind::Index, INT32_MIN, INT32_MAX, known[index].isUniform},
                "index.shrsi " + name(index) + ", " + name(shift) + " : index",
                [index](Machine &m, int64_t i) { return Value{{m.of(index, i).at[0] >> 32}}; });
    int high = value;
    value = add({Kind::I32, 0, 0, known[high].isUniform},
                "index.cast " + name(high) + " : index to i32",
                [high](Machine &m, int64_t i) { return Value{{lowBits(m.of(high, i).at[0])}}; });
  } else {
    value = pick(Kind::I32);
  }
  int slot = clampedPick(0, kSlots - 1, false), row = item;
  line("view.store " + name(value) + ", " + name(view) + "[" + name(row) + ", " + name(slot) +
       "] : i32, " + kRows);
  node([=](Machine &m, const Items &items) {
    for (int64_t i : items)
      slotOf(m, view, i, m.of(slot, i).at[0]) = m.of(value, i).at[0];
  });
}

void Generator::load() {
  int view = pick(Kind::View), slot = clampedPick(0, kSlots - 1, false);
  int loaded = add(
      {Kind::I32, 0, 0, false},
      "view.load " + name(view) + "[" + name(item) + ", " + name(slot) + "] : " + kRows + " -> i32",
      [=](Machine &m, int64_t i) { return Value{{slotOf(m, view, i, m.of(slot, i).at[0])}}; });
  if (chance(50)) {
    int wide = add({Kind::Index, INT32_MIN, INT32_MAX, false},
                   "index.cast " + name(loaded) + " : i32 to index",
                   [=](Machine &m, int64_t i) { return m.of(loaded, i); });
    clamped(wide, -20, 20);
  }
}

/// Of the active lanes of each subgroup.
void Generator::collective() {
  int value = pick(Kind::I32), way = below(3);
  const char *ops[] = {"kernel.subgroup.reduce<addi> ", "kernel.subgroup.broadcast.first ",
                       "kernel.subgroup.reduce<maxsi> "};
  int id = fresh({Kind::I32, 0, 0, false});
  line(name(id) + " = " + ops[way] + name(value) + " : i32");
  node([=](Machine &m, const Items &items) {
    auto subgroup = [&](int64_t i) {
      int64_t size = m.launch->groupItems(), group = i / size;
      return std::pair(group, i % size / m.launch->lanes);
    };
    for (int64_t i : items) {
      bool isFirst = true;
      int32_t all = 0;
      for (int64_t other : items) {
        if (subgroup(other) != subgroup(i))
          continue;
        int32_t own = lowBits(m.of(value, other).at[0]);
        if (isFirst)
          all = own;
        else if (way == 0)
          all = lowBits(int64_t(all) + own);
        else if (way == 2)
          all = std::max(all, own);
        isFirst = false;
      }
      m.of(id, i).at[0] = all;
    }
  });
  scope.push_back(id);
}

/// Writes to workgroup memory, waits, and reads what a neighbour wrote.
void Generator::exchange() {
  int value = pick(Kind::I32), distance = clampedPick(0, 40, false);
  if (known[value].isUniform && chance(70))
    value = add({Kind::I32, 0, 0, false}, "index.cast " + name(local) + " : index to i32",
                [this, place = local](Machine &m, int64_t i) { return m.of(place, i); });
  std::string barrier = "kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)";
  line("view.store " + name(value) + ", %shared[" + name(local) + "] : i32, view<1024xi32>");
  int id = fresh({Kind::I32, 0, 0, false}), at = fresh({Kind::Index, 0, 0, false});
  std::string number = std::to_string(id);
  if (chance(40)) {
    line("%phase" + number +
         " = kernel.barrier.arrive<workgroup> scope(workgroup) "
         "ordering(acq_rel) -> kernel.barrier.phase");
    make(anyKind());
    make(Kind::Index);
    line("kernel.barrier.wait %phase" + number + " : kernel.barrier.phase");
  } else {
    line(barrier);
  }
  line("%far" + number + " = index.add " + name(local) + ", " + name(distance) + " : index");
  line(name(at) + " = index.rem %far" + number + ", " + name(total) + " : index");
  line(name(id) + " = view.load %shared[" + name(at) + "] : view<1024xi32> -> i32");
  line(barrier);
  node([=](Machine &m, const Items &items) {
    int64_t size = m.launch->groupItems();
    std::vector<Value> all;
    for (int64_t i : items)
      all.push_back(m.of(value, (i / size) * size + (i % size + m.of(distance, i).at[0]) % size));
    for (size_t k = 0; k < items.size(); ++k)
      m.of(id, items[k]) = all[k];
  });
  scope.push_back(id);
}

void Generator::groupCollective() {
  int value = pick(Kind::I32), flag = pick(Kind::I1), way = below(3);
  int id = fresh({Kind::I32, 0, 0, way != 1});
  const std::string texts[] = {"kernel.workgroup.reduce<addi> " + name(value) + " : i32",
                               "kernel.workgroup.scan<addi> " + name(value) +
                                   " {direction = forward, mode = inclusive} : i32",
                               "kernel.workgroup.vote.count " + name(flag) + " : i1 -> i32"};
  line(name(id) + " = " + texts[way]);
  node([=](Machine &m, const Items &items) {
    int64_t size = m.launch->groupItems();
    for (int64_t i : items) {
      int64_t sum = 0, group = i / size * size;
      for (int64_t other = group; other < (way == 1 ? i + 1 : group + size); ++other)
        sum += way == 2 ? m.of(flag, other).at[0] : m.of(value, other).at[0];
      m.of(id, i).at[0] = lowBits(sum);
    }
  });
  scope.push_back(id);
}

//===----------------------------------------------------------------------===//
// Constructs
//===----------------------------------------------------------------------===//

BlockPtr Generator::nested(llvm::function_ref<void()> fill) {
  auto made = std::make_shared<Block>();
  Block *outer = block;
  std::vector<int> saved = scope;
  block = made.get();
  fill();
  block = outer;
  scope = saved;
  return made;
}

std::vector<int> Generator::passed(const std::vector<Kind> &kinds) {
  std::vector<int> values;
  for (Kind kind : kinds) {
    int value = chance(60) ? pick(kind) : make(kind);
    values.push_back(kind == Kind::Index ? clamped(value, -1000, 1000) : value);
  }
  return values;
}

std::string Generator::list(const std::vector<int> &values, bool withTypes) {
  std::string text, kinds;
  for (int value : values) {
    text += (text.empty() ? "" : ", ") + name(value);
    kinds += (kinds.empty() ? "" : ", ") + typeOf(known[value].kind);
  }
  return withTypes ? text + " : " + kinds : text;
}

std::string Generator::types(const std::vector<Kind> &kinds) {
  std::string text;
  for (Kind kind : kinds)
    text += (text.empty() ? "" : ", ") + typeOf(kind);
  return text;
}

/// All at once: targets may be sources.
void Generator::copy(Machine &m, const Items &items, const std::vector<int> &from,
                     const std::vector<int> &to) {
  for (int64_t item : items) {
    std::vector<Value> all;
    for (int value : from)
      all.push_back(m.of(value, item));
    for (size_t k = 0; k < to.size(); ++k)
      m.of(to[k], item) = all[k];
  }
}

static std::pair<Items, Items> split(Machine &m, const Items &items, int condition) {
  std::pair<Items, Items> ways;
  for (int64_t item : items)
    (m.of(condition, item).at[0] ? ways.first : ways.second).push_back(item);
  return ways;
}

void Generator::conditional(int depth, bool isUniform) {
  int condition = isUniform || chance(20) ? comparison(true) : comparison(false);
  isUniform &= known[condition].isUniform;
  std::vector<Kind> kinds;
  for (int64_t count = below(4); count > 0; --count)
    kinds.push_back(anyKind());
  std::vector<int> results = freshOf(kinds), yielded[2];
  BlockPtr arms[2];
  bool hasElse = !kinds.empty() || chance(50);
  for (int way = 0; way < (hasElse ? 2 : 1); ++way)
    arms[way] = nested([&] {
      statements(depth - 1, isUniform, below(4));
      yielded[way] = passed(kinds);
      if (!kinds.empty())
        line("scf.yield " + list(yielded[way], true));
    });
  std::string head = kinds.empty() ? "" : list(results, false) + " = ";
  line(head + "scf.if " + name(condition) + (kinds.empty() ? "" : " -> (" + types(kinds) + ")") +
       " {");
  block->text += arms[0]->text;
  if (hasElse)
    block->text += "} else {\n" + arms[1]->text;
  line("}");
  node([=](Machine &m, const Items &items) {
    auto [taken, others] = split(m, items, condition);
    arms[0]->run(m, taken);
    copy(m, taken, yielded[0], results);
    if (!hasElse)
      return;
    arms[1]->run(m, others);
    copy(m, others, yielded[1], results);
  });
  scope.insert(scope.end(), results.begin(), results.end());
}

void Generator::choice(int depth, bool isUniform) {
  int selector = clampedPick(-1, 4, isUniform);
  isUniform &= known[selector].isUniform;
  std::vector<Kind> kinds;
  for (int64_t count = below(3); count > 0; --count)
    kinds.push_back(anyKind());
  std::vector<int> results = freshOf(kinds);
  std::vector<std::vector<int>> yielded(4);
  std::vector<BlockPtr> arms;
  const int64_t keys[] = {0, 1, 3};
  std::string text;
  for (int way = 0; way < 4; ++way) {
    arms.push_back(nested([&] {
      statements(depth - 1, isUniform, below(3));
      yielded[way] = passed(kinds);
      if (!kinds.empty())
        line("scf.yield " + list(yielded[way], true));
    }));
    text += (way < 3 ? "case " + std::to_string(keys[way]) : "default") + " {\n" +
            arms.back()->text + "}\n";
  }
  line((kinds.empty() ? "" : list(results, false) + " = ") + "scf.switch " + name(selector) +
       (kinds.empty() ? "" : " -> (" + types(kinds) + ")") + " {");
  block->text += text;
  line("}");
  node([=](Machine &m, const Items &items) {
    std::vector<Items> ways(4);
    for (int64_t item : items) {
      int64_t key = m.of(selector, item).at[0];
      ways[key == 0 ? 0 : key == 1 ? 1 : key == 3 ? 2 : 3].push_back(item);
    }
    for (int way = 0; way < 4; ++way) {
      arms[way]->run(m, ways[way]);
      copy(m, ways[way], yielded[way], results);
    }
  });
  scope.insert(scope.end(), results.begin(), results.end());
}

void Generator::loop(int depth, bool isUniform) {
  const int64_t bases[] = {
      0, 0, INT32_MAX - 3, int64_t(INT32_MIN) - 2, INT64_MAX - 6, INT64_MIN + 1};
  int64_t base = bases[below(std::size(bases))];
  int from = constant(base), offset = clampedPick(0, 3, isUniform);
  auto shifted = [&](int distance, int64_t most) {
    return add({Kind::Index, base, base + most, known[distance].isUniform},
               "index.add " + name(from) + ", " + name(distance) + " : index",
               [from, distance](Machine &m, int64_t i) {
                 return Value{{m.of(from, i).at[0] + m.of(distance, i).at[0]}};
               });
  };
  int lower = shifted(offset, 3), upper = shifted(clampedPick(0, 6, isUniform), 6);
  int step = steps[isUniform ? below(2) : below(3)];
  isUniform &= known[lower].isUniform && known[upper].isUniform && known[step].isUniform;
  std::vector<Kind> kinds;
  for (int64_t count = below(4); count > 0; --count)
    kinds.push_back(anyKind());
  bool swaps = kinds.size() >= 2 && chance(40);
  if (swaps)
    kinds[1] = kinds[0];
  std::vector<int> inits = passed(kinds), arguments = freshOf(kinds), results = freshOf(kinds);
  std::vector<int> yielded;
  int counter = fresh({Kind::Index, base, base + 6, isUniform});
  BlockPtr body = nested([&] {
    scope.push_back(counter);
    scope.insert(scope.end(), arguments.begin(), arguments.end());
    statements(depth - 1, isUniform, 1 + below(3));
    yielded = passed(kinds);
    if (swaps) {
      yielded[0] = arguments[1];
      yielded[1] = arguments[0];
    }
    if (!kinds.empty())
      line("scf.yield " + list(yielded, true));
  });
  std::string bindings;
  for (size_t k = 0; k < kinds.size(); ++k)
    bindings +=
        (k ? ", " : "") + name(arguments[k]) + " = " + name(inits[k]) + " : " + typeOf(kinds[k]);
  line((kinds.empty() ? "" : list(results, false) + " = ") + "scf.for " + name(counter) + " = [" +
       name(lower) + " to " + name(upper) + " step " + name(step) + "]" +
       (kinds.empty() ? "" : "(" + bindings + ") -> (" + types(kinds) + ")") + " {");
  block->text += body->text;
  line("}");
  node([=](Machine &m, const Items &items) {
    copy(m, items, inits, arguments);
    Items running;
    for (int64_t i : items) {
      m.of(counter, i) = m.of(lower, i);
      if (m.of(lower, i).at[0] < m.of(upper, i).at[0])
        running.push_back(i);
    }
    while (!running.empty()) {
      body->run(m, running);
      copy(m, running, yielded, arguments);
      Items next;
      for (int64_t i : running) {
        int64_t &current = m.of(counter, i).at[0];
        uint64_t distance = uint64_t(m.of(upper, i).at[0]) - uint64_t(current);
        if (distance <= uint64_t(m.of(step, i).at[0]))
          continue;
        current += m.of(step, i).at[0];
        next.push_back(i);
      }
      running = next;
    }
    copy(m, items, arguments, results);
  });
  scope.insert(scope.end(), results.begin(), results.end());
}

void Generator::whileLoop(int depth, bool isUniform) {
  std::vector<Kind> kinds = {Kind::Index};
  for (int64_t count = below(4); count > 0; --count)
    kinds.push_back(anyKind());
  const std::vector<Kind> &forwarded = kinds;
  int start = clampedPick(0, 5, isUniform);
  isUniform &= known[start].isUniform;
  std::vector<int> inits = passed(kinds);
  inits[0] = start;
  std::vector<int> first = freshOf(kinds), second = freshOf(forwarded);
  std::vector<int> results = freshOf(forwarded), values, yielded;
  for (int counter : {first[0], second[0], results[0]})
    known[counter] = {Kind::Index, -1, 5, isUniform && counter != results[0]};
  int condition = -1;
  BlockPtr before = nested([&] {
    scope.insert(scope.end(), first.begin(), first.end());
    statements(depth - 1, isUniform, below(2));
    int zero = constant(0), counter = first[0];
    condition =
        add({Kind::I1, 0, 0, isUniform},
            "index.cmp sgt, " + name(counter) + ", " + name(zero) + " : index",
            [counter](Machine &m, int64_t i) { return Value{{m.of(counter, i).at[0] > 0}}; });
    if (!isUniform && chance(40)) {
      int other = comparison(false), both = condition;
      condition =
          add({Kind::I1, 0, 0, false}, "scalar.andi " + name(both) + ", " + name(other) + " : i1",
              [both, other](Machine &m, int64_t i) {
                return Value{{m.of(both, i).at[0] & m.of(other, i).at[0]}};
              });
    }
    values = passed(forwarded);
    values[0] = counter;
    line("scf.condition " + name(condition) + ", " + list(values, false) + " : i1, " +
         types(forwarded));
  });
  BlockPtr after = nested([&] {
    scope.insert(scope.end(), second.begin(), second.end());
    statements(depth - 1, isUniform, 1 + below(2));
    yielded = passed(kinds);
    int one = constant(1), counter = second[0];
    yielded[0] =
        add({Kind::Index, -1, 4, isUniform},
            "index.sub " + name(counter) + ", " + name(one) + " : index",
            [counter](Machine &m, int64_t i) { return Value{{m.of(counter, i).at[0] - 1}}; });
    line("scf.yield " + list(yielded, true));
  });
  std::string bindings, arguments;
  for (size_t k = 0; k < kinds.size(); ++k)
    bindings +=
        (k ? ", " : "") + name(first[k]) + " = " + name(inits[k]) + " : " + typeOf(kinds[k]);
  for (size_t k = 0; k < forwarded.size(); ++k)
    arguments += (k ? ", " : "") + name(second[k]) + ": " + typeOf(forwarded[k]);
  line(list(results, false) + " = scf.while(" + bindings + ") -> (" + types(forwarded) + ") {");
  block->text += before->text + "} do(" + arguments + ") {\n" + after->text + "}\n";
  node([=](Machine &m, const Items &items) {
    copy(m, items, inits, first);
    Items running = items;
    while (!running.empty()) {
      before->run(m, running);
      auto [going, leaving] = split(m, running, condition);
      copy(m, leaving, values, results);
      copy(m, going, values, second);
      after->run(m, going);
      copy(m, going, yielded, first);
      running = going;
    }
  });
  scope.insert(scope.end(), results.begin(), results.end());
}

void Generator::leave(int depth) {
  int condition = comparison(chance(15));
  BlockPtr last = nested([&] { statements(depth, false, below(3)); });
  line("kernel.exit " + name(condition) + " : i1 {");
  block->text += last->text;
  line("}");
  node([=](Machine &m, const Items &items) {
    Items leaving = split(m, items, condition).first;
    last->run(m, leaving);
    for (int64_t i : leaving)
      m.left[i] = true;
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string Generator::generate(const std::string &kernel, const Launch &launch, bool isExact) {
  body = std::make_shared<Block>();
  block = body.get();
  auto query = [&](Known what, const std::string &text, Run run) {
    return add(what, text + " : index", run);
  };
  const char *axes[] = {"x", "y", "z"};
  int ids[3];
  for (int d = 0; d < 3; ++d)
    ids[d] = query({Kind::Index, 0, 255, false}, std::string("kernel.workitem.id<") + axes[d] + ">",
                   [d](Machine &m, int64_t i) {
                     int64_t rest = i % m.launch->groupItems();
                     for (int k = 0; k < d; ++k)
                       rest /= m.launch->size[k];
                     return Value{{d == 2 ? rest : rest % m.launch->size[d]}};
                   });
  int group = query({Kind::Index, 0, 1, true}, "kernel.workgroup.id<x>",
                    [](Machine &m, int64_t i) { return Value{{i / m.launch->groupItems()}}; });
  line("%sx = kernel.workgroup.size<x> : index\n%sy = kernel.workgroup.size<y> : index");
  line("%sz = kernel.workgroup.size<z> : index\n%area = index.mul %sx, %sy : index");
  total = query({Kind::Index, 1, 256, true}, "index.mul %area, %sz",
                [](Machine &m, int64_t) { return Value{{m.launch->groupItems()}}; });
  line("%plane = index.madd " + name(ids[2]) + ", %sy, " + name(ids[1]) + " : index");
  local = query({Kind::Index, 0, 255, false}, "index.madd %plane, %sx, " + name(ids[0]),
                [](Machine &m, int64_t i) { return Value{{i % m.launch->groupItems()}}; });
  if (options.isFlat) {
    scope.clear();
    local = ids[0];
    scope = {ids[0], group, total};
  }
  line("%in_all = index.madd " + name(group) + ", " + name(total) + ", " + name(local) +
       " : index");
  item = query({Kind::Index, 0, kMostItems - 1, false}, "index.min %in_all, %most",
               [](Machine &, int64_t i) { return Value{{i}}; });
  int count = query({Kind::Index, 0, 40, true}, "index.min %n, %forty",
                    [](Machine &m, int64_t) { return Value{{m.launch->count}}; });
  for (int view = 0; view < 2; ++view) {
    int id = fresh({Kind::View, 0, 0, true});
    line(name(id) + " = buffer.view %b" + std::to_string(view) + "[%base] : buffer -> " + kRows);
    node([=](Machine &m, const Items &items) {
      for (int64_t i : items)
        m.of(id, i).at[0] = view;
    });
    scope.push_back(id);
  }
  add({Kind::I32, 0, 0, true}, "index.cast " + name(count) + " : index to i32",
      [count](Machine &m, int64_t i) { return m.of(count, i); });
  load();
  // Of 1 to 3. Made here, because nothing is known in code that is never reached.
  steps = {constant(2), clampedPick(1, 3, true), clampedPick(1, 3, false)};
  for (int &step : steps) {
    int from = step;
    step = add({Kind::Index, 1, 3, known[from].isUniform},
               "index.assume " + name(from) + " [range(" + name(from) + ", 1, 3)] : index",
               [from](Machine &m, int64_t i) { return m.of(from, i); });
  }
  if (options.hasBarriers)
    line("%bytes = index.constant 4096 : offset\n"
         "%memory = buffer.alloca<workgroup> align(16) %bytes : buffer\n"
         "%shared = buffer.view %memory[%base] : buffer -> view<1024xi32>");
  for (int round = 0; round < 3; ++round) {
    statements(3, true, 3);
    if (options.hasExits)
      leave(2);
  }
  for (int i = 0; i < 4; ++i)
    store();
  auto extent = [&](int d) {
    return isExact ? "index.constant " + std::to_string(launch.size[d]) + " : index"
                   : std::string();
  };
  std::string text = "kernel.def export(\"" + kernel + "\") @" + kernel +
                     "(%wx: index, %wy: index, %wz: index) {\n"
                     "%groups = index.constant 2 : index\n%one = index.constant 1 : index\n";
  std::string sizes[3];
  for (int d = 0; d < 3; ++d) {
    sizes[d] = isExact ? "%size" + std::to_string(d) : std::string("%w") + axes[d];
    if (isExact)
      text += sizes[d] + " = " + extent(d) + "\n";
  }
  text += "kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(" + sizes[0] + ", " +
          sizes[1] + ", " + sizes[2] + ") : index\n";
  return text +
         "} launch(%n: index, %b0: buffer, %b1: buffer) {\n"
         "%base = index.constant 0 : offset\n%forty = index.constant 40 : index\n"
         "%most = index.constant 511 : index\n" +
         body->text + "kernel.return\n}\n";
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

struct Trial {
  std::shared_ptr<Generator> generator;
  std::string name, text;
  Launch launch;
};

class LanesControlTest : public LanesTest {
protected:
  void check(const Trial &trial, const x86::CompiledKernels &kernels);
  void run(Options options, unsigned programs, unsigned firstSeed);
};

void LanesControlTest::check(const Trial &trial, const x86::CompiledKernels &kernels) {
  for (int64_t count : {0, 3, 40}) {
    Launch launch = trial.launch;
    launch.count = count;
    std::mt19937 random(count);
    // Guards behind the rows that are there.
    for (std::vector<int32_t> &rows : launch.rows) {
      rows.resize(kMostItems * kSlots);
      for (int32_t &slot : rows)
        slot = static_cast<int32_t>(random() % 64) - 20;
    }
    std::vector<int32_t> actual[] = {launch.rows[0], launch.rows[1]};
    launchSized(kernels, trial.name, launch.groups, launch.size,
                Arguments().add(count).add(actual[0]).add(actual[1]));
    Machine machine;
    machine.launch = &launch;
    machine.values.assign(trial.generator->valueCount(), std::vector<Value>(launch.items()));
    machine.left.assign(launch.items(), false);
    // One workgroup after the other.
    for (int64_t group = 0; group < launch.groups; ++group) {
      Items items;
      for (int64_t i = 0; i < launch.groupItems(); ++i)
        items.push_back(group * launch.groupItems() + i);
      trial.generator->body->run(machine, items);
    }
    for (int view = 0; view < 2; ++view)
      for (size_t i = 0; i < actual[view].size(); ++i) {
        bool bothNaN = asFloat(actual[view][i]) != asFloat(actual[view][i]) &&
                       launch.rows[view][i] == 0x7fc00000;
        ASSERT_TRUE(actual[view][i] == launch.rows[view][i] || bothNaN)
            << trial.name << ", %n = " << count << ", " << launch.lanes << " lanes, workgroup "
            << launch.size[0] << "x" << launch.size[1] << "x" << launch.size[2] << ", view " << view
            << ", item " << i / kSlots << ", slot " << i % kSlots << ": " << actual[view][i]
            << ", expected " << launch.rows[view][i] << "\n"
            << trial.text;
      }
  }
}

void LanesControlTest::run(Options options, unsigned programs, unsigned firstSeed) {
  const std::array<int64_t, 3> sizes[] = {{16, 1, 1}, {64, 1, 1}, {40, 1, 1},  {7, 1, 1},
                                          {8, 4, 2},  {1, 1, 1},  {100, 1, 1}, {128, 1, 1}};
  for (unsigned profile = 0; profile < std::size(kLaneProfiles); ++profile) {
    std::vector<Trial> trials;
    std::string text;
    for (unsigned k = profile; k < programs; k += std::size(kLaneProfiles)) {
      Trial trial;
      trial.launch.size = sizes[(k / std::size(kLaneProfiles)) % std::size(sizes)];
      trial.launch.groups = 2;
      trial.launch.lanes = kLaneProfiles[profile].lanes;
      options.isFlat = trial.launch.size[1] == 1;
      trial.generator = std::make_shared<Generator>(firstSeed + k, options);
      trial.name = "k" + std::to_string(firstSeed + k);
      trial.text = trial.generator->generate(trial.name, trial.launch, k % 3 != 0);
      if (getenv("LANES_DUMP")) {
        FILE *f = fopen((std::string(getenv("LANES_DUMP")) + "/" + trial.name + "_" +
                         std::to_string(trial.launch.lanes) + ".loom")
                            .c_str(),
                        "w");
        fputs(trial.text.c_str(), f);
        fclose(f);
        continue;
      }
      text += trial.text;
      trials.push_back(trial);
    }
    std::optional<x86::CompiledKernels> kernels = tryCompile(text, kLaneProfiles[profile].key);
    if (!kernels) {
      // Which one it is.
      std::string errors = takeErrors();
      for (const Trial &trial : trials)
        if (!compileFor(trial.text, kLaneProfiles[profile].key))
          return;
      FAIL() << errors;
    }
    for (const Trial &trial : trials) {
      check(trial, *kernels);
      if (HasFatalFailure())
        return;
    }
  }
}

TEST_F(LanesControlTest, Divergent) { run({false, false, false}, 64, 1000); }
TEST_F(LanesControlTest, WithCollectives) { run({false, false, true}, 32, 2000); }
TEST_F(LanesControlTest, WithExits) { run({false, true, true}, 32, 3000); }
TEST_F(LanesControlTest, WithBarriers) { run({true, false, true}, 64, 4000); }

} // namespace
} // namespace loom::test
