//===- LanesCollectivesTest.cpp - Collectives of a subgroup ---------------===//
//
// A kernel loads for each work-item a flag, a value and the operands of shuffles, runs the
// collectives in those lanes whose flag is set, and stores the results of each in rows of its own.
// Flags and values are random; a launch has workgroups enough for 64 patterns and more.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

/// What the active lanes of one subgroup hold.
struct Subgroup {
  const ElementType *type;
  std::vector<bool> active;
  std::vector<Elements> values;
  std::vector<uint32_t> offsets, widths, sources;

  int64_t lanes() const { return active.size(); }
  int64_t first() const { return llvm::find(active, true) - active.begin(); }
  uint64_t activeBits() const {
    uint64_t bits = 0;
    for (int64_t lane = 0; lane < lanes(); ++lane)
      bits |= uint64_t(active[lane]) << lane;
    return bits;
  }
  bool flag(int64_t lane) const { return values[lane][0] & 1; }
};

/// The results of the lanes; nothing where nothing is said.
using Results = std::vector<std::optional<Elements>>;

struct Collective {
  std::string text;   ///< defines %r; $T is the type, %v the value
  std::string result; ///< $T or a type
  std::function<Results(const Subgroup &)> expected;
};

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

/// Calls `function` for each cluster with the numbers of its lanes, in ascending order.
void forEachCluster(int64_t lanes, int64_t size, int64_t stride,
                    llvm::function_ref<void(const std::vector<int64_t> &)> function) {
  for (int64_t begin = 0; begin < lanes; begin += size * stride)
    for (int64_t offset = 0; offset < stride; ++offset) {
      std::vector<int64_t> members;
      for (int64_t k = 0; k < size; ++k)
        members.push_back(begin + offset + k * stride);
      function(members);
    }
}

/// Element `number` of the lanes `members`, inactive ones being the identity.
std::vector<uint64_t> column(const Subgroup &group, const std::string &kind,
                             const std::vector<int64_t> &members, size_t number) {
  std::vector<uint64_t> values;
  for (int64_t lane : members)
    values.push_back(group.active[lane] ? group.values[lane][number]
                                        : identityOf(kind, *group.type));
  return values;
}

Results
combineClusters(const Subgroup &group, const std::string &kind, int64_t size, int64_t stride,
                llvm::function_ref<std::vector<uint64_t>(std::vector<uint64_t> values)> function) {
  size_t count = group.values[0].size();
  Results results(group.lanes(), Elements(count));
  forEachCluster(group.lanes(), size, stride, [&](const std::vector<int64_t> &members) {
    for (size_t k = 0; k < count; ++k) {
      std::vector<uint64_t> combined = function(column(group, kind, members, k));
      for (size_t i = 0; i < members.size(); ++i)
        (*results[members[i]])[k] = combined[i];
    }
  });
  return results;
}

std::string clusterText(int64_t size, int64_t stride, int64_t lanes) {
  std::string text = size == lanes ? "" : "cluster_size = " + std::to_string(size);
  return stride == 1 ? text : text + ", cluster_stride = " + std::to_string(stride);
}

Collective reduceOf(const std::string &kind, int64_t size, int64_t stride, int64_t lanes) {
  std::string clusters = clusterText(size, stride, lanes);
  if (!clusters.empty())
    clusters = " {" + clusters + "}";
  return {"%r = kernel.subgroup.reduce<" + kind + "> %v" + clusters + " : $T", "$T",
          [=](const Subgroup &group) {
            return combineClusters(group, kind, size, stride, [&](std::vector<uint64_t> values) {
              uint64_t all = reduceTree(kind, *group.type, values);
              return std::vector<uint64_t>(values.size(), all);
            });
          }};
}

