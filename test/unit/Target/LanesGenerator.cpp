//===- LanesGenerator.cpp - Random programs of many lanes -----------------===//
#include "LanesGenerator.h"

namespace loom::test::generator {

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
// Values
//===----------------------------------------------------------------------===//

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
                [place = local](Machine &m, int64_t i) { return m.of(place, i); });
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
// Kernels
//===----------------------------------------------------------------------===//

/// Where a work-item is, and the rows that it owns.
void Generator::positions() {
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
  add({Kind::I32, 0, 0, true}, "index.cast " + name(count) + " : index to i32",
      [count](Machine &m, int64_t i) { return m.of(count, i); });
}

/// What programs begin with.
void Generator::prologue() {
  positions();
  for (int view = 0; view < 2; ++view) {
    int id = fresh({Kind::View, 0, 0, true});
    line(name(id) + " = buffer.view %b" + std::to_string(view) + "[%base] : buffer -> " + kRows);
    node([=](Machine &m, const Items &items) {
      for (int64_t i : items)
        m.of(id, i).at[0] = view;
    });
    scope.push_back(id);
  }
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
}

std::string Generator::generate(const std::string &kernel, const Launch &launch, bool isExact) {
  body = std::make_shared<Block>();
  block = body.get();
  prologue();
  for (int round = 0; round < 2; ++round) {
    statements(3, true, 2);
    if (options.hasExits)
      leave(2);
  }
  for (int i = 0; i < 3; ++i)
    store();
  std::string text = "kernel.def export(\"" + kernel + "\") @" + kernel +
                     "(%wx: index, %wy: index, %wz: index) {\n"
                     "%groups = index.constant 2 : index\n%one = index.constant 1 : index\n";
  std::string sizes[3];
  for (int d = 0; d < 3; ++d) {
    sizes[d] = isExact ? "%size" + std::to_string(d) : "%w" + std::string(1, "xyz"[d]);
    if (isExact)
      text += sizes[d] + " = index.constant " + std::to_string(launch.size[d]) + " : index\n";
  }
  text += "kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(" + sizes[0] + ", " +
          sizes[1] + ", " + sizes[2] + ") : index\n";
  return text +
         "} launch(%n: index, %b0: buffer, %b1: buffer) {\n"
         "%base = index.constant 0 : offset\n%forty = index.constant 40 : index\n"
         "%most = index.constant 511 : index\n" +
         body->text + "kernel.return\n}\n";
}

} // namespace loom::test::generator
