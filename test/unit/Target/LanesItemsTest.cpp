//===- LanesItemsTest.cpp - What each work-item does for itself -----------===//
//
// Copies of bytes, atomic and volatile accesses of vectors, under a flag that each work-item loads.
// The reference runs one work-item after the other. Where memory is only read or written at places
// of active work-items it lies between pages that nobody may touch, and the others have wild
// numbers.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

const char *const kTypes[] = {"i8",     "i16", "i32",  "i64", "f8E4M3",
                              "f8E5M2", "f16", "bf16", "f32", "f64"};
constexpr int64_t kGroups = 2;
/// Work-items at most, and elements of tables.
constexpr int64_t kItems = 256;

/// Each type at one size or more.
std::vector<std::string> someTypes(const LaneProfile &profile) {
  std::vector<std::string> types;
  for (size_t t = 0; t < std::size(kTypes); ++t)
    if (isTaken(t + llvm::Log2_64(profile.lanes), 4))
      types.push_back(kTypes[t]);
  return types;
}

/// A kernel of workgroups of `size` work-items that runs `body` where the flag of a work-item is
/// set. `setup` stands in front, `parameters` are those behind `%flags: buffer`.
std::string itemKernel(const std::string &name, int64_t size, const std::string &parameters,
                       const std::string &setup, const std::string &body) {
  std::string text = R"(
kernel.def export("$name") @$name() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant $size : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%flags: buffer, $parameters) {
  %base = index.constant 0 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<256xi1>
  %i = kernel.workitem.dispatch.id<x> : index
  %flag = view.load %flag_view[%i] : view<256xi1> -> i1
$setup  scf.if %flag {
$body  }
  kernel.return
}
)";
  for (auto [from, to] : {std::pair("$name", name), std::pair("$parameters", parameters),
                          std::pair("$size", std::to_string(size)), std::pair("$setup", setup),
                          std::pair("$body", body)})
    text = replaced(text, from, to);
  return text;
}

std::string viewOf(const std::string &name, const std::string &buffer, const std::string &type) {
  return "  " + name + " = buffer.view " + buffer + "[%base] : buffer -> view<" + type + ">\n";
}

/// The flags of one of many patterns: nobody, everybody, anything between.
std::vector<uint8_t> randomFlags(Random &random) {
  std::vector<uint8_t> flags(kItems);
  unsigned density = random() % 5;
  for (uint8_t &flag : flags)
    flag = random() % 4 < density;
  return flags;
}

const int64_t kSizes[] = {16, 40, 7, 64, 100};

class LanesItemsTest : public LanesTest {};
class LanesItemsCodeTest : public LoweringTest {};

//===----------------------------------------------------------------------===//
// Ranges of bytes
//===----------------------------------------------------------------------===//

/// Bytes of a range, at most, and how far apart those of two work-items lie.
constexpr int64_t kRange = 40, kApart = 48;

std::string rangesText(const std::string &name, const std::string &type, int64_t size,
                       bool isUniform) {
  std::string setup = viewOf("%tables", "%numbers", "256x4xi32") +
                      viewOf("%patterns", "%bits", "256x" + type) +
                      viewOf("%answers", "%orders", "256xi32");
  std::string body = "    %row = kernel.workgroup.id<x> : index\n";
  std::string row = isUniform ? "%row" : "%i";
  unsigned column = 0;
  for (const char *place : {"%from", "%to", "%length", "%other"})
    body += replaced("    $_int = view.load %tables[" + row + ", " + std::to_string(column++) +
                         "] : view<256x4xi32> -> i32\n"
                         "    $_index = index.cast $_int : i32 to index\n"
                         "    $ = index.cast $_index : index to offset\n",
                     "$", place);
  body += "    %pattern = view.load %patterns[" + row + "] : view<256x" + type + "> -> " + type +
          R"(
    buffer.copy %in[%from], %out[%to], %length
    buffer.fill %pattern, %filled[%to], %length : )" +
          type + R"(
    %order = buffer.compare %in[%from], %in[%other], %length
    view.store %order, %answers[%i] : i32, view<256xi32>
)";
  return itemKernel(name, size,
                    "%numbers: buffer, %bits: buffer, %in: buffer, %out: buffer, %filled: buffer, "
                    "%orders: buffer",
                    setup, body);
}

