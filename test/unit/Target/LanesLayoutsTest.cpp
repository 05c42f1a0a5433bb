//===- LanesLayoutsTest.cpp - Layouts whose strides are values ------------===//
//
// Every kind of access, to views whose strides are numbers, parameters, or chosen by control flow:
// for the whole launch, or for each work-item. The reference adds up coordinates times strides. All
// memory lies between pages that nobody may touch, and what takes no part has wild coordinates.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"
#include "loom/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <numeric>

namespace loom::test {
namespace {

const char *const kTypes[] = {"i1",     "i8",  "i16",  "i32", "i64", "f8E4M3",
                              "f8E5M2", "f16", "bf16", "f32", "f64"};
constexpr int64_t kGroups = 2;
/// Extents of the views, and elements of a vector.
constexpr int64_t kRows = 256, kColumns = 16, kCount = 4;

struct Strides {
  int64_t row, column;
  size_t of(int64_t i, int64_t j) const { return i * row + j * column; }
};
/// No two elements of a view share a place under any of these, and the views fit into kReach.
constexpr Strides kWide = {48, 2}, kColumnMajor = {1, kRows}, kLiteral = {64, 3},
                  kDense = {kColumns, 1}, kNarrow = {48, 1};
constexpr size_t kReach = kRows * 64;

/// Where the layout of a view comes from.
enum class Source {
  Literal, ///< numbers
  Values,  ///< parameters; so are the extents
  If,      ///< one of two strided ones, for all work-items
  Dense,   ///< a dense or a strided one
  Loop,    ///< carried by a loop that exchanges two of them
  Lookup,  ///< a row of a table
  Each,    ///< each work-item chooses a view with its layout
  Select,  ///< each work-item chooses a layout
};
constexpr size_t kSources = 8;

/// Defines `%name`, a view of `buffer` from `%offset` on; its type is what `typeOf` says.
std::string viewText(Source source, const std::string &name, const std::string &buffer,
                     const std::string &offset) {
  std::string make;
  switch (source) {
  case Source::Literal:
    make = "%l_$v = encoding.layout.strided [64, 3] : encoding<layout>\n";
    break;
  case Source::Values:
    make = "%l_$v = encoding.layout.strided [%wide_row, %wide_column] : encoding<layout>\n";
    break;
  case Source::If:
  case Source::Dense:
    make = R"(%l_$v = scf.if %first -> (encoding<layout>) {
      %a_$v = encoding.layout.strided [%wide_row, %wide_column] : encoding<layout>
      scf.yield %a_$v : encoding<layout>
    } else {
      %b_$v = encoding.layout.)" +
           std::string(source == Source::If ? "strided [1, 256]" : "dense") + R"( : encoding<layout>
      scf.yield %b_$v : encoding<layout>
    }
)";
    break;
  case Source::Loop:
    make = R"(%a_$v = encoding.layout.strided [%wide_row, %wide_column] : encoding<layout>
    %b_$v = encoding.layout.dense : encoding<layout>
    %l_$v, %m_$v = scf.for %k_$v = [%zero to %mode step %step](%x_$v = %a_$v : encoding<layout>, %y_$v = %b_$v : encoding<layout>) -> (encoding<layout>, encoding<layout>) {
      scf.yield %y_$v, %x_$v : encoding<layout>, encoding<layout>
    }
)";
    break;
  case Source::Lookup:
    make = R"(%a_$v = encoding.layout.strided [%wide_row, %wide_column] : encoding<layout>
    %b_$v = encoding.layout.dense : encoding<layout>
    %c_$v = encoding.layout.strided [1, 256] : encoding<layout>
    %l_$v = scf.lookup %mode { 0 = (%a_$v), 1 = (%b_$v) } default(%c_$v) : encoding<layout>
)";
    break;
  case Source::Select:
    make = R"(%a_$v = encoding.layout.strided [%wide_row, %wide_column] : encoding<layout>
    %b_$v = encoding.layout.$other : encoding<layout>
    %l_$v = scf.select %own, %a_$v, %b_$v : encoding<layout>
)";
    break;
  case Source::Each:
    make = R"(%l_$v, %$v = scf.if %own -> (encoding<layout>, view<256x16x$type, %l_$v>) {
      %a_$v = encoding.layout.strided [%wide_row, %wide_column] : encoding<layout>
      %p_$v = buffer.view $buffer[$offset] : buffer -> view<256x16x$type, %a_$v>
      scf.yield %a_$v, %p_$v : encoding<layout>, view<256x16x$type, %a_$v>
    } else {
      %b_$v = encoding.layout.$other : encoding<layout>
      %q_$v = buffer.view $buffer[$offset] : buffer -> view<256x16x$type, %b_$v>
      scf.yield %b_$v, %q_$v : encoding<layout>, view<256x16x$type, %b_$v>
    }
)";
    break;
  }
  if (source != Source::Each)
    make += "    %$v = buffer.view $buffer[$offset] : buffer -> $whole_$v\n";
  make = replaced(replaced("    " + make, "$buffer", buffer), "$offset", offset);
  // Where work-items that write have different layouts, their rows are apart under both.
  make = replaced(make, "$other",
                  buffer == "%out"         ? "strided [48, 1]"
                  : source == Source::Each ? "dense"
                                           : "strided [1, 256]");
  return replaced(make, "$v", name);
}

