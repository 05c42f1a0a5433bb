//===- LanesMemoryTest.cpp - Memory and atomics over lanes ----------------===//
//
// Every access stands under a flag that each work-item loads. Buffers lie between pages that nobody
// may touch, and the flag is not set where an element would lie outside, so that an access of an
// inactive lane faults or is seen.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

const char *const kTypes[] = {"i1",     "i8",  "i16",  "i32", "i64", "f8E4M3",
                              "f8E5M2", "f16", "bf16", "f32", "f64"};

/// The element that a work-item accesses: `stride * i + base`, or one that a table names.
struct Place {
  int64_t stride = 1, base = 0;
  bool isLoaded = false;

  std::string text(const std::string &name) const {
    if (isLoaded)
      return name + "_int = view.load %table[%i] : view<1024xi32> -> i32\n" + name +
             " = index.cast " + name + "_int : i32 to index\n";
    return name + "_a = index.constant " + std::to_string(stride) + " : index\n" + name +
           "_b = index.constant " + std::to_string(base) + " : index\n" + name +
           " = index.madd %i, " + name + "_a, " + name + "_b : index\n";
  }
  int64_t of(int64_t item, const std::vector<int32_t> &table) const {
    return isLoaded ? table[item] : item * stride + base;
  }
};

struct Pattern {
  Place from, to;
};

/// Elements of the buffers, at most.
constexpr int64_t kElements = 360;

const Pattern kPatterns[] = {{{1, 0}, {1, 0}},       {{0, 5}, {1, 2}},    {{2, 1}, {3, 0}},
                             {{3, 0}, {-1, 200}},    {{-1, 119}, {2, 1}}, {{0, 0, true}, {1, 0}},
                             {{1, 7}, {0, 0, true}}, {{17, 0}, {5, 3}}};

/// Each type at one size or more.
std::vector<const char *> someTypes(const LaneProfile &profile) {
  std::vector<const char *> types;
  for (size_t t = 0; t < std::size(kTypes); ++t)
    if (isTaken(t + llvm::Log2_64(profile.lanes), 4))
      types.push_back(kTypes[t]);
  return types;
}

/// The extent of the workgroup that a kernel has, or 0 where the launch says it.
int64_t sizeFor(const std::string &type, size_t turn) {
  const int64_t sizes[] = {0, 16, 64, 7, 40, 16, 0, 64};
  size_t number = 0;
  for (const char *name : kTypes)
    number += type > name;
  return isLong() ? 0 : sizes[(number + turn) % std::size(sizes)];
}

class LanesMemoryTest : public LanesTest {};

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

struct Move {
  std::string name, type;
  int64_t count; ///< of a vector; 0 is a scalar
  Pattern pattern;
  int64_t size; ///< of a workgroup
};

/// A kernel that moves one element, or a vector, for each work-item that is active.
std::string moveText(const Move &move) {
  const auto &[name, type, count, pattern, size] = move;
  std::string whole = count ? "vector<" + std::to_string(count) + "x" + type + ">" : type;
  std::string op = count ? "vector" : "view", view = "view<[%n]x" + type + ">";
  std::string text = R"(
kernel.def export("$name") @$name() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant $size : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%n: index, %flags: buffer, %tables: buffer, %in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<1024xi1>
  %table = buffer.view %tables[%base] : buffer -> view<1024xi32>
  %from_view = buffer.view %in[%base] : buffer -> $view
  %to_view = buffer.view %out[%base] : buffer -> $view
  %i = kernel.workitem.dispatch.id<x> : index
  %flag = view.load %flag_view[%i] : view<1024xi1> -> i1
  scf.if %flag {
)" + pattern.from.text("%from") +
                     pattern.to.text("%to") +
                     R"(    %value = $op.load %from_view[%from] : $view -> $whole
    $op.store %value, %to_view[%to] : $whole, $view
  }
  kernel.return
}
)";
  for (auto [from, to] :
       {std::pair("$name", name), std::pair("$view", view), std::pair("$whole", whole),
        std::pair("$op", op), std::pair("$size", std::to_string(size))})
    text = replaced(text, from, to);
  return text;
}