struct Ranges {
  std::string name;
  ElementType type;
  int64_t size;
  bool isUniform;
};

void runRanges(const Ranges &ranges, const x86::CompiledKernels &kernels, Random &random) {
  constexpr int64_t inBytes = 600, outBytes = kItems * kApart;
  for (int round = 0; round < 64; ++round) {
    GuardedBytes in(inBytes, round % 2), out(outBytes, round % 2), filled(outBytes, round % 2);
    // Runs of equal bytes, so that comparisons go on for a while.
    for (size_t i = 0; i < in.size; ++i)
      in.data()[i] = i && random() % 8 ? in.data()[i - 1] : random();
    std::vector<char> copied(outBytes), patterned(outBytes);
    std::memset(out.data(), 0, outBytes);
    std::memset(filled.data(), 0, outBytes);
    std::vector<uint8_t> flags = randomFlags(random), bits(kItems * 8);
    std::vector<int32_t> numbers(kItems * 4), orders(kItems, 7), expectedOrders = orders;
    for (int64_t i = 0; i < kItems; ++i) {
      bool isWild = !ranges.isUniform && !flags[i];
      int32_t length = random() % 8 ? random() % (kRange + 1) : 0;
      numbers[4 * i] = isWild ? random() : random() % (inBytes - length + 1);
      numbers[4 * i + 1] = isWild ? random() : i * kApart + random() % (kApart - length);
      numbers[4 * i + 2] = isWild ? random() : length;
      numbers[4 * i + 3] = isWild ? random() : random() % (inBytes - length + 1);
      uint64_t pattern = random();
      std::memcpy(&bits[i * ranges.type.bytes], &pattern, ranges.type.bytes);
    }
    for (int64_t i = 0; i < kGroups * ranges.size; ++i) {
      if (!flags[i])
        continue;
      int64_t row = ranges.isUniform ? i / ranges.size : i;
      const int32_t *own = &numbers[4 * row];
      std::memcpy(&copied[own[1]], in.data() + own[0], own[2]);
      for (int64_t k = 0; k < own[2]; ++k)
        patterned[own[1] + k] = bits[row * ranges.type.bytes + k % ranges.type.bytes];
      int order = std::memcmp(in.data() + own[0], in.data() + own[3], own[2]);
      expectedOrders[i] = (order > 0) - (order < 0);
    }
    launchSized(kernels, ranges.name, kGroups, {ranges.size, 1, 1},
                Arguments()
                    .add(flags)
                    .add(numbers)
                    .add(bits)
                    .add(in.data())
                    .add(out.data())
                    .add(filled.data())
                    .add(orders));
    ASSERT_EQ(orders, expectedOrders) << ranges.name << ", round " << round;
    for (int64_t i = 0; i < outBytes; ++i) {
      ASSERT_EQ(out.data()[i], copied[i]) << ranges.name << ", round " << round << ", byte " << i;
      ASSERT_EQ(filled.data()[i], patterned[i])
          << ranges.name << ", round " << round << ", byte " << i;
    }
  }
}

TEST_F(LanesItemsTest, RangesOfBytes) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Ranges> all;
    std::string text;
    for (const std::string &type : someTypes(profile))
      for (bool isUniform : {false, true}) {
        std::string name = type + (isUniform ? "_uniform" : "");
        int64_t size = kSizes[all.size() % std::size(kSizes)];
        all.push_back({name, ElementType(type), size, isUniform});
        text += rangesText(name, type, size, isUniform);
      }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (const Ranges &ranges : all) {
      runRanges(ranges, *kernels, random);
      if (HasFatalFailure())
        return;
    }
  });
}