std::string typeOf(Source source, const std::string &name) {
  return (source == Source::Values ? "view<[%rows]x[%columns]x$type, %l_"
                                   : "view<256x16x$type, %l_") +
         name + ">";
}

/// What runs for one work-item, all of it random.
struct Item {
  bool isActive, chooses;
  int64_t row, column, edge;           ///< of whole vectors, and of vectors that a mask cuts off
  std::array<int64_t, kCount> targets; ///< columns, all different
  std::array<bool, kCount> mask;
};

/// One kind of access.
struct Access {
  const char *name;
  const char *text; ///< $v is the view, $w its type; a load makes %r, a store takes %value
  bool isStore, isAtomic;
  /// The columns of the elements, -1 for those that are left out.
  std::array<int64_t, kCount> (*columns)(const Item &item);
  bool isFixed = false; ///< in row 7 instead of that of the work-item
};

std::array<int64_t, kCount> wholeColumns(const Item &item) {
  return {item.column, item.column + 1, item.column + 2, item.column + 3};
}
std::array<int64_t, kCount> maskedColumns(const Item &item) {
  std::array<int64_t, kCount> columns;
  for (int64_t k = 0; k < kCount; ++k)
    columns[k] = item.mask[k] ? item.edge + k : -1;
  return columns;
}
std::array<int64_t, kCount> packedColumns(const Item &item) {
  std::array<int64_t, kCount> columns;
  int64_t next = item.edge;
  for (int64_t k = 0; k < kCount; ++k)
    columns[k] = item.mask[k] ? next++ : -1;
  return columns;
}
std::array<int64_t, kCount> allTargets(const Item &item) { return item.targets; }
std::array<int64_t, kCount> maskedTargets(const Item &item) {
  std::array<int64_t, kCount> columns = item.targets;
  for (int64_t k = 0; k < kCount; ++k)
    columns[k] = item.mask[k] ? columns[k] : -1;
  return columns;
}

constexpr int64_t kFixedRow = 7;
std::array<int64_t, kCount> fixedColumns(const Item &) { return {5, 6, 7, 8}; }
std::array<int64_t, kCount> fixedTargets(const Item &) { return {5, 7, 9, 11}; }
std::array<int64_t, kCount> fixedMasked(const Item &) { return {5, -1, 9, -1}; }
std::array<int64_t, kCount> fixedPacked(const Item &) { return {5, -1, 6, -1}; }