Collective scanOf(const std::string &kind, bool isReverse, bool isExclusive, int64_t size,
                  int64_t stride, int64_t lanes) {
  std::string clusters = clusterText(size, stride, lanes);
  if (!clusters.empty())
    clusters += ", ";
  std::string text = "%r = kernel.subgroup.scan<" + kind + "> %v {" + clusters +
                     "direction = " + (isReverse ? "reverse" : "forward") +
                     ", mode = " + (isExclusive ? "exclusive" : "inclusive") + "} : $T";
  return {text, "$T", [=](const Subgroup &group) {
            return combineClusters(group, kind, size, stride, [&](std::vector<uint64_t> values) {
              if (isReverse)
                return scanBackwards(kind, *group.type, values, isExclusive);
              return scanDoubling(kind, *group.type, values, isExclusive);
            });
          }};
}

/// The lane that a shuffle reads, or nothing when it lies outside of the cluster or subgroup.
std::optional<int64_t> sourceOf(const std::string &mode, int64_t lane, int64_t offset,
                                int64_t width, int64_t lanes) {
  int64_t base = lane / width * width;
  int64_t from = mode == "xor"    ? lane ^ offset
                 : mode == "up"   ? lane - offset
                 : mode == "down" ? lane + offset
                                  : base + offset;
  if (from < base || from >= base + width || from < 0 || from >= lanes)
    return std::nullopt;
  return from;
}

/// Constant operands in place of the loaded ones where they are given.
Collective shuffleOf(const std::string &mode, bool wantsFlag, std::optional<uint32_t> offset = {},
                     std::optional<uint32_t> width = {}) {
  std::string first = offset ? "%c" + std::to_string(*offset) : "%offset";
  std::string second = width ? "%c" + std::to_string(*width) : "%width";
  std::string results = wantsFlag ? "%unused, %r" : "%r, %unused";
  return {results + " = kernel.subgroup.shuffle<" + mode + "> %v, " + first + ", " + second +
              " : $T, i32, i32",
          wantsFlag ? "i1" : "$T", [=](const Subgroup &group) {
            Results all(group.lanes());
            for (int64_t lane = 0; lane < group.lanes(); ++lane) {
              std::optional<int64_t> from =
                  sourceOf(mode, lane, offset.value_or(group.offsets[lane]),
                           width.value_or(group.widths[lane]), group.lanes());
              if (wantsFlag)
                all[lane] = Elements{from.has_value()};
              else if (from && group.active[*from])
                all[lane] = group.values[*from];
            }
            return all;
          }};
}

Collective sameForAll(const std::string &text, const std::string &result,
                      std::function<Elements(const Subgroup &)> value) {
  return {text, result,
          [=](const Subgroup &group) { return Results(group.lanes(), value(group)); }};
}

/// Lanes with the same value as `lane`.
uint64_t peersOf(const Subgroup &group, int64_t lane) {
  uint64_t bits = 0;
  for (int64_t other = 0; other < group.lanes(); ++other)
    if (group.active[other] && group.values[other] == group.values[lane])
      bits |= uint64_t(1) << other;
  return bits;
}

uint64_t ballotOf(const Subgroup &group) {
  uint64_t bits = 0;
  for (int64_t lane = 0; lane < group.lanes(); ++lane)
    if (group.active[lane] && group.flag(lane))
      bits |= uint64_t(1) << lane;
  return bits;
}

//===----------------------------------------------------------------------===//
// The collectives
//===----------------------------------------------------------------------===//

/// Which shuffles and masks there are changes with `turn`.
void addMoves(std::vector<Collective> &list, bool isVector, unsigned turn) {
  const char *const modes[] = {"xor", "up", "down", "index"};
  for (unsigned i = 0; i < 4; ++i) {
    if (isTaken(i + turn, 2))
      list.push_back(shuffleOf(modes[i], false));
    if (isTaken(i + turn + 1 + turn / 4, 4))
      list.push_back(shuffleOf(modes[i], true));
  }
  if (!isVector) {
    const Collective constants[] = {shuffleOf("down", false, 1, 16), shuffleOf("up", true, 3, 8),
                                    shuffleOf("index", false, {}, 8), shuffleOf("xor", false, 3)};
    list.push_back(constants[turn % 4]);
  }
  list.push_back(sameForAll("%r = kernel.subgroup.broadcast.first %v : $T", "$T",
                            [](const Subgroup &group) { return group.values[group.first()]; }));
  if (isTaken(turn, 2))
    list.push_back({"%r = kernel.subgroup.broadcast %v from %source : $T, i32", "$T",
                    [](const Subgroup &group) {
                      Results all;
                      for (uint32_t source : group.sources)
                        all.push_back(group.values[source]);
                      return all;
                    }});
  if (isTaken(turn + 1, 2))
    list.push_back(sameForAll("%r = kernel.subgroup.broadcast %v from %last : $T, i32", "$T",
                              [](const Subgroup &group) {
                                return group.values[63 - llvm::countl_zero(group.activeBits())];
                              }));
}