/// Positions that `buffer.pack` gives to lengths that differ between work-items.
TEST_F(LanesItemsTest, PackedPositions) {
  std::string text =
      itemKernel("k", 40, "%lengths: buffer, %places: buffer",
                 viewOf("%from", "%lengths", "256x3xi32") + viewOf("%to", "%places", "256x4xi64"),
                 R"(    %a32 = view.load %from[%i, 0] : view<256x3xi32> -> i32
    %b32 = view.load %from[%i, 1] : view<256x3xi32> -> i32
    %c32 = view.load %from[%i, 2] : view<256x3xi32> -> i32
    %a_index = index.cast %a32 : i32 to index
    %b_index = index.cast %b32 : i32 to index
    %c_index = index.cast %c32 : i32 to index
    %a = index.cast %a_index : index to offset
    %b = index.cast %b_index : index to offset
    %c = index.cast %c_index : index to offset
    %total, %p, %q, %r = buffer.pack [align(4) %a, align(16) %b, align(1) %c] : offset
    %total64 = index.cast %total : offset to i64
    %p64 = index.cast %p : offset to i64
    %q64 = index.cast %q : offset to i64
    %r64 = index.cast %r : offset to i64
    view.store %total64, %to[%i, 0] : i64, view<256x4xi64>
    view.store %p64, %to[%i, 1] : i64, view<256x4xi64>
    view.store %q64, %to[%i, 2] : i64, view<256x4xi64>
    view.store %r64, %to[%i, 3] : i64, view<256x4xi64>
)");
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    std::vector<uint8_t> flags = randomFlags(random);
    std::vector<int32_t> lengths(kItems * 3);
    std::vector<int64_t> places(kItems * 4, -1), expected = places;
    for (int32_t &length : lengths)
      length = random() % 100;
    for (int64_t i = 0; i < 80; ++i) {
      if (!flags[i])
        continue;
      int64_t second = llvm::alignTo(lengths[3 * i], 16), third = second + lengths[3 * i + 1];
      expected[4 * i] = llvm::alignTo(third + lengths[3 * i + 2], 16);
      expected[4 * i + 1] = 0;
      expected[4 * i + 2] = second;
      expected[4 * i + 3] = third;
    }
    launchSized(*kernels, "k", kGroups, {40, 1, 1},
                Arguments().add(flags).add(lengths).add(places));
    EXPECT_EQ(places, expected);
  });
}

//===----------------------------------------------------------------------===//
// Atomic accesses of vectors
//===----------------------------------------------------------------------===//

constexpr int64_t kCells = 6;

