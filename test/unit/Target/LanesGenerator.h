//===- LanesGenerator.h - Random programs of many lanes ---------*- C++ -*-===//
//
// A generator writes a program as text and, beside it, as a tree that is run here for all
// work-items, statement by statement: a construct runs each of its regions for those work-items
// that take it. Each work-item writes to rows of its own, or between barriers, so that there is one
// right answer.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TEST_UNIT_TARGET_LANESGENERATOR_H
#define LOOM_TEST_UNIT_TARGET_LANESGENERATOR_H

#include "LanesPrograms.h"

namespace loom::test::generator {

inline constexpr int64_t kSlots = 8; ///< of a row
inline constexpr int64_t kMostItems = 2 * 256;

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
inline constexpr const char *kRows = "view<512x8xi32>";

int32_t lowBits(int64_t value);
/// Floats as bits; one NaN stands for all.
float asFloat(int64_t bits);
int64_t floatBits(float value);

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

  void positions();
  void prologue();
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

} // namespace loom::test::generator

#endif // LOOM_TEST_UNIT_TARGET_LANESGENERATOR_H
