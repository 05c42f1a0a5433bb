//===- LanesConstructs.cpp - Control flow of random programs --------------===//
#include "LanesGenerator.h"

namespace loom::test::generator {

static std::string typeOf(Kind kind) {
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

} // namespace loom::test::generator