void runMove(const Move &move, const x86::CompiledKernels &kernels, Random &random) {
  ElementType type(move.type);
  int64_t number = std::max<int64_t>(move.count, 1), size = move.size, items = 2 * size;
  for (int round = 0; round < 32; ++round) {
    bool isDense = round < 2;
    GuardedBytes in(kElements * type.bytes, round % 2), out(kElements * type.bytes, round % 2);
    for (size_t i = 0; i < in.size; ++i)
      in.data()[i] = type.bits == 1 ? random() & 1 : random();
    std::vector<char> expected(out.data(), out.data() + out.size);
    std::vector<uint8_t> flags(1024, 0), taken(kElements, 0);
    std::vector<int32_t> table(1024);
    for (int64_t i = 0; i < items; ++i) {
      // Inactive lanes get wild numbers.
      table[i] = random() % 4 ? random() % kElements : random();
      int64_t from = move.pattern.from.of(i, table), to = move.pattern.to.of(i, table);
      auto fits = [&](int64_t at) { return at >= 0 && at + number <= kElements; };
      bool isFree = fits(from) && fits(to);
      for (int64_t k = 0; k < number && isFree; ++k)
        isFree = !taken[to + k];
      if (!isFree || (!isDense && random() % 2))
        continue;
      flags[i] = 1;
      std::fill_n(taken.begin() + to, number, 1);
      std::memcpy(&expected[to * type.bytes], in.data() + from * type.bytes, number * type.bytes);
    }
    launchSized(kernels, move.name, 2, {size, 1, 1},
                Arguments().add(kElements).add(flags).add(table).add(in.data()).add(out.data()));
    for (size_t i = 0; i < out.size; ++i)
      ASSERT_EQ(out.data()[i], expected[i])
          << move.name << ", " << move.type << " x" << move.count << ", places "
          << move.pattern.from.stride << " " << move.pattern.to.stride << ", workgroup of " << size
          << ", round " << round << ", byte " << i;
  }
}

TEST_F(LanesMemoryTest, LoadsAndStores) {
  forEachProfile([&](const LaneProfile &profile) {
    size_t lanes = llvm::Log2_64(profile.lanes);
    std::vector<Move> moves;
    std::string text;
    for (size_t t = 0; t < std::size(kTypes); ++t)
      for (size_t p = 0; p < std::size(kPatterns); ++p)
        for (int64_t count : {size_t(0), 2 + (t + p) % 3}) {
          const int64_t sizes[] = {7, 16, 40, 64, 100};
          if (!isTaken(t + p + lanes + (count ? 1 : 0), count ? 8 : 4))
            continue;
          moves.push_back({"k" + std::to_string(moves.size()), kTypes[t], count, kPatterns[p],
                           sizes[(t + p + p / 4) % std::size(sizes)]});
          text += moveText(moves.back());
        }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    if (!kernels)
      return;
    Random random(profile.lanes);
    for (const Move &move : moves) {
      runMove(move, *kernels, random);
      if (HasFatalFailure())
        return;
    }
  });
}