const Access kAccesses[] = {
    {"elements",
     R"(%c1 = index.add %column, %step : index
    %c2 = index.add %c1, %step : index
    %c3 = index.add %c2, %step : index
    %e0 = view.load $v[%row, %column] : $w -> $type
    %e1 = view.load $v[%row, %c1] : $w -> $type
    %e2 = view.load<volatile> $v[%row, %c2] : $w -> $type
    %e3 = view.load $v[%row, %c3] : $w -> $type
    %r = vector.from_elements %e0, %e1, %e2, %e3 : $vector)",
     false, false, wholeColumns},
    {"part",
     R"(%part_view = view.subview $v[%row, %column] : $w -> $part
    %p = vector.load %part_view[0, 0] : $part -> vector<1x4x$type>
    %r = vector.extract %p[0] : vector<1x4x$type> -> $vector)",
     false, false, wholeColumns},
    {"load", "%r = vector.load $v[%row, %column] : $w -> $vector", false, false, wholeColumns},
    {"load_mask", "%r = vector.load.mask $v[%row, %edge], %part, %pass : $w, vector<4xi1>, $vector",
     false, false, maskedColumns},
    {"load_expand",
     "%r = vector.load.expand $v[%row, %edge], %part, %pass : $w, vector<4xi1>, $vector", false,
     false, packedColumns},
    {"gather", "%r = vector.gather $v[%row, %edge][%near] : $w, vector<4xi32> -> $vector", false,
     false, allTargets},
    {"gather_mask",
     "%r = vector.gather.mask $v[%row, %edge][%far], %part, %pass : $w, vector<4xi32>, "
     "vector<4xi1>, $vector",
     false, false, maskedTargets},
    {"volatile_gather",
     "%r = vector.gather.mask<volatile> $v[%row, %edge][%far], %part, %pass : $w, vector<4xi32>, "
     "vector<4xi1>, $vector",
     false, false, maskedTargets},
    {"volatile_expand",
     "%r = vector.load.expand<volatile> $v[%row, %edge], %part, %pass : $w, vector<4xi1>, $vector",
     false, false, packedColumns},
    // The same for all work-items, unless their layouts differ.
    {"fixed_load", "%r = vector.load $v[7, 5] : $w -> $vector", false, false, fixedColumns, true},
    {"fixed_gather", "%r = vector.gather $v[7, 5][%fixed] : $w, vector<4xi32> -> $vector", false,
     false, fixedTargets, true},
    {"fixed_expand", "%r = vector.load.expand $v[7, 5], %even, %pass : $w, vector<4xi1>, $vector",
     false, false, fixedPacked, true},
    // The last work-item's stays.
    {"fixed_compress", "vector.store.compress %value, $v[7, 5], %even : $vector, $w, vector<4xi1>",
     true, false, fixedPacked, true},
    {"fixed_scatter",
     "vector.scatter.mask %value, $v[7, 5][%fixed], %even : $vector, $w, vector<4xi32>, "
     "vector<4xi1>",
     true, false, fixedMasked, true},
    {"store", "vector.store %value, $v[%i, %column] : $vector, $w", true, false, wholeColumns},
    {"store_mask", "vector.store.mask %value, $v[%i, %edge], %part : $vector, $w, vector<4xi1>",
     true, false, maskedColumns},
    {"store_compress",
     "vector.store.compress %value, $v[%i, %edge], %part : $vector, $w, vector<4xi1>", true, false,
     packedColumns},
    {"scatter", "vector.scatter %value, $v[%i, %edge][%near] : $vector, $w, vector<4xi32>", true,
     false, allTargets},
    {"scatter_mask",
     "vector.scatter.mask %value, $v[%i, %edge][%far], %part : $vector, $w, vector<4xi32>, "
     "vector<4xi1>",
     true, false, maskedTargets},
    {"volatile_scatter",
     "vector.scatter<volatile> %value, $v[%i, %edge][%near] : $vector, $w, vector<4xi32>", true,
     false, allTargets},
    {"atomic",
     "%old = vector.atomic.rmw<$xchg> %value, $v[%i, %edge][%near] {ordering = relaxed, scope = "
     "device} : $vector, $w, vector<4xi32>",
     true, true, allTargets},
    {"atomic_mask",
     "%old = vector.atomic.rmw.mask<$xchg> %value, $v[%i, %edge][%far], %part, %pass {ordering = "
     "relaxed, scope = device} : $vector, $w, vector<4xi32>, vector<4xi1>, $vector",
     true, true, maskedTargets},
};

/// Strides under which all work-items of a row or a group see one place.
struct Program {
  std::string name;
  ElementType type;
  Source source;
  int64_t size;
  std::vector<const Access *> accesses;