std::vector<std::string> atomicKinds(const ElementType &type) {
  if (type.isFloat())
    return {"xchgf", "addf", "minimumf", "maximumf", "minnumf", "maxnumf"};
  return {"xchgi", "addi", "subi", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"};
}

bool isExchange(const std::string &kind) { return kind == "xchgi" || kind == "xchgf"; }

/// What an atomic access of a kernel is.
struct Update {
  std::string kind; ///< "" is a comparison and exchange
  bool givesBack = false, isMasked = false;
};

/// A part of all updates, another one for each `turn`.
std::vector<Update> updatesOf(const ElementType &type, size_t turn) {
  std::vector<Update> updates = {{"", true, false}};
  for (const std::string &kind : atomicKinds(type))
    for (bool isMasked : {false, true})
      for (bool givesBack : {true, false})
        if ((givesBack || !isExchange(kind)) && isTaken(turn++, 12))
          updates.push_back({kind, givesBack, isMasked});
  return updates;
}

/// Each update has a row of cells; vectors of `count` elements go to cells that a table names.
struct VectorAtomics {
  std::string name;
  ElementType type;
  std::string offsetType;
  int64_t count, size;
  size_t turn;

  std::string text() const;
  void run(const x86::CompiledKernels &kernels, Random &random) const;
};

std::string VectorAtomics::text() const {
  std::vector<Update> updates = updatesOf(type, turn);
  std::string rows = std::to_string(updates.size());
  std::string setup =
      viewOf("%from", "%in", "256x3x$nx$type") + viewOf("%places", "%numbers", "256x$nx$carrier") +
      viewOf("%parts", "%masks", "256x$nxi1") + viewOf("%cells", "%memory", rows + "x6x$type") +
      viewOf("%to", "%out", "256x" + rows + "x$nx$type");
  std::string body = R"(    %value = vector.load %from[%i, 0, 0] : view<256x3x$nx$type> -> $vector
    %want = vector.load %from[%i, 1, 0] : view<256x3x$nx$type> -> $vector
    %pass = vector.load %from[%i, 2, 0] : view<256x3x$nx$type> -> $vector
    %part = vector.load %parts[%i, 0] : view<256x$nxi1> -> vector<$nxi1>
    %loaded = vector.load %places[%i, 0] : view<256x$nx$carrier> -> vector<$nx$carrier>
    $convert
)";
  for (auto [row, update] : llvm::enumerate(updates)) {
    std::string r = std::to_string(row), tail = " : $vector, view<" + rows + "x6x$type>, $offsets";
    std::string old = update.givesBack ? "%old" + r + " = " : "";
    std::string place = "%cells[" + r + ", 1][%offsets]";
    if (update.kind.empty())
      body += "    " + old + "vector.atomic.cmpxchg %want, %value, " + place +
              " {failure_ordering = relaxed, scope = device, success_ordering = acquire}" + tail +
              " -> $vector\n";
    else
      body += "    " + old + "vector.atomic." + (update.givesBack ? "rmw" : "reduce") +
              (update.isMasked ? ".mask<" : "<") + update.kind + "> %value, " + place +
              (update.isMasked ? update.givesBack ? ", %part, %pass" : ", %part" : "") +
              " {ordering = relaxed, scope = device}" + tail +
              (update.isMasked ? update.givesBack ? ", vector<$nxi1>, $vector" : ", vector<$nxi1>"
                               : "") +
              "\n";
    if (update.givesBack)
      body += "    vector.store %old" + r + ", %to[%i, " + r + ", 0] : $vector, view<256x" + rows +
              "x$nx$type>\n";
  }
  bool isIndex = offsetType == "index";
  std::string text = itemKernel(
      name, size, "%in: buffer, %numbers: buffer, %masks: buffer, %memory: buffer, %out: buffer",
      setup, body);
  std::string convert, list;
  for (int64_t k = 0; k < count; ++k) {
    std::string n = std::to_string(k);
    convert += replaced("%int$ = vector.extract %loaded[$] : vector<$nxi64> -> i64\n    "
                        "%index$ = index.cast %int$ : i64 to index\n    ",
                        "$]", n + "]");
    convert = replaced(replaced(convert, "%int$", "%int" + n), "%index$", "%index" + n);
    list += (k ? ", %index" : "%index") + n;
  }
  convert += "%offsets = vector.from_elements " + list + " : vector<$nxindex>";
  text = replaced(text, "$convert", isIndex ? convert : "");
  if (!isIndex)
    text = replaced(text, "%offsets", "%loaded");
  text = replaced(text, "$offsets", "vector<$nx" + offsetType + ">");
  text = replaced(text, "$carrier", isIndex ? "i64" : offsetType);
  text = replaced(text, "$vector", "vector<$nx$type>");
  return replaced(replaced(text, "$type", type.name), "$n", std::to_string(count));
}

struct AtomicMemory {
  const ElementType &type;
  std::vector<uint8_t> bytes;

  AtomicMemory(const ElementType &type, size_t count) : type(type), bytes(count * type.bytes) {}
  uint64_t get(size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, &bytes[i * type.bytes], type.bytes);
    return value;
  }
  void put(size_t i, uint64_t value) { std::memcpy(&bytes[i * type.bytes], &value, type.bytes); }
  /// Often one of few values, so that comparisons succeed now and then.
  void fill(Random &random) {
    for (size_t i = 0; i < bytes.size() / type.bytes; ++i) {
      uint64_t few = type.isFloat() ? type.rounded(double(random() % 3)) : random() % 3;
      put(i, random() % 2 ? type.random(random) : few);
    }
  }
};