/// Types of masks that have a bit for each lane.
std::vector<std::string> maskTypes(int64_t lanes) {
  return lanes <= 32 ? std::vector<std::string>{"i64", "i32"} : std::vector<std::string>{"i64"};
}

void addMatches(std::vector<Collective> &list, int64_t lanes, unsigned turn) {
  for (const std::string &width : maskTypes(lanes)) {
    if (!isTaken(turn++, 2))
      continue;
    list.push_back(
        {"%r = kernel.subgroup.match.any %v : $T -> " + width, width, [](const Subgroup &group) {
           Results all;
           for (int64_t lane = 0; lane < group.lanes(); ++lane)
             all.push_back(Elements{peersOf(group, lane)});
           return all;
         }});
    list.push_back(
        sameForAll("%r, %unused = kernel.subgroup.match.all %v : $T -> " + width + ", i1", width,
                   [](const Subgroup &group) {
                     uint64_t all = group.activeBits();
                     return Elements{peersOf(group, group.first()) == all ? all : 0};
                   }));
  }
  list.push_back(sameForAll("%unused, %r = kernel.subgroup.match.all %v : $T -> i64, i1", "i1",
                            [](const Subgroup &group) {
                              return Elements{peersOf(group, group.first()) == group.activeBits()};
                            }));
}

/// Of a value of type i1.
void addVotes(std::vector<Collective> &list, int64_t lanes) {
  for (const std::string &width : maskTypes(lanes)) {
    list.push_back(sameForAll("%r = kernel.subgroup.vote.ballot %v : i1 -> " + width, width,
                              [](const Subgroup &group) { return Elements{ballotOf(group)}; }));
    list.push_back(sameForAll("%r = kernel.subgroup.active.mask : " + width, width,
                              [](const Subgroup &group) { return Elements{group.activeBits()}; }));
  }
  list.push_back(sameForAll("%r = kernel.subgroup.vote.any %v : i1", "i1",
                            [](const Subgroup &g) { return Elements{ballotOf(g) != 0}; }));
  list.push_back(sameForAll("%r = kernel.subgroup.vote.all %v : i1", "i1", [](const Subgroup &g) {
    return Elements{ballotOf(g) == g.activeBits()};
  }));
}