  /// Flags have no atomic accesses, and who comes last among different layouts is not defined.
  bool takes(const Access &access) const {
    bool isOwn = source == Source::Each || source == Source::Select;
    return !(access.isAtomic && type.bits < 8) && !(access.isFixed && access.isStore && isOwn);
  }
  std::string text() const;
  void run(const x86::CompiledKernels &kernels, Random &random) const;
  Strides stridesFor(bool first, int64_t mode, bool own, bool isStore) const;
};

std::string Program::text() const {
  std::string body;
  for (auto [number, access] : llvm::enumerate(accesses)) {
    std::string n = std::to_string(number), view = (access->isStore ? "t" : "f") + n;
    std::string offset = access->isStore ? "%place" + n : std::string("%base");
    if (access->isStore)
      body += "    " + offset + " = index.constant " +
              std::to_string(number * kReach * type.bytes) + " : offset\n";
    body += viewText(source, view, access->isStore ? "%out" : "%in", offset);
    std::string own = access->text, part = replaced("view<1x4x$type, %l_$v>", "$v", view);
    for (const char *local :
         {"%r", "%old", "%p", "%part_view", "%c1", "%c2", "%c3", "%e0", "%e1", "%e2", "%e3"})
      for (const char *end : {" ", ",", "[", "]"})
        own = replaced(own, std::string(local) + end, local + ("_" + n) + end);
    own = replaced(replaced(own, "$v[", "%" + view + "["), "$w", typeOf(source, view));
    body += "    " + replaced(own, "$part", part) + "\n";
    body = replaced(body, "$whole_" + view, typeOf(source, view));
    if (!access->isStore || access->isAtomic)
      body += "    vector.store " + std::string(access->isAtomic ? "%old_" : "%r_") + n +
              ", %results[%i, " + n + ", 0] : $vector, view<256x$countx4x$type>\n";
  }
  std::string text = R"(
kernel.def export("$name") @$name() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant $size : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%flags: buffer, %choices: buffer, %numbers: buffer, %masks: buffer, %values: buffer, %in: buffer, %out: buffer, %loaded: buffer, %first: i1, %mode: index, %rows: index, %columns: index, %wide_row: index, %wide_column: index) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %step = index.constant 1 : index
  %flag_view = buffer.view %flags[%base] : buffer -> view<256xi1>
  %choice_view = buffer.view %choices[%base] : buffer -> view<256xi1>
  %number_view = buffer.view %numbers[%base] : buffer -> view<256x12xi32>
  %mask_view = buffer.view %masks[%base] : buffer -> view<256x4xi1>
  %value_view = buffer.view %values[%base] : buffer -> view<256x2x4x$type>
  %results = buffer.view %loaded[%base] : buffer -> view<256x$countx4x$type>
  %zero_i32 = scalar.constant 0 : i32
  %two_i32 = scalar.constant 2 : i32
  %fixed = vector.iota %zero_i32 step %two_i32 : vector<4xi32>
  %yes = scalar.constant true : i1
  %no = scalar.constant false : i1
  %even = vector.from_elements %yes, %no, %yes, %no : vector<4xi1>
  %i = kernel.workitem.dispatch.id<x> : index
  %flag = view.load %flag_view[%i] : view<256xi1> -> i1
  %own = view.load %choice_view[%i] : view<256xi1> -> i1
  scf.if %flag {
    %row_int = view.load %number_view[%i, 0] : view<256x12xi32> -> i32
    %column_int = view.load %number_view[%i, 1] : view<256x12xi32> -> i32
    %edge_int = view.load %number_view[%i, 2] : view<256x12xi32> -> i32
    %row = index.cast %row_int : i32 to index
    %column = index.cast %column_int : i32 to index
    %edge = index.cast %edge_int : i32 to index
    %near = vector.load %number_view[%i, 4] : view<256x12xi32> -> vector<4xi32>
    %far = vector.load %number_view[%i, 8] : view<256x12xi32> -> vector<4xi32>
    %part = vector.load %mask_view[%i, 0] : view<256x4xi1> -> vector<4xi1>
    %value = vector.load %value_view[%i, 0, 0] : view<256x2x4x$type> -> $vector
    %pass = vector.load %value_view[%i, 1, 0] : view<256x2x4x$type> -> $vector
$body  }
  kernel.return
}
)";
  for (auto [from, to] :
       {std::pair("$body", body), std::pair("$vector", std::string("vector<4x$type>")),
        std::pair("$name", name), std::pair("$size", std::to_string(size)),
        std::pair("$count", std::to_string(accesses.size())),
        std::pair("$xchg", std::string(type.isFloat() ? "xchgf" : "xchgi")),
        std::pair("$type", type.name)})
    text = replaced(text, from, to);
  return text;
}