void VectorAtomics::run(const x86::CompiledKernels &kernels, Random &random) const {
  std::vector<Update> updates = updatesOf(type, turn);
  int64_t rows = updates.size();
  ElementType carrier = carrierOf(offsetType);
  for (int round = 0; round < 64; ++round) {
    std::vector<uint8_t> flags = randomFlags(random), masks(kItems * count);
    AtomicMemory in(type, kItems * 3 * count), cells(type, rows * kCells),
        out(type, kItems * rows * count), numbers(carrier, kItems * count);
    in.fill(random);
    cells.fill(random);
    for (int64_t i = 0; i < kItems * count; ++i) {
      masks[i] = random() % 2;
      // The origin is cell 1. Who takes no part has a number outside of all memory.
      numbers.put(i, flags[i / count] ? int64_t(random() % kCells) - 1 : 0x4040404040404040);
    }
    AtomicMemory expectedCells = cells, expectedOut = out;
    for (int64_t i = 0; i < kGroups * size; ++i)
      for (int64_t row = 0; flags[i] && row < rows; ++row)
        for (int64_t k = 0; k < count; ++k) {
          const Update &update = updates[row];
          int64_t at = i * count + k;
          size_t cell = row * kCells + 1 + carrier.asSigned(numbers.get(at));
          uint64_t before = expectedCells.get(cell), value = in.get(i * 3 * count + k);
          bool takesPart = !update.isMasked || masks[at];
          if (update.givesBack)
            expectedOut.put((i * rows + row) * count + k,
                            takesPart ? before : in.get((i * 3 + 2) * count + k));
          if (!takesPart)
            continue;
          if (!update.kind.empty())
            expectedCells.put(cell, combine(update.kind, type, before, value));
          else if (before == in.get((i * 3 + 1) * count + k))
            expectedCells.put(cell, value);
        }
    launchSized(kernels, name, kGroups, {size, 1, 1},
                Arguments()
                    .add(flags)
                    .add(in.bytes)
                    .add(numbers.bytes)
                    .add(masks)
                    .add(cells.bytes)
                    .add(out.bytes));
    auto compare = [&](const char *what, const AtomicMemory &a, const AtomicMemory &b) {
      for (size_t i = 0; i < a.bytes.size() / type.bytes; ++i)
        ASSERT_TRUE(isSameValue(type, a.get(i), b.get(i)))
            << name << ", round " << round << ", " << what << " element " << i << ": " << std::hex
            << a.get(i) << ", expected " << b.get(i);
    };
    compare("cells", cells, expectedCells);
    compare("out", out, expectedOut);
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

TEST_F(LanesItemsTest, AtomicsOfVectors) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<VectorAtomics> all;
    std::string text;
    const char *const offsets[] = {"i32", "index", "i8", "i64", "i16"};
    const int64_t counts[] = {4, 1, 3};
    for (const std::string &type : someTypes(profile)) {
      size_t turn = all.size() + llvm::Log2_64(profile.lanes);
      all.push_back({"k_" + type, ElementType(type), offsets[turn % std::size(offsets)],
                     counts[turn % std::size(counts)], kSizes[turn % std::size(kSizes)], turn});
      text += all.back().text();
    }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (const VectorAtomics &atomics : all) {
      atomics.run(*kernels, random);
      if (HasFatalFailure())
        return;
    }
  });
}

//===----------------------------------------------------------------------===//
// Volatile accesses
//===----------------------------------------------------------------------===//