/// Workgroups of three axes: a transposition of x and y, and of runs of elements.
TEST_F(LanesMemoryTest, ThreeAxes) {
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels = compileFor(R"(
kernel.def export("k") @k(%n: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %four = index.constant 4 : index
  %eight = index.constant 8 : index
  kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%eight, %four, %two) : index
} launch(%depth: index, %in: buffer, %out: buffer, %runs: buffer) {
  %base = index.constant 0 : offset
  %x = kernel.workitem.id<x> : index
  %y = kernel.workitem.id<y> : index
  %z = kernel.workitem.id<z> : index
  %g = kernel.workgroup.id<x> : index
  %two = index.constant 2 : index
  %layer = index.madd %g, %two, %z : index
  %from = buffer.view %in[%base] : buffer -> view<[%depth]x4x8xi32>
  %to = buffer.view %out[%base] : buffer -> view<[%depth]x8x4xi32>
  %rows = buffer.view %runs[%base] : buffer -> view<[%depth]x8x4x2xi32>
  %seven = index.constant 7 : index
  %left = index.sub %seven, %x : index
  %value = view.load %from[%layer, %y, %left] : view<[%depth]x4x8xi32> -> i32
  view.store %value, %to[%layer, %x, %y] : i32, view<[%depth]x8x4xi32>
  %zero = index.constant 0 : index
  %pair = vector.load %from[%layer, %y, %zero] : view<[%depth]x4x8xi32> -> vector<2xi32>
  vector.store %pair, %rows[%layer, %x, %y, 0] : vector<2xi32>, view<[%depth]x8x4x2xi32>
  kernel.return
}
)",
                                                             profile.key);
    ASSERT_TRUE(kernels);
    std::vector<int32_t> in(6 * 32), out(6 * 32, -1), runs(6 * 64, -1);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<int32_t>(i * i);
    launchSized(*kernels, "k", 3, {8, 4, 2},
                Arguments().add(int64_t(6)).add(in).add(out).add(runs));
    for (int64_t layer = 0; layer < 6; ++layer)
      for (int64_t y = 0; y < 4; ++y)
        for (int64_t x = 0; x < 8; ++x) {
          ASSERT_EQ(out[layer * 32 + x * 4 + y], in[layer * 32 + y * 8 + 7 - x]) << profile.lanes;
          for (int64_t k = 0; k < 2; ++k)
            ASSERT_EQ(runs[(layer * 32 + x * 4 + y) * 2 + k], in[layer * 32 + y * 8 + k]);
        }
  });
}

//===----------------------------------------------------------------------===//
// Storage of work-items and workgroups
//===----------------------------------------------------------------------===//

/// Each work-item fills private memory in an order of its own; with `waits` a barrier stands
/// between that and reading it, and what a neighbour wrote to workgroup memory is read too.
std::string storageText(const std::string &name, const std::string &type, bool waits,
                        int64_t size) {
  std::string text = R"(
kernel.def export("$name") @$name(%any: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %exact = index.constant $exact : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size($extent, %one, %one) : index
} launch(%size: index, %flags: buffer, %in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %bytes = index.constant 64 : offset
  %many = index.constant 8192 : offset
  %own_memory = buffer.alloca<private> align(8) %bytes : buffer
  %own = buffer.view %own_memory[%base] : buffer -> view<8x$type>
  %group_memory = buffer.alloca<workgroup> align(16) %many : buffer
  %group = buffer.view %group_memory[%base] : buffer -> view<1024x$type>
  %flag_view = buffer.view %flags[%base] : buffer -> view<1024xi1>
  %from = buffer.view %in[%base] : buffer -> view<1024x8x$type>
  %to = buffer.view %out[%base] : buffer -> view<1024x9x$type>
  %i = kernel.workitem.dispatch.id<x> : index
  %local = kernel.workitem.id<x> : index
  %flag = view.load %flag_view[%i] : view<1024xi1> -> i1
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %seven = index.constant 7 : index
  %eight = index.constant 8 : index
  scf.for %k = [%zero to %eight step %one] {
    %shifted = index.add %k, %i : index
    %place = index.rem %shifted, %eight : index
    %value = view.load %from[%i, %k] : view<1024x8x$type> -> $type
    view.store %value, %own[%place] : $type, view<8x$type>
  }
  %first = view.load %from[%i, 0] : view<1024x8x$type> -> $type
  view.store %first, %group[%local] : $type, view<1024x$type>
  $barrier
  %next = index.add %local, %seven : index
  %other = index.rem %next, %size : index
  %source = $choose
  %theirs = view.load %group[%source] : view<1024x$type> -> $type
  scf.if %flag {
    scf.for %k = [%zero to %eight step %one] {
      %value = view.load %own[%k] : view<8x$type> -> $type
      view.store %value, %to[%i, %k] : $type, view<1024x9x$type>
    }
    view.store %theirs, %to[%i, 8] : $type, view<1024x9x$type>
  }
  kernel.return
}
)";
  text = replaced(text, "$barrier",
                  waits ? "kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)" : "");
  text = replaced(text, "$exact", std::to_string(size));
  text = replaced(text, "$extent", size ? "%exact" : "%any");
  text = replaced(text, "$choose",
                  waits ? "index.add %other, %zero : index" : "index.add %local, %zero : index");
  return replaced(replaced(text, "$type", type), "$name", name);
}