/// Every kind over the whole subgroup, and one scan and one operation on clusters, whose shape and
/// way change from kind to kind, type to type and size to size.
void addCombinations(std::vector<Collective> &list, const ElementType &type, int64_t lanes,
                     size_t most, unsigned turn) {
  const std::pair<int64_t, int64_t> clusters[] = {{4, 1},         {2, 4},         {lanes / 2, 2},
                                                  {1, 1},         {lanes / 2, 1}, {2, lanes / 2},
                                                  {4, lanes / 4}, {2, 1},         {8, 1}};
  std::vector<std::string> kinds = kindsOf(type);
  kinds.resize(std::min(kinds.size(), most));
  for (auto [i, kind] : llvm::enumerate(kinds)) {
    if (!isTaken(i + turn, 4))
      continue;
    unsigned way = (i / 2 + turn / 2 + lanes / 16) % 4;
    auto [size, stride] = clusters[(i + 2 * turn) % std::size(clusters)];
    list.push_back(reduceOf(kind, lanes, 1, lanes));
    list.push_back(scanOf(kind, way & 1, way & 2, lanes, 1, lanes));
    if ((i + turn / 4) % 2)
      list.push_back(reduceOf(kind, size, stride, lanes));
    else
      list.push_back(scanOf(kind, ~way & 1, way & 2, size, stride, lanes));
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

constexpr int64_t kMostItems = 64 * 64;

std::string vectorOf(int64_t count, const std::string &type) {
  return count ? "vector<" + std::to_string(count) + "x" + type + ">" : type;
}

/// A load or store of a value for work-item %i; a carried index is converted.
std::string access(bool isLoad, const std::string &value, const std::string &view,
                   const std::string &type, int64_t count) {
  bool isIndex = type == "index";
  std::string element = isIndex ? "i64" : type, whole = vectorOf(count, element);
  std::string dims = std::to_string(kMostItems) + "x" + (count ? std::to_string(count) + "x" : "");
  std::string viewType = "view<" + dims + element + ">";
  std::string op = count ? "vector" : "view", place = view + (count ? "[%i, 0]" : "[%i]");
  std::string moved = isIndex ? value + "_bits" : value;
  if (isLoad) {
    std::string text = moved + " = " + op + ".load " + place + " : " + viewType + " -> " + whole;
    return text + (isIndex ? "\n" + value + " = index.cast " + moved + " : i64 to index\n" : "\n");
  }
  std::string text = isIndex ? moved + " = index.cast " + value + " : index to i64\n" : "";
  return text + op + ".store " + moved + ", " + place + " : " + whole + ", " + viewType + "\n";
}

std::string view(const std::string &name, const std::string &buffer, int64_t offset,
                 const std::string &type, int64_t count) {
  std::string element = type == "index" ? "i64" : type;
  return name + "_at = index.constant " + std::to_string(offset) + " : offset\n" + name +
         " = buffer.view " + buffer + "[" + name + "_at] : buffer -> view<" +
         std::to_string(kMostItems) + "x" + (count ? std::to_string(count) + "x" : "") + element +
         ">\n";
}

/// A type with what is tried on it.
struct Program {
  std::string type;
  int64_t count; ///< of a vector; 0 is a scalar
  std::vector<Collective> list;
  int64_t size = 0; ///< of a workgroup, 0 where the launch says it

  ElementType element() const { return carrierOf(type); }
  int64_t number() const { return std::max<int64_t>(count, 1); }
  bool isLike(const Collective &c) const { return c.result == "$T"; }
  std::string resultType(const Collective &c) const { return isLike(c) ? type : c.result; }
  int64_t resultCount(const Collective &c) const { return isLike(c) ? count : 0; }
  int64_t resultBytes(const Collective &c) const {
    return carrierOf(resultType(c)).bytes * std::max<int64_t>(resultCount(c), 1);
  }
  /// Adds views of the buffers and the collectives.
  void addText(std::string &views, std::string &body) const;
};

void Program::addText(std::string &views, std::string &body) const {
  views += view("%values", "%in", 0, type, count);
  body += access(true, "%v", "%values", type, count);
  int64_t offset = 0;
  for (auto [i, c] : llvm::enumerate(list)) {
    std::string number = std::to_string(i);
    views += view("%o" + number, "%out", offset, resultType(c), resultCount(c));
    offset += kMostItems * resultBytes(c);
    std::string op = replaced(c.text, "%unused", "%other" + number);
    op = replaced(replaced(op, "%r", "%r" + number), "$T", vectorOf(count, type));
    body += op + "\n" + access(false, "%r" + number, "%o" + number, resultType(c), resultCount(c));
  }
}

std::string kernelText(const std::string &name, const Program &program) {
  std::string views, body;
  program.addText(views, body);
  std::string text = R"(
kernel.def export("$name") @$name(%n: index, %size: index) {
  %one = index.constant 1 : index
  %exact = index.constant $number : index
  kernel.launch.config workgroups(%n, %one, %one) workgroup_size($size, %one, %one) : index
} launch(%flags: buffer, %numbers: buffer, %in: buffer, %out: buffer) {
)" + view("%f", "%flags", 0, "i8", 0) +
                     view("%offsets", "%numbers", 0, "i32", 0) +
                     view("%widths", "%numbers", kMostItems * 4, "i32", 0) +
                     view("%sources", "%numbers", kMostItems * 8, "i32", 0) + views +
                     "%c1 = scalar.constant 1 : i32\n%c3 = scalar.constant 3 : i32\n"
                     "%c8 = scalar.constant 8 : i32\n%c16 = scalar.constant 16 : i32\n"
                     "%i = kernel.workitem.dispatch.id<x> : index\n" +
                     access(true, "%flag", "%f", "i8", 0) + R"(
  %none = scalar.constant 0 : i8
  %active = scalar.cmpi ne, %flag, %none : i8
  scf.if %active {
)" + access(true, "%offset", "%offsets", "i32", 0) +
                     access(true, "%width", "%widths", "i32", 0) +
                     access(true, "%source", "%sources", "i32", 0) + R"(
  %lane = kernel.subgroup.lane.id : index
  %lane32 = index.cast %lane : index to i32
  %last = kernel.subgroup.reduce<maxsi> %lane32 : i32
)" + body + "  }\n  kernel.return\n}\n";
  text = replaced(text, "$size", program.size ? "%exact" : "%size");
  text = replaced(text, "$number", std::to_string(program.size));
  return replaced(text, "$name", name);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// What all programs of a launch read.