/// Every form of access, from and to rows of 8 elements of the work-item. What a masked load does
/// not read is a row of zeros.
std::string volatileText(const std::string &name, const std::string &type, int64_t size,
                         const std::string &flag, const std::string &hints) {
  std::string setup =
      viewOf("%from", "%in", "256x8x$type") + viewOf("%to", "%out", "256x6x8x$type") +
      viewOf("%parts", "%masks", "256x4xi1") + viewOf("%places", "%numbers", "256x4xi32");
  std::string body = R"(    %part = vector.load %parts[%i, 0] : view<256x4xi1> -> vector<4xi1>
    %offsets = vector.load %places[%i, 0] : view<256x4xi32> -> vector<4xi32>
    %zero = vector.constant $zero : vector<4x$type>
    %one = view.load$flag %from[%i, 7]$hints : view<256x8x$type> -> $type
    view.store$flag %one, %to[%i, 0, 5]$hints : $type, view<256x6x8x$type>
    %row = vector.load$flag %from[%i, 3]$hints : view<256x8x$type> -> vector<4x$type>
    vector.store$flag %row, %to[%i, 1, 2]$hints : vector<4x$type>, view<256x6x8x$type>
    %masked = vector.load.mask$flag %from[%i, 4], %part, %zero$hints : view<256x8x$type>, vector<4xi1>, vector<4x$type>
    vector.store.mask$flag %masked, %to[%i, 2, 4], %part$hints : vector<4x$type>, view<256x6x8x$type>, vector<4xi1>
    %expanded = vector.load.expand$flag %from[%i, 2], %part, %zero$hints : view<256x8x$type>, vector<4xi1>, vector<4x$type>
    vector.store %expanded, %to[%i, 3, 4] : vector<4x$type>, view<256x6x8x$type>
    vector.store.compress$flag %row, %to[%i, 3, 0], %part$hints : vector<4x$type>, view<256x6x8x$type>, vector<4xi1>
    %gathered = vector.gather$flag %from[%i, 0][%offsets]$hints : view<256x8x$type>, vector<4xi32> -> vector<4x$type>
    vector.scatter$flag %gathered, %to[%i, 4, 0][%offsets]$hints : vector<4x$type>, view<256x6x8x$type>, vector<4xi32>
    %chosen = vector.gather.mask$flag %from[%i, 0][%offsets], %part, %zero$hints : view<256x8x$type>, vector<4xi32>, vector<4xi1>, vector<4x$type>
    vector.scatter.mask$flag %chosen, %to[%i, 5, 0][%offsets], %part$hints : vector<4x$type>, view<256x6x8x$type>, vector<4xi32>, vector<4xi1>
    %together = vector.load$flag %from[0, 0]$hints : view<256x8x$type> -> vector<2x$type>
    vector.store$flag %together, %to[%i, 0, 0]$hints : vector<2x$type>, view<256x6x8x$type>
)";
  std::string text = itemKernel(
      name, size, "%numbers: buffer, %masks: buffer, %in: buffer, %out: buffer", setup, body);
  bool isFloat = ElementType(type).isFloat();
  for (auto [from, to] : {std::pair("$flag", flag), std::pair("$hints", hints),
                          std::pair("$zero", std::string(isFloat        ? "0.0"
                                                         : type == "i1" ? "false"
                                                                        : "0")),
                          std::pair("$type", type)})
    text = replaced(text, from, to);
  return text;
}

struct Volatile {
  std::string name;
  ElementType type;
  int64_t size;
};