Strides Program::stridesFor(bool first, int64_t mode, bool own, bool isStore) const {
  switch (source) {
  case Source::Literal:
    return kLiteral;
  case Source::Values:
    return kWide;
  case Source::If:
    return first ? kWide : kColumnMajor;
  case Source::Dense:
    return first ? kWide : kDense;
  case Source::Loop:
    return mode % 2 ? kDense : kWide;
  case Source::Lookup:
    return mode == 0 ? kWide : mode == 1 ? kDense : kColumnMajor;
  case Source::Each:
    return own ? kWide : isStore ? kNarrow : kDense;
  case Source::Select:
    return own ? kWide : isStore ? kNarrow : kColumnMajor;
  }
  return kDense;
}

/// Elements of memory by their bits; a flag is one byte.
struct Memory {
  const ElementType &type;
  char *data;

  uint64_t get(size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, data + i * type.bytes, type.bytes);
    return value & type.mask();
  }
  void put(size_t i, uint64_t value) { std::memcpy(data + i * type.bytes, &value, type.bytes); }
  void fill(size_t count, Random &random) {
    for (size_t i = 0; i < count; ++i)
      put(i, random() & type.mask());
  }
};

Item randomItem(Random &random, unsigned density) {
  Item item;
  item.isActive = random() % 4 < density;
  item.chooses = random() % 2;
  item.row = random() % kRows;
  item.column = random() % (kColumns - kCount + 1);
  item.edge = random() % kColumns;
  std::array<int64_t, kColumns> columns;
  std::iota(columns.begin(), columns.end(), 0);
  std::shuffle(columns.begin(), columns.end(), random);
  for (int64_t k = 0; k < kCount; ++k) {
    item.targets[k] = columns[k];
    item.mask[k] = random() % 3 && item.edge + k < kColumns;
  }
  return item;
}