TEST_F(LanesMemoryTest, StorageOfWorkItemsAndWorkgroups) {
  forEachProfile([&](const LaneProfile &profile) {
    std::string text;
    std::vector<const char *> types = someTypes(profile);
    for (const char *type : types)
      for (bool waits : {false, true})
        text += storageText(std::string(type) + (waits ? "_waits" : ""), type, waits,
                            sizeFor(type, waits));
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (const char *name : types)
      for (bool waits : {false, true})
        for (int64_t size : {1, 7, 16, 40, 64, 100, 256}) {
          if (sizeFor(name, waits) && sizeFor(name, waits) != size)
            continue;
          ElementType type(name);
          std::vector<uint8_t> flags(1024), in(1024 * 8 * type.bytes);
          std::vector<uint8_t> out(1024 * 9 * type.bytes, 0xcc), expected = out;
          for (uint8_t &flag : flags)
            flag = random() % 2;
          for (uint8_t &byte : in)
            byte = type.bits == 1 ? random() % 2 : random();
          for (int64_t i = 0; i < 2 * size; ++i) {
            int64_t local = i % size, other = waits ? (local + 7) % size : local;
            auto copy = [&](int64_t to, int64_t item, int64_t k) {
              std::memcpy(&expected[(i * 9 + to) * type.bytes], &in[(item * 8 + k) * type.bytes],
                          type.bytes);
            };
            for (int64_t k = 0; k < 8 && flags[i]; ++k)
              copy((k + i) % 8, i, k);
            if (flags[i])
              copy(8, i - local + other, 0);
          }
          launchSized(*kernels, std::string(name) + (waits ? "_waits" : ""), 2, {size, 1, 1},
                      Arguments().add(size).add(flags).add(in).add(out));
          for (size_t i = 0; i < out.size(); ++i)
            ASSERT_EQ(out[i], expected[i])
                << name << ", " << profile.lanes << " lanes, workgroup of " << size << ", waits "
                << waits << ", element " << i / type.bytes;
        }
  });
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

constexpr int64_t kCells = 5;

std::vector<std::string> atomicKinds(const ElementType &type) {
  if (type.isFloat())
    return {"xchgf", "addf", "minimumf", "maximumf", "minnumf", "maxnumf"};
  return {"xchgi", "addi", "subi", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"};
}

bool isExchange(const std::string &kind) { return kind == "xchgi" || kind == "xchgf"; }

/// For each kind cells that are replaced with and without giving back the old element, then
/// comparison and exchange, then an atomic load and store of a cell of the work-item alone.
std::string atomicText(const std::string &type) {
  std::vector<std::string> kinds = atomicKinds(ElementType(type));
  std::string body, relaxed = "{ordering = relaxed, scope = device}";
  auto place = [](size_t row) { return "[" + std::to_string(row) + ", %cell]"; };
  size_t row = 0;
  for (const std::string &kind : kinds) {
    std::string name = "%old" + std::to_string(row), result = std::to_string(row);
    body += name + " = view.atomic.rmw<" + kind + "> %value, %cells" + place(row) + " " + relaxed +
            " : $type, $cells -> $type\nview.store " + name + ", %to[%i, " + result +
            "] : $type, $results\n";
    if (!isExchange(kind))
      body += "view.atomic.reduce<" + kind + "> %value, %cells" + place(row + 12) + " " + relaxed +
              " : $type, $cells\n";
    ++row;
  }
  body += "%seen = view.atomic.cmpxchg %expected, %value, %cells[10, %cell] {failure_ordering = "
          "relaxed, scope = workgroup, success_ordering = acquire} : $type, $cells -> $type\n"
          "view.store %seen, %to[%i, 10] : $type, $results\n"
          "%read = view.atomic.load %alone[%i] {ordering = acquire, scope = device} : "
          "view<512x$type> -> $type\n"
          "view.store %read, %to[%i, 11] : $type, $results\n"
          "view.atomic.store %value, %alone[%i] {ordering = release, scope = device} : $type, "
          "view<512x$type>\n";
  std::string text = R"(
kernel.def export("$type") @$type(%any: index) {
  %one = index.constant 1 : index
  %exact = index.constant $exact : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size($extent, %one, %one) : index
} launch(%flags: buffer, %in: buffer, %numbers: buffer, %memory: buffer, %own: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<512xi1>
  %from = buffer.view %in[%base] : buffer -> view<512x2x$type>
  %places = buffer.view %numbers[%base] : buffer -> view<512xi32>
  %cells = buffer.view %memory[%base] : buffer -> $cells
  %alone = buffer.view %own[%base] : buffer -> view<512x$type>
  %to = buffer.view %out[%base] : buffer -> $results
  %i = kernel.workitem.id<x> : index
  %flag = view.load %flag_view[%i] : view<512xi1> -> i1
  scf.if %flag {
    %value = view.load %from[%i, 0] : view<512x2x$type> -> $type
    %expected = view.load %from[%i, 1] : view<512x2x$type> -> $type
    %number = view.load %places[%i] : view<512xi32> -> i32
    %cell = index.cast %number : i32 to index
)" + body + "  }\n  kernel.return\n}\n";
  text = replaced(text, "$exact", std::to_string(sizeFor(type, 0)));
  text = replaced(text, "$extent", sizeFor(type, 0) ? "%exact" : "%any");
  text = replaced(text, "$cells", "view<24x5x$type>");
  return replaced(replaced(text, "$results", "view<512x12x$type>"), "$type", type);
}

struct AtomicRun {
  ElementType type;
  std::vector<uint8_t> flags, in, cells, own, out;
  std::vector<int32_t> numbers;

  AtomicRun(const std::string &name, Random &random)
      : type(name), flags(512), in(1024 * type.bytes), cells(24 * kCells * type.bytes),
        own(512 * type.bytes), out(512 * 12 * type.bytes, 0xcc), numbers(512) {
    for (std::vector<uint8_t> *values : {&in, &cells, &own})
      for (size_t i = 0; i < values->size() / type.bytes; ++i)
        put(*values, i, random() % 2 ? type.random(random) : few(random));
    unsigned density = random() % 5;
    for (size_t i = 0; i < flags.size(); ++i) {
      flags[i] = random() % 4 < density;
      // What inactive lanes have is outside of all memory.
      numbers[i] = flags[i] ? random() % kCells : 0x40000000;
    }
  }
  /// One of few values, so that comparisons succeed now and then.
  uint64_t few(Random &random) const {
    return type.isFloat() ? type.rounded(double(random() % 3)) : random() % 3;
  }
  uint64_t get(const std::vector<uint8_t> &values, size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, &values[i * type.bytes], type.bytes);
    return value;
  }
  void put(std::vector<uint8_t> &values, size_t i, uint64_t value) const {
    std::memcpy(&values[i * type.bytes], &value, type.bytes);
  }
  void simulate(int64_t size);
};