void runVolatile(const Volatile &access, const x86::CompiledKernels &kernels, Random &random) {
  size_t bytes = access.type.bytes;
  for (int round = 0; round < 64; ++round) {
    std::vector<uint8_t> flags = randomFlags(random), masks(kItems * 4), in(kItems * 8 * bytes);
    std::vector<uint8_t> out(kItems * 48 * bytes, 0xcc), expected = out;
    std::vector<int32_t> numbers(kItems * 4);
    for (uint8_t &byte : in)
      byte = access.type.bits == 1 ? random() % 2 : random();
    for (int64_t i = 0; i < kItems; ++i) {
      std::vector<int32_t> order = {0, 1, 2, 3, 4, 5, 6, 7};
      std::shuffle(order.begin(), order.end(), random);
      for (int64_t k = 0; k < 4; ++k) {
        masks[4 * i + k] = random() % 2;
        numbers[4 * i + k] = flags[i] ? order[k] : 0x40000000;
      }
    }
    for (int64_t i = 0; i < kGroups * access.size; ++i) {
      if (!flags[i])
        continue;
      auto copy = [&](int64_t row, int64_t to, int64_t from, int64_t item = -1) {
        std::memcpy(&expected[((i * 6 + row) * 8 + to) * bytes],
                    &in[((item < 0 ? i : item) * 8 + from) * bytes], bytes);
      };
      auto clear = [&](int64_t row, int64_t to) {
        std::memset(&expected[((i * 6 + row) * 8 + to) * bytes], 0, bytes);
      };
      const uint8_t *part = &masks[4 * i];
      const int32_t *place = &numbers[4 * i];
      copy(0, 5, 7);
      for (int64_t k = 0, taken = 0; k < 4; ++k) {
        copy(1, 2 + k, 3 + k);
        copy(4, place[k], place[k]);
        if (!part[k]) {
          clear(3, 4 + k);
          continue;
        }
        copy(2, 4 + k, 4 + k);
        copy(3, 4 + k, 2 + taken);
        copy(3, taken++, 3 + k);
        copy(5, place[k], place[k]);
      }
      copy(0, 0, 0, 0);
      copy(0, 1, 1, 0);
    }
    launchSized(kernels, access.name, kGroups, {access.size, 1, 1},
                Arguments().add(flags).add(numbers).add(masks).add(in).add(out));
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], expected[i]) << access.name << ", round " << round << ", work-item "
                                     << i / bytes / 48 << ", element " << i / bytes % 48;
  }
}

TEST_F(LanesItemsTest, VolatileAccessesAndCacheHints) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Volatile> all;
    std::string text;
    std::vector<std::string> types = someTypes(profile);
    if (!isLong())
      types.resize(1);
    if (profile.lanes == 16)
      types.push_back("i1");
    for (const std::string &type : types) {
      int64_t size = kSizes[all.size() % std::size(kSizes)];
      all.push_back({"k_" + type, ElementType(type), size});
      text += volatileText(all.back().name, type, size, "<volatile>", "");
    }
    if (profile.lanes == 8) {
      all.push_back({"hints", ElementType("f32"), 40});
      text += volatileText("hints", "f32", 40, "",
                           " {cache_scope = device, cache_temporal = non_temporal}");
    }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (const Volatile &access : all) {
      runVolatile(access, *kernels, random);
      if (HasFatalFailure())
        return;
    }
  });
}

/// Reads of one place by all work-items are as many reads.
TEST_F(LanesItemsCodeTest, EachWorkItemMakesItsOwnVolatileAccess) {
  std::string text = itemKernel("k", 16, "%in: buffer, %out: buffer",
                                viewOf("%from", "%in", "4xi32") + viewOf("%to", "%out", "4xi32"),
                                R"(    %a = view.load<volatile> %from[1] : view<4xi32> -> i32
    view.store<volatile> %a, %to[2] : i32, view<4xi32>
    view.store<volatile> %a, %to[3] : i32, view<4xi32>
)");
  // Code for one work-item stands in a loop over those that are active.
  std::string code = lowerToText(text, x86());
  auto count = [&](const std::string &what) {
    size_t number = 0;
    for (size_t at = code.find(what); at != std::string::npos; at = code.find(what, at + 1))
      ++number;
    return number;
  };
  EXPECT_EQ(count("load volatile i32"), count("store volatile i32") / 2);
  EXPECT_GE(count("load volatile i32"), 1u);
  EXPECT_EQ(count("load volatile <"), 0u);
}

//===----------------------------------------------------------------------===//
// Vectors without elements
//===----------------------------------------------------------------------===//