struct Inputs {
  std::vector<uint8_t> flags = std::vector<uint8_t>(kMostItems, 1);
  std::vector<uint32_t> numbers = std::vector<uint32_t>(3 * kMostItems);
  std::vector<unsigned> ways = std::vector<unsigned>(kMostItems); ///< for each first lane

  Inputs(int64_t lanes, int64_t groups, int64_t size, Random &random);
};

/// Patterns: all lanes, one lane, every other, and random ones of every density.
Inputs::Inputs(int64_t lanes, int64_t groups, int64_t size, Random &random) {
  const uint32_t widths[] = {1, 2, 3, 4, 5, 8, 16, 32, 64, 100, uint32_t(lanes)};
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t first = 0; first < size; first += lanes) {
      unsigned way = random() % 8, density = random() % 256;
      int64_t one = random() % lanes, begin = group * size + first;
      int64_t count = std::min(lanes, size - first);
      ways[begin] = random() % 8;
      std::vector<uint32_t> active;
      for (int64_t i = 0; i < count; ++i) {
        bool isActive = way == 0   ? true
                        : way == 1 ? i == one
                        : way == 2 ? i % 2 == 0
                                   : random() % 256 < density;
        flags[begin + i] = isActive ? 1 + random() % 255 : 0;
        if (isActive)
          active.push_back(i);
      }
      for (int64_t i = begin; i < begin + count; ++i) {
        numbers[i] = random() % 4 ? random() % lanes : uint32_t(random());
        numbers[kMostItems + i] = widths[random() % std::size(widths)];
        numbers[2 * kMostItems + i] = active.empty() ? 0 : active[random() % active.size()];
      }
    }
}

/// Random values; in some subgroups all alike, in some small so that they meet.
std::vector<uint8_t> valuesOf(const Program &program, const Inputs &inputs, int64_t lanes,
                              int64_t groups, int64_t size, Random &random) {
  ElementType type = program.element();
  int64_t number = program.number();
  std::vector<uint8_t> values(kMostItems * number * type.bytes);
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t first = 0; first < size; first += lanes) {
      int64_t begin = group * size + first, count = std::min(lanes, size - first);
      uint64_t alike = type.random(random);
      for (int64_t i = begin * number; i < (begin + count) * number; ++i) {
        uint64_t value = inputs.ways[begin] == 0 ? alike : type.random(random);
        if (inputs.ways[begin] == 1 && !type.isFloat())
          value = type.mask() & (value % 3);
        std::memcpy(&values[i * type.bytes], &value, type.bytes);
      }
    }
  return values;
}

Subgroup subgroupOf(const Program &program, const ElementType &type, const Inputs &inputs,
                    const std::vector<uint8_t> &values, int64_t lanes, int64_t begin,
                    int64_t count) {
  Subgroup group;
  group.type = &type;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t item = begin + lane;
    bool exists = lane < count;
    group.active.push_back(exists && inputs.flags[item]);
    Elements elements(program.number());
    for (int64_t k = 0; exists && k < program.number(); ++k)
      std::memcpy(&elements[k], &values[(item * program.number() + k) * type.bytes], type.bytes);
    group.values.push_back(elements);
    group.offsets.push_back(exists ? inputs.numbers[item] : 0);
    group.widths.push_back(exists ? inputs.numbers[kMostItems + item] : 1);
    group.sources.push_back(exists ? inputs.numbers[2 * kMostItems + item] : 0);
  }
  return group;
}