void Program::run(const x86::CompiledKernels &kernels, Random &random) const {
  size_t inside = kReach * type.bytes, outside = accesses.size() * inside;
  size_t count = accesses.size();
  for (int round = 0; round < 16; ++round) {
    GuardedBytes in(inside, round % 2), out(outside, round % 2);
    Memory from{type, in.data()}, to{type, out.data()};
    from.fill(kReach, random);
    to.fill(kReach * count, random);
    bool first = random() % 2;
    int64_t mode = random() % 3;
    unsigned density = random() % 5;
    bool isSame = random() % 3 == 0; // also where each work-item chooses for itself
    std::vector<uint8_t> flags(kRows), choices(kRows), masks(kRows * kCount);
    std::vector<int32_t> numbers(kRows * 12);
    std::vector<char> values(kRows * 2 * kCount * type.bytes),
        loaded(kRows * count * kCount * type.bytes);
    Memory value{type, values.data()}, expectedLoaded{type, nullptr};
    value.fill(kRows * 2 * kCount, random);
    std::vector<char> expectedLoads = loaded, expectedOut(out.data(), out.data() + out.size);
    expectedLoaded.data = expectedLoads.data();
    Memory expected{type, expectedOut.data()};
    for (int64_t i = 0; i < kRows; ++i) {
      Item item = randomItem(random, density);
      item.isActive &= i < kGroups * size;
      item.chooses = isSame ? first : item.chooses;
      flags[i] = item.isActive;
      choices[i] = item.chooses;
      bool isWild = !item.isActive;
      int32_t *own = &numbers[12 * i];
      own[0] = isWild ? random() : item.row;
      own[1] = isWild ? random() : item.column;
      own[2] = isWild ? random() : item.edge;
      for (int64_t k = 0; k < kCount; ++k) {
        own[4 + k] = isWild ? random() : item.targets[k] - item.edge;
        own[8 + k] = isWild || !item.mask[k] ? random() : item.targets[k] - item.edge;
        masks[i * kCount + k] = item.mask[k];
      }
      for (size_t a = 0; a < count && item.isActive; ++a) {
        Strides strides = stridesFor(first, mode, item.chooses, accesses[a]->isStore);
        std::array<int64_t, kCount> columns = accesses[a]->columns(item);
        for (int64_t k = 0; k < kCount; ++k) {
          size_t result = (i * count + a) * kCount + k;
          uint64_t pass = value.get((2 * i + 1) * kCount + k);
          if (!accesses[a]->isStore) {
            int64_t row = accesses[a]->isFixed ? kFixedRow : item.row;
            expectedLoaded.put(result,
                               columns[k] < 0 ? pass : from.get(strides.of(row, columns[k])));
            continue;
          }
          int64_t row = accesses[a]->isFixed ? kFixedRow : i;
          size_t place = a * kReach + (columns[k] < 0 ? 0 : strides.of(row, columns[k]));
          if (accesses[a]->isAtomic)
            expectedLoaded.put(result, columns[k] < 0 ? pass : to.get(place));
          if (columns[k] >= 0)
            expected.put(place, value.get(2 * i * kCount + k));
        }
      }
    }
    launchSized(kernels, name, kGroups, {size, 1, 1},
                Arguments()
                    .add(flags)
                    .add(choices)
                    .add(numbers)
                    .add(masks)
                    .add(values)
                    .add(in.data())
                    .add(out.data())
                    .add(loaded)
                    .add(first)
                    .add(mode)
                    .add(kRows)
                    .add(kColumns)
                    .add(kWide.row)
                    .add(kWide.column));
    Memory seen{type, loaded.data()};
    for (size_t r = 0; r < kRows * count * kCount; ++r)
      ASSERT_EQ(seen.get(r), expectedLoaded.get(r))
          << name << ", " << accesses[r / kCount % count]->name << ", round " << round
          << ", work-item " << r / kCount / count << ", element " << r % kCount << ", first "
          << first << ", mode " << mode;
    for (size_t p = 0; p < kReach * count; ++p)
      ASSERT_EQ(to.get(p), expected.get(p))
          << name << ", " << accesses[p / kReach]->name << ", round " << round << ", place "
          << p % kReach << ", first " << first << ", mode " << mode;
  }
}

/// Compiles for x86 behind the passes that make addresses.
class LayoutCompiler final : public LoweringTest {
public:
  using LoweringTest::takeErrors;

  mlir::ModuleOp prepare(const std::string &text, bool linearizes) {
    mlir::ModuleOp module = parse(text);
    if (!module)
      return module;
    mlir::PassManager manager(&context);
    manager.addPass(createCarryStrides());
    if (linearizes)
      manager.addPass(createLinearizeAddresses());
    if (mlir::failed(manager.run(module))) {
      ADD_FAILURE() << takeErrors() << text;
      return {};
    }
    return module;
  }
  std::optional<x86::CompiledKernels> run(const std::string &text, const char *profile,
                                          bool linearizes) {
    mlir::ModuleOp module = prepare(text, linearizes);
    if (!module)
      return std::nullopt;
    mlir::FailureOr<x86::CompiledKernels> kernels =
        x86::compileKernels(module, *lookupTargetProfile(profile));
    if (mlir::succeeded(kernels))
      return std::move(*kernels);
    ADD_FAILURE() << profile << ": " << takeErrors() << text;
    return std::nullopt;
  }

private:
  void TestBody() override {}
};