/// They pass through everything and reach no memory: their place lies outside of all of it.
TEST_F(LanesItemsTest, VectorsWithoutElements) {
  std::string text = R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  %size = index.constant 40 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%first: i1, %far: index, %flags: buffer, %memory: buffer, %output: buffer) {
  %base = index.constant 0 : offset
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %three = index.constant 3 : index
  %seven = scalar.constant 7.0 : f32
  %nine = scalar.constant 9 : i32
  %i = kernel.workitem.id<x> : index
  %flag_view = buffer.view %flags[%base] : buffer -> view<40xi1>
  %cells = buffer.view %memory[%base] : buffer -> view<[%far]xf32>
  %numbers = buffer.view %memory[%base] : buffer -> view<[%far]xi32>
  %results = buffer.view %output[%base] : buffer -> view<40x4xf32>
  %own = view.load %flag_view[%i] : view<40xi1> -> i1
  %none = vector.load %cells[%far] : view<[%far]xf32> -> vector<0xf32>
  %mask = vector.cmpf olt, %none, %none : vector<0xf32> -> vector<0xi1>
  %masked = vector.load.mask %cells[%far], %mask, %none : view<[%far]xf32>, vector<0xi1>, vector<0xf32>
  %places = vector.constant 0 : vector<0xi32>
  %gathered = vector.gather<volatile> %cells[%far][%places] : view<[%far]xf32>, vector<0xi32> -> vector<0xf32>
  %sum = vector.addf %masked, %gathered : vector<0xf32>
  %chosen = scf.if %own -> (vector<0xf32>) {
    %double = vector.addf %sum, %sum : vector<0xf32>
    scf.yield %double : vector<0xf32>
  } else {
    scf.yield %sum : vector<0xf32>
  }
  %selected = scf.select %first, %chosen, %none : vector<0xf32>
  %carried, %count = scf.for %k = [%zero to %three step %one](%v = %selected : vector<0xf32>, %n = %seven : f32) -> (vector<0xf32>, f32) {
    %next = vector.mulf %v, %chosen : vector<0xf32>
    %more = vector.reduce<addf> %next, %n : vector<0xf32>, f32
    %two = scalar.addf %more, %seven : f32
    scf.yield %next, %two : vector<0xf32>, f32
  }
  kernel.barrier<global> scope(workgroup) ordering(acq_rel)
  vector.store %carried, %cells[%far] : vector<0xf32>, view<[%far]xf32>
  vector.scatter.mask %carried, %cells[%far][%places], %mask : vector<0xf32>, view<[%far]xf32>, vector<0xi32>, vector<0xi1>
  %before = vector.atomic.rmw<addi> %places, %numbers[%far][%places] {ordering = relaxed, scope = device} : vector<0xi32>, view<[%far]xi32>, vector<0xi32>
  %same = vector.reduce<addi> %before, %nine : vector<0xi32>, i32
  %a = vector.reduce<addf> %carried, %seven : vector<0xf32>, f32
  %four = vector.constant 2.0 : vector<4xf32>
  %joined = vector.concat<0> %four, %carried : vector<4xf32>, vector<0xf32> -> vector<4xf32>
  %b = vector.extract %joined[3] : vector<4xf32> -> f32
  %c = scalar.sitofp %same : i32 to f32
  view.store %a, %results[%i, 0] : f32, view<40x4xf32>
  view.store %count, %results[%i, 1] : f32, view<40x4xf32>
  view.store %b, %results[%i, 2] : f32, view<40x4xf32>
  view.store %c, %results[%i, 3] : f32, view<40x4xf32>
  kernel.return
}
)";
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    std::vector<uint8_t> flags(40);
    for (size_t i = 0; i < flags.size(); ++i)
      flags[i] = i % 3 == 0;
    GuardedBytes memory(64, /*atEnd=*/true);
    std::vector<float> output(160, -1);
    launchSized(
        *kernels, "k", 1, {40, 1, 1},
        Arguments().add(true).add(int64_t(1) << 40).add(flags).add(memory.data()).add(output));
    for (int64_t i = 0; i < 40; ++i) {
      ASSERT_EQ(output[4 * i], 7.0f);
      ASSERT_EQ(output[4 * i + 1], 28.0f);
      ASSERT_EQ(output[4 * i + 2], 2.0f);
      ASSERT_EQ(output[4 * i + 3], 9.0f);
    }
  });
}

} // namespace
} // namespace loom::test