/// One work-item after the other.
void AtomicRun::simulate(int64_t size) {
  std::vector<std::string> kinds = atomicKinds(type);
  for (int64_t i = 0; i < size; ++i) {
    if (!flags[i])
      continue;
    uint64_t value = get(in, 2 * i), wanted = get(in, 2 * i + 1);
    for (size_t row = 0; row < kinds.size(); ++row) {
      size_t cell = row * kCells + numbers[i];
      put(out, i * 12 + row, get(cells, cell));
      put(cells, cell, combine(kinds[row], type, get(cells, cell), value));
      cell += 12 * kCells;
      if (!isExchange(kinds[row]))
        put(cells, cell, combine(kinds[row], type, get(cells, cell), value));
    }
    size_t cell = 10 * kCells + numbers[i];
    uint64_t seen = get(cells, cell);
    put(out, i * 12 + 10, seen);
    if (seen == wanted)
      put(cells, cell, value);
    put(out, i * 12 + 11, get(own, i));
    put(own, i, value);
  }
}

TEST_F(LanesMemoryTest, Atomics) {
  forEachProfile([&](const LaneProfile &profile) {
    std::string text;
    std::vector<const char *> types = someTypes(profile);
    llvm::erase(types, kTypes[0]);
    for (const char *type : types)
      text += atomicText(type);
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (const char *name : types)
      for (int64_t size : {1, 7, 16, 40, 64, 100, 256}) {
        if (sizeFor(name, 0) && sizeFor(name, 0) != size)
          continue;
        for (int round = 0; round < 64; ++round) {
          AtomicRun actual(name, random), expected = actual;
          launchSized(*kernels, name, 1, {size, 1, 1},
                      Arguments()
                          .add(actual.flags)
                          .add(actual.in)
                          .add(actual.numbers)
                          .add(actual.cells)
                          .add(actual.own)
                          .add(actual.out));
          expected.simulate(size);
          const ElementType &type = actual.type;
          for (auto member : {&AtomicRun::cells, &AtomicRun::own, &AtomicRun::out})
            for (size_t i = 0; i < (actual.*member).size() / type.bytes; ++i) {
              uint64_t a = actual.get(actual.*member, i), b = expected.get(expected.*member, i);
              ASSERT_TRUE(isSameValue(type, a, b))
                  << name << ", " << profile.lanes << " lanes, workgroup of " << size
                  << (member == &AtomicRun::cells ? ", cells"
                      : member == &AtomicRun::own ? ", own"
                                                  : ", out")
                  << ", element " << i << ": " << std::hex << a << ", expected " << b;
            }
        }
      }
  });
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

TEST_F(LanesMemoryTest, Bytes) {
  forEachProfile([&](const LaneProfile &profile) {
    std::string text;
    llvm::ArrayRef<Pattern> patterns = kPatterns;
    const int64_t sizes[] = {16, 40, 7, 64, 100};
    for (auto [p, pattern] : llvm::enumerate(patterns)) {
      std::string kernel = replaced(R"(
kernel.def export("$name") @$name() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant $size : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%flags: buffer, %tables: buffer, %in: buffer, %out: buffer, %sums: buffer) {
  %base = index.constant 0 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<1024xi1>
  %table = buffer.view %tables[%base] : buffer -> view<1024xi32>
  %sum_view = buffer.view %sums[%base] : buffer -> view<1024xi32>
  %i = kernel.workitem.dispatch.id<x> : index
  %flag = view.load %flag_view[%i] : view<1024xi1> -> i1
  scf.if %flag {
)" + pattern.from.text("%from") + pattern.to.text("%to") +
                                        R"(
    %from_at = index.cast %from : index to offset
    %to_at = index.cast %to : index to offset
    %byte = buffer.load.i8.u %in[%from_at]
    buffer.store.i8 %byte, %out[%to_at]
    view.store %byte, %sum_view[%i] : i32, view<1024xi32>
  }
  kernel.return
}
)",
                                    "$name", "k" + std::to_string(p));
      text += replaced(kernel, "$size", std::to_string(sizes[p % std::size(sizes)]));
    }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (auto [p, pattern] : llvm::enumerate(patterns))
      for (int round = 0; round < 32; ++round) {
        int64_t size = sizes[p % std::size(sizes)];
        GuardedBytes in(kElements, round % 2), out(kElements, round % 2);
        for (size_t i = 0; i < in.size; ++i)
          in.data()[i] = static_cast<char>(random());
        std::vector<char> expected(out.data(), out.data() + out.size), taken(kElements);
        std::vector<uint8_t> flags(1024);
        std::vector<int32_t> table(1024), sums(1024, -1), expectedSums = sums;
        for (int64_t i = 0; i < 2 * size; ++i) {
          table[i] = random() % 4 ? random() % kElements : random();
          int64_t from = pattern.from.of(i, table), to = pattern.to.of(i, table);
          bool fits = from >= 0 && to >= 0 && from < kElements && to < kElements;
          if (!fits || taken[to] || random() % 3 == 0)
            continue;
          flags[i] = taken[to] = 1;
          expected[to] = in.data()[from];
          expectedSums[i] = static_cast<uint8_t>(in.data()[from]);
        }
        launchSized(*kernels, "k" + std::to_string(p), 2, {size, 1, 1},
                    Arguments().add(flags).add(table).add(in.data()).add(out.data()).add(sums));
        EXPECT_EQ(sums, expectedSums) << p << ", " << profile.lanes << ", " << size;
        for (size_t i = 0; i < out.size; ++i)
          ASSERT_EQ(out.data()[i], expected[i]) << p << ", " << profile.lanes << ", " << size;
      }
  });
}

} // namespace
} // namespace loom::test