class LanesCollectivesTest : public LanesTest {
protected:
  void run(const std::vector<Program> &programs, const LaneProfile &profile);
  void launchOne(const std::string &name, const Program &program,
                 const x86::CompiledKernels &kernels, int64_t lanes, int64_t groups, int64_t size,
                 Random &random);
};

/// Compares what the collectives of a program gave in one subgroup, whose first work-item is
/// `begin`.
void check(const Program &program, const Subgroup &group, const std::vector<uint8_t> &out,
           int64_t begin, int64_t count, const std::string &where) {
  bool isRun = group.activeBits() != 0;
  int64_t offset = 0;
  for (const Collective &c : program.list) {
    ElementType type = carrierOf(program.resultType(c));
    int64_t own = program.resultBytes(c), number = own / type.bytes;
    Results expected = isRun ? c.expected(group) : Results(group.lanes());
    for (int64_t lane = 0; lane < count; ++lane)
      for (int64_t k = 0; k < number; ++k) {
        bool isActive = group.active[lane];
        if (isActive && !expected[lane])
          continue;
        uint64_t actual = 0, wanted = 0;
        std::memcpy(&actual, &out[offset + (begin + lane) * own + k * type.bytes], type.bytes);
        if (isActive)
          wanted = expected[lane]->at(k) & type.mask();
        else
          std::memset(&wanted, 0xcc, type.bytes);
        ASSERT_TRUE(isActive ? isSameValue(type, actual, wanted) : actual == wanted)
            << program.type << " x" << program.count << ", " << group.lanes() << " lanes, " << where
            << ", work-item " << begin + lane << ", active " << std::hex << group.activeBits()
            << "\n"
            << c.text << "\nelement " << k << ": " << actual << ", expected " << wanted;
      }
    offset += kMostItems * own;
  }
}

void LanesCollectivesTest::launchOne(const std::string &name, const Program &program,
                                     const x86::CompiledKernels &kernels, int64_t lanes,
                                     int64_t groups, int64_t size, Random &random) {
  Inputs inputs(lanes, groups, size, random);
  std::vector<uint8_t> values = valuesOf(program, inputs, lanes, groups, size, random);
  int64_t bytes = 0;
  for (const Collective &c : program.list)
    bytes += kMostItems * program.resultBytes(c);
  std::vector<uint8_t> out(bytes, 0xcc);
  launchSized(kernels, name, groups, {size, 1, 1},
              Arguments().add(inputs.flags).add(inputs.numbers).add(values).add(out));
  ElementType type = program.element();
  for (int64_t first = 0; first < groups * size; first += size)
    for (int64_t begin = first; begin < first + size; begin += lanes) {
      int64_t count = std::min(lanes, first + size - begin);
      Subgroup group = subgroupOf(program, type, inputs, values, lanes, begin, count);
      check(program, group, out, begin, count, "workgroup of " + std::to_string(size));
      if (HasFatalFailure())
        return;
    }
}

void LanesCollectivesTest::run(const std::vector<Program> &programs, const LaneProfile &profile) {
  // Many short kernels are compiled faster than a few long ones, and those of one size faster than
  // those of any.
  std::vector<Program> parts;
  std::string text;
  for (const Program &program : programs)
    for (llvm::ArrayRef<Collective> rest = program.list; !rest.empty();) {
      llvm::ArrayRef<Collective> some = rest.take_front(8);
      rest = rest.drop_front(some.size());
      const int64_t sizes[] = {7, 16, 0, 64};
      int64_t size = isLong() ? 0 : sizes[parts.size() % std::size(sizes)];
      parts.push_back({program.type, program.count, some.vec(), size});
      text += kernelText("k" + std::to_string(parts.size() - 1), parts.back());
    }
  std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
  if (!kernels)
    return;
  Random random(profile.lanes);
  for (auto [i, part] : llvm::enumerate(parts))
    for (auto [size, groups] :
         {std::pair(1, 4), std::pair(7, 64), std::pair(16, 64), std::pair(40, 8), std::pair(64, 64),
          std::pair(100, 8), std::pair(256, 12)}) {
      if (part.size && part.size != size)
        continue;
      launchOne("k" + std::to_string(i), part, *kernels, profile.lanes,
                part.size ? groups : std::min(groups, 12), size, random);
      if (HasFatalFailure())
        return;
    }
}