class LanesLayoutsTest : public LanesTest {
protected:
  /// A part of all types, sources and accesses, another one for each size.
  void run(bool linearizes) {
    const int64_t sizes[] = {16, 40, 7, 64, 100};
    forEachProfile([&](const LaneProfile &profile) {
      std::vector<Program> programs;
      std::string text;
      size_t turn = llvm::Log2_64(profile.lanes) + (linearizes ? 0 : 2);
      for (const char *type : kTypes)
        for (size_t s = 0; s < kSources; ++s, ++turn) {
          if (!isTaken(turn, 19))
            continue;
          Program program{"k" + std::to_string(turn),
                          ElementType(type),
                          Source(s),
                          sizes[turn % std::size(sizes)],
                          {}};
          size_t number = 0;
          for (const Access &access : kAccesses)
            if (isTaken(turn / 19 + number++, 5) && program.takes(access))
              program.accesses.push_back(&access);
          text += program.text();
          programs.push_back(program);
        }
      std::optional<x86::CompiledKernels> kernels =
          LayoutCompiler().run(text, profile.key, linearizes);
      if (!kernels)
        return;
      Random random(profile.lanes);
      for (const Program &program : programs) {
        program.run(*kernels, random);
        if (HasFatalFailure())
          return;
      }
    });
  }
};

TEST_F(LanesLayoutsTest, LinearAccesses) { run(/*linearizes=*/true); }

/// As under --sanitizer=access, which keeps coordinates where it can.
TEST_F(LanesLayoutsTest, AccessesByCoordinates) { run(/*linearizes=*/false); }

//===----------------------------------------------------------------------===//
// Views that loops carry, and barriers
//===----------------------------------------------------------------------===//

/// A view is exchanged with its transpose in each round, and read behind a barrier.
TEST_F(LanesLayoutsTest, CarriedViews) {
  std::string text = R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  %size = index.constant 64 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%rounds: index, %pitch: index, %input: buffer, %output: buffer) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %four = index.constant 4 : index
  %i = kernel.workitem.id<x> : index
  %j = index.rem %i, %four : index
  %row_major = encoding.layout.strided [%pitch, 1] : encoding<layout>
  %column_major = encoding.layout.strided [1, %pitch] : encoding<layout>
  %rows = buffer.view %input[%base] : buffer -> view<64x4xi32, %row_major>
  %columns = buffer.view %input[%base] : buffer -> view<64x4xi32, %column_major>
  %results = buffer.view %output[%base] : buffer -> view<64x2xi32>
  %layout, %view, %other, %back = scf.for %k = [%zero to %rounds step %one](%l = %row_major : encoding<layout>, %v = %rows : view<64x4xi32, %row_major>, %m = %column_major : encoding<layout>, %w = %columns : view<64x4xi32, %column_major>) -> (encoding<layout>, view<64x4xi32, %layout>, encoding<layout>, view<64x4xi32, %other>) {
    scf.yield %m, %w, %l, %v : encoding<layout>, view<64x4xi32, %m>, encoding<layout>, view<64x4xi32, %l>
  }
  %a = view.load %view[%i, %j] : view<64x4xi32, %layout> -> i32
  view.store %a, %results[%i, 0] : i32, view<64x2xi32>
  kernel.barrier<global> scope(workgroup) ordering(acq_rel)
  %steps = vector.constant 1 : vector<2xi32>
  %pair = vector.gather %back[%i, 1][%steps] : view<64x4xi32, %other>, vector<2xi32> -> vector<2xi32>
  %b = vector.extract %pair[1] : vector<2xi32> -> i32
  view.store %b, %results[%i, 1] : i32, view<64x2xi32>
  kernel.return
}
)";
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels =
        LayoutCompiler().run(text, profile.key, /*linearizes=*/true);
    ASSERT_TRUE(kernels);
    std::vector<int32_t> input(64 * 80);
    std::iota(input.begin(), input.end(), 0);
    for (int64_t rounds = 0; rounds < 4; ++rounds)
      for (int64_t pitch : {66, 70}) {
        std::vector<int32_t> output(128, -1);
        launchSized(*kernels, "k", 1, {64, 1, 1},
                    Arguments().add(rounds).add(pitch).add(input).add(output));
        for (int64_t i = 0; i < 64; ++i) {
          bool isRows = rounds % 2 == 0;
          int64_t own = isRows ? i * pitch + i % 4 : i + i % 4 * pitch;
          int64_t back = isRows ? i + 2 * pitch : i * pitch + 2;
          ASSERT_EQ(output[2 * i], own) << profile.lanes << " lanes, " << rounds << " rounds";
          ASSERT_EQ(output[2 * i + 1], back) << profile.lanes << " lanes, " << rounds << " rounds";
        }
      }
  });
}

/// The lengths of buffers that are chosen for all work-items, for each of them, and by a loop.
TEST_F(LanesLayoutsTest, LengthsOfChosenBuffers) {
  std::string text = R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  %size = index.constant 40 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%first: i1, %rounds: index, %flags: buffer, %a: buffer, %b: buffer, %output: buffer) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %own_bytes = index.constant 24 : offset
  %i = kernel.workitem.id<x> : index
  %flag_view = buffer.view %flags[%base] : buffer -> view<40xi1>
  %results = buffer.view %output[%base] : buffer -> view<40x3xi64>
  %own = view.load %flag_view[%i] : view<40xi1> -> i1
  %all = scf.select %first, %a, %b : buffer
  %all_length = buffer.length %all
  %each = scf.if %own -> (buffer) {
    %known = buffer.assume.alignment %a {minimum_alignment = 1} : buffer
    scf.yield %known : buffer
  } else {
    %storage = buffer.alloca<private> align(8) %own_bytes : buffer
    scf.yield %storage : buffer
  }
  %each_length = buffer.length %each
  %x, %y = scf.for %k = [%zero to %rounds step %one](%p = %a : buffer, %q = %b : buffer) -> (buffer, buffer) {
    scf.yield %q, %p : buffer, buffer
  }
  %loop_length = buffer.length %x
  %l0 = index.cast %all_length : offset to i64
  %l1 = index.cast %each_length : offset to i64
  %l2 = index.cast %loop_length : offset to i64
  view.store %l0, %results[%i, 0] : i64, view<40x3xi64>
  view.store %l1, %results[%i, 1] : i64, view<40x3xi64>
  view.store %l2, %results[%i, 2] : i64, view<40x3xi64>
  kernel.return
}
)";
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels =
        LayoutCompiler().run(text, profile.key, /*linearizes=*/true);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (int64_t rounds = 0; rounds < 4; ++rounds)
      for (bool first : {false, true}) {
        std::vector<uint8_t> flags(40), a(100), b(77);
        for (uint8_t &flag : flags)
          flag = random() % 2;
        std::vector<int64_t> output(120, -1);
        launchSized(*kernels, "k", 1, {40, 1, 1},
                    Arguments()
                        .add(first)
                        .add(rounds)
                        .add(flags)
                        .add(a)
                        .add(b)
                        .add(output)
                        .add(int64_t(40))
                        .add(int64_t(100))
                        .add(int64_t(77))
                        .add(int64_t(960)));
        for (int64_t i = 0; i < 40; ++i) {
          ASSERT_EQ(output[3 * i], first ? 100 : 77);
          ASSERT_EQ(output[3 * i + 1], flags[i] ? 100 : 24) << "work-item " << i;
          ASSERT_EQ(output[3 * i + 2], rounds % 2 ? 77 : 100);
        }
      }
  });
}

//===----------------------------------------------------------------------===//
// AMDGPU
//===----------------------------------------------------------------------===//

/// The same programs are lowered for AMDGPU, as far as it has their accesses.
TEST_F(LanesLayoutsTest, LoweredForAMDGPU) {
  std::string text;
  for (size_t s = 0; s < kSources; ++s) {
    Program program{"k" + std::to_string(s), ElementType("f32"), Source(s), 64, {}};
    for (const Access &access : kAccesses)
      if (!access.isAtomic && !llvm::StringRef(access.text).contains("<volatile>"))
        program.accesses.push_back(&access);
    text += program.text();
  }
  LayoutCompiler compiler;
  mlir::ModuleOp module = compiler.prepare(text, /*linearizes=*/true);
  ASSERT_TRUE(module);
  llvm::LLVMContext context;
  LoweringOptions options;
  options.verifyIntermediate = true;
  EXPECT_TRUE(mlir::succeeded(
      lowerForAMDGPU(module, *lookupTargetProfile("amdgpu:gfx1151"), context, options)))
      << compiler.takeErrors();
}

} // namespace
} // namespace loom::test