Program combinationsOf(const std::string &type, int64_t count, int64_t lanes, size_t most,
                       unsigned turn) {
  Program program = {type, count, {}};
  addCombinations(program.list, carrierOf(type), lanes, most, turn);
  return program;
}

Program movesOf(const std::string &type, int64_t count, int64_t lanes, unsigned turn) {
  Program program = {type, count, {}};
  addMoves(program.list, count > 0, turn);
  if (!count)
    addMatches(program.list, lanes, turn);
  if (type == "i1" && !count)
    addVotes(program.list, lanes);
  return program;
}

const char *const kIntegers[] = {"i1", "i8", "i16", "i32", "i64", "index"};
const char *const kFloats[] = {"f8E4M3", "f8E5M2", "f16", "bf16", "f32", "f64"};

TEST_F(LanesCollectivesTest, IntegersAreCombined) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Program> programs;
    unsigned turn = llvm::Log2_64(profile.lanes);
    for (const char *type : kIntegers)
      programs.push_back(combinationsOf(type, 0, profile.lanes, 9, turn++));
    run(programs, profile);
  });
}

TEST_F(LanesCollectivesTest, FloatsAreCombined) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Program> programs;
    unsigned turn = llvm::Log2_64(profile.lanes);
    for (const char *type : kFloats)
      programs.push_back(combinationsOf(type, 0, profile.lanes, 6, turn++));
    run(programs, profile);
  });
}

TEST_F(LanesCollectivesTest, ValuesAreMoved) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Program> programs;
    unsigned turn = llvm::Log2_64(profile.lanes);
    for (llvm::ArrayRef<const char *> types : {llvm::ArrayRef(kIntegers), llvm::ArrayRef(kFloats)})
      for (const char *type : types)
        // Flags always, for the votes.
        if (isTaken(++turn, 4) || std::string(type) == "i1")
          programs.push_back(movesOf(type, 0, profile.lanes, turn / 2));
    run(programs, profile);
  });
}

TEST_F(LanesCollectivesTest, Vectors) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Program> programs;
    unsigned turn = llvm::Log2_64(profile.lanes);
    for (auto [type, count] : {std::pair("i8", 4), std::pair("i1", 3), std::pair("bf16", 3),
                               std::pair("f32", 2), std::pair("i64", 1)}) {
      if (!isTaken(++turn, 4))
        continue;
      programs.push_back(combinationsOf(type, count, profile.lanes, 2, turn));
      llvm::append_range(programs.back().list, movesOf(type, count, profile.lanes, turn).list);
    }
    run(programs, profile);
  });
}

/// A reduction over clusters that cannot be halved, or that a subgroup does not hold, is refused.
TEST_F(LanesCollectivesTest, ClustersThatNoSubgroupHas) {
  for (auto [size, stride] :
       {std::pair(3, 1), std::pair(32, 1), std::pair(8, 4), std::pair(4, 3)}) {
    Program program = {"i32", 0, {reduceOf("addi", size, stride, 16)}};
    std::string errors;
    EXPECT_FALSE(tryCompile(kernelText("k", program), "x86:avx2", errors));
    EXPECT_NE(errors.find("clusters of " + std::to_string(size) + " lanes, " +
                          std::to_string(stride) +
                          " apart; x86 has clusters of powers of two inside of a subgroup of 16 "
                          "lanes [TARGET/002]"),
              std::string::npos)
        << errors;
  }
}

} // namespace
} // namespace loom::test
