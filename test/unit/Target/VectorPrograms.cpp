//===- VectorPrograms.cpp - Operations of `vector`, run and compared ------===//
#include "VectorPrograms.h"
#include <sys/mman.h>
#include <unistd.h>

using llvm::APFloat;
using llvm::APInt;

namespace loom::test {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ElementType::ElementType(const std::string &name) : name(name) {
  static const std::pair<const char *, const llvm::fltSemantics *> floats[] = {
      {"f8E4M3", &APFloat::Float8E4M3FN()}, {"f8E5M2", &APFloat::Float8E5M2()},
      {"f16", &APFloat::IEEEhalf()},        {"bf16", &APFloat::BFloat()},
      {"f32", &APFloat::IEEEsingle()},      {"f64", &APFloat::IEEEdouble()}};
  for (auto [word, format] : floats)
    if (name == word)
      semantics = format;
  bits = semantics ? APFloat::getSizeInBits(*semantics) : std::stoi(name.substr(1));
  bytes = (bits + 7) / 8;
}

int64_t ElementType::asSigned(uint64_t value) const { return llvm::SignExtend64(value, bits); }

APFloat ElementType::number(uint64_t value) const {
  return APFloat(*semantics, APInt(bits, value));
}

uint64_t ElementType::rounded(const APFloat &value) const {
  APFloat result = value;
  bool lossy;
  result.convert(*semantics, APFloat::rmNearestTiesToEven, &lossy);
  if (result.isNaN() && !value.isNaN())
    result = APFloat::getLargest(*semantics, value.isNegative());
  return result.bitcastToAPInt().getZExtValue();
}

/// Numbers of 8 bits are computed with where sums and products are exact.
static uint64_t compute(const ElementType &type, llvm::ArrayRef<uint64_t> operands,
                        llvm::function_ref<void(std::vector<APFloat> &)> function) {
  std::vector<APFloat> numbers;
  bool lossy;
  for (uint64_t operand : operands) {
    numbers.push_back(type.number(operand));
    if (type.bits == 8)
      numbers.back().convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &lossy);
  }
  function(numbers);
  return type.rounded(numbers[0]);
}

uint64_t ElementType::add(uint64_t a, uint64_t b) const {
  return compute(*this, {a, b},
                 [](std::vector<APFloat> &n) { n[0].add(n[1], APFloat::rmNearestTiesToEven); });
}

uint64_t ElementType::sub(uint64_t a, uint64_t b) const {
  return compute(*this, {a, b}, [](std::vector<APFloat> &n) {
    n[0].subtract(n[1], APFloat::rmNearestTiesToEven);
  });
}

uint64_t ElementType::mul(uint64_t a, uint64_t b) const {
  return compute(*this, {a, b}, [](std::vector<APFloat> &n) {
    n[0].multiply(n[1], APFloat::rmNearestTiesToEven);
  });
}

uint64_t ElementType::div(uint64_t a, uint64_t b) const {
  return compute(*this, {a, b},
                 [](std::vector<APFloat> &n) { n[0].divide(n[1], APFloat::rmNearestTiesToEven); });
}

uint64_t ElementType::fma(uint64_t a, uint64_t b, uint64_t c) const {
  return compute(*this, {a, b, c}, [](std::vector<APFloat> &n) {
    n[0].fusedMultiplyAdd(n[1], n[2], APFloat::rmNearestTiesToEven);
  });
}

uint64_t ElementType::random(Random &random) const {
  if (!isFloat() || random() % 8 == 0)
    return random() & mask();
  double number = std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -63);
  return rounded(std::ldexp(number, static_cast<int>(random() % 7) - 2));
}

ValueType::ValueType(const std::string &element, const std::string &extents,
                     std::function<uint64_t(Random &)> make)
    : element(element), isScalar(extents.empty()), make(std::move(make)) {
  for (size_t begin = 0; begin < extents.size();) {
    size_t end = std::min(extents.find('x', begin), extents.size());
    shape.push_back(std::stoll(extents.substr(begin, end - begin)));
    begin = end + 1;
  }
}

int64_t ValueType::count() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

static std::string extentsOf(const ValueType &type) {
  std::string text;
  for (int64_t extent : type.shape)
    text += std::to_string(extent) + "x";
  return text;
}

std::string ValueType::text() const {
  return isScalar ? element.name : "vector<" + extentsOf(*this) + element.name + ">";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

GuardedBytes::GuardedBytes(size_t size, bool atEnd) : size(size) {
  size_t page = sysconf(_SC_PAGESIZE), inner = llvm::alignTo(std::max<size_t>(size, 1), page);
  mapped = inner + 2 * page;
  base = static_cast<char *>(mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  EXPECT_NE(base, MAP_FAILED);
  EXPECT_EQ(mprotect(base + page, inner, PROT_READ | PROT_WRITE), 0);
  std::memset(base + page, 0xcc, inner);
  first = base + page + (atEnd ? inner - size : 0);
}

GuardedBytes::~GuardedBytes() { munmap(base, mapped); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// How a case runs.
struct Variant {
  const VectorCase *test;
  unsigned uniform; ///< a bit for each input that is the same for a workgroup
  int64_t size;     ///< of a workgroup
  bool isPartial;   ///< only some work-items take part, chosen at random

  /// Enough for 64 patterns of active lanes when a workgroup has two groups of them.
  int64_t groups() const { return isPartial ? 40 : 3; }
  int64_t items() const { return groups() * size; }
  bool isAllUniform() const { return uniform + 1 == 1u << test->inputs.size() && !test->usesItem; }
  std::string name() const {
    return test->name + "_" + std::to_string(uniform) + "_" + std::to_string(size) +
           (isPartial ? "_partial" : "");
  }
};

std::string transferText(const ValueType &type, const std::string &view, const std::string &row) {
  std::string indices = row;
  for (size_t axis = 0; axis < type.shape.size(); ++axis)
    indices += ", 0";
  return view + "[" + indices + "]";
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string kernelText(const Variant &variant) {
  const VectorCase &test = *variant.test;
  std::string size = std::to_string(variant.size), parameters, views, loads, stores;
  std::string body = test.body;
  size_t buffers = 0;
  std::vector<std::pair<std::string, std::string>> names; // 10 before 1
  // Adds a buffer with its view; a load or store of a row of it, whatever the operation lacks.
  auto addBuffer = [&](const ValueType &type, const std::string &row) {
    std::string number = std::to_string(buffers++);
    parameters += ", %b" + number + ": buffer";
    std::string view = "view<[%n]x" + extentsOf(type) + type.element.name + ">";
    views += "  %v" + number + " = buffer.view %b" + number + "[%base] : buffer -> " + view + "\n";
    names.insert(
        names.begin(),
        {{"$view" + number, "%v" + number}, {"$type" + number, view}, {"$row" + number, row}});
    return std::make_pair(transferText(type, "%v" + number, row), view);
  };
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const ValueType &type = test.inputs[i];
    auto [place, view] = addBuffer(type, variant.uniform >> i & 1 ? "%g" : "%i");
    if (!type.inMemory)
      loads += "  %a" + std::to_string(i) + (type.isScalar ? " = view" : " = vector") + ".load " +
               place + " : " + view + " -> " + type.text() + "\n";
  }
  for (size_t i = 0; i < test.results.size(); ++i) {
    const ValueType &type = test.results[i];
    auto [place, view] = addBuffer(type, variant.isAllUniform() ? "%g" : "%i");
    if (!type.inMemory)
      stores += std::string(type.isScalar ? "  view" : "  vector") + ".store %r" +
                std::to_string(i) + ", " + place + " : " + type.text() + ", " + view + "\n";
  }
  for (auto &[name, text] : names)
    replaceAll(body, name, text);
  std::string inside = loads + body + "\n" + stores;
  if (variant.isPartial) {
    auto [place, view] = addBuffer(ValueType("i1", ""), "%i");
    inside = "  %isActive = view.load " + place + " : " + view + " -> i1\n  scf.if %isActive {\n" +
             inside + "  }\n";
  }
  return "kernel.def export(\"" + variant.name() + "\") @" + variant.name() + R"((%n: index) {
  %one = index.constant 1 : index
  %groups = index.constant )" +
         std::to_string(variant.groups()) + R"( : index
  %size = index.constant )" +
         size + R"( : index
  kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%n: index)" +
         parameters + R"() {
  %base = index.constant 0 : offset
  %g = kernel.workgroup.id<x> : index
  %i = kernel.workitem.dispatch.id<x> : index
)" + views +
         inside + "  kernel.return\n}\n";
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The rows of a buffer.
class Rows {
public:
  Rows(const ValueType &type, int64_t rows, bool atEnd)
      : type(type),
        bytes(std::make_unique<GuardedBytes>(rows * type.count() * type.element.bytes, atEnd)) {}

  Elements get(int64_t row) const {
    Elements elements(type.count());
    for (size_t i = 0; i < elements.size(); ++i)
      std::memcpy(&elements[i], data() + (row * type.count() + i) * type.element.bytes,
                  type.element.bytes);
    return elements;
  }
  /// What nobody uses is any bits: an offset may point anywhere.
  void fill(int64_t row, Random &random, bool isUsed) {
    for (int64_t i = 0; i < type.count(); ++i) {
      uint64_t value = !isUsed     ? random() & type.element.mask()
                       : type.make ? type.make(random)
                                   : type.element.random(random);
      std::memcpy(data() + (row * type.count() + i) * type.element.bytes, &value,
                  type.element.bytes);
    }
  }
  char *data() const { return bytes->data(); }

private:
  ValueType type;
  std::unique_ptr<GuardedBytes> bytes;
};

} // namespace

/// Equal bits, or both NaN: which NaN a computation makes is not defined.
static bool isSame(const ElementType &type, uint64_t a, uint64_t b) {
  if (a == b)
    return true;
  return type.isFloat() && type.number(a & type.mask()).isNaN() &&
         type.number(b & type.mask()).isNaN() && !((a | b) & ~type.mask());
}

/// Which work-items take part: of some groups all or none, of others some.
static std::vector<bool> chooseActive(const Variant &variant, Random &random) {
  std::vector<bool> active(variant.items(), true);
  for (int64_t item = 0; item < variant.items() && variant.isPartial; ++item) {
    uint64_t density = item / variant.size % 5; // none, one in eight, half, seven in eight, all
    active[item] = density == 4 || (density && random() % 8 < (density == 2 ? 4 : 3 * density - 2));
  }
  return active;
}

static void runVariant(const x86::CompiledKernels &kernels, const Variant &variant) {
  const VectorCase &test = *variant.test;
  std::seed_seq seed(test.name.begin(), test.name.end());
  Random random(seed);
  int64_t items = variant.items(), size = variant.size;
  std::vector<bool> active = chooseActive(variant, random), activeGroups(variant.groups());
  for (int64_t item = 0; item < items; ++item)
    activeGroups[item / size] = activeGroups[item / size] || active[item];
  std::vector<Rows> inputs, results;
  Arguments arguments;
  arguments.add(items);
  inputs.reserve(test.inputs.size());
  results.reserve(test.results.size());
  for (auto [i, type] : llvm::enumerate(test.inputs)) {
    Rows &rows = inputs.emplace_back(type, items, variant.isPartial);
    for (int64_t row = 0; row < items; ++row) {
      bool isUniform = variant.uniform >> i & 1;
      rows.fill(row, random, isUniform ? row < variant.groups() && activeGroups[row] : active[row]);
    }
    arguments.add(rows.data());
  }
  for (const ValueType &type : test.results)
    arguments.add(results.emplace_back(type, items, variant.isPartial).data());
  std::vector<char> activeBytes(active.begin(), active.end());
  arguments.add(activeBytes);
  launch(kernels, variant.name(), variant.groups(), arguments);
  for (int64_t row = 0; row < items; ++row) {
    int64_t group = variant.isAllUniform() ? row : row / size;
    bool isWritten =
        variant.isAllUniform() ? group < variant.groups() && activeGroups[group] : active[row];
    std::vector<Elements> operands, expected;
    for (size_t i = 0; i < inputs.size() && isWritten; ++i)
      operands.push_back(inputs[i].get(variant.uniform >> i & 1 ? group : row));
    operands.push_back({static_cast<uint64_t>(row)});
    if (isWritten)
      expected = test.expected(operands);
    for (size_t i = 0; i < results.size(); ++i) {
      Elements actual = results[i].get(row);
      const ElementType &type = test.results[i].element;
      uint64_t untouched = 0;
      std::memset(&untouched, 0xcc, type.bytes);
      for (size_t k = 0; k < actual.size(); ++k)
        ASSERT_TRUE(isWritten ? isSame(type, actual[k], expected[i].at(k)) : actual[k] == untouched)
            << variant.name() << ": row " << row << ", result " << i << ", element " << k << ": "
            << actual[k] << ", expected " << (isWritten ? expected[i][k] : untouched);
    }
  }
}

static void runVariants(const x86::CompiledKernels &kernels, llvm::ArrayRef<Variant> variants) {
  for (const Variant &variant : variants)
    runVariant(kernels, variant);
}

void VectorOpsTest::run(const std::vector<VectorCase> &cases) {
  std::vector<Variant> variants;
  std::string text;
  for (const VectorCase &test : cases) {
    unsigned all = (1u << test.inputs.size()) - 1;
    variants.push_back({&test, 0, 16, false});
    variants.push_back({&test, all, 21, true});
    for (unsigned uniform = 0; uniform < all; ++uniform) {
      if (test.everyVariant)
        variants.push_back({&test, uniform, 21, true});
      else if (uniform == 1)
        variants.push_back({&test, uniform, 16, false});
    }
  }
  for (const Variant &variant : variants)
    text += kernelText(variant);
  runVariants(compile(text), variants);
}

void VectorOpsTest::runInLanes(const std::vector<VectorCase> &cases, unsigned lanes) {
  std::vector<Variant> variants;
  std::string text;
  for (const VectorCase &test : cases)
    variants.push_back({&test, 0, lanes + 5, true});
  for (const Variant &variant : variants)
    text += kernelText(variant);
  TargetProfile profile = x86();
  profile.subgroupSize = lanes;
  mlir::ModuleOp module = parse(text);
  ASSERT_TRUE(module);
  mlir::FailureOr<x86::CompiledKernels> kernels = x86::compileKernels(module, profile);
  ASSERT_TRUE(succeeded(kernels)) << takeErrors();
  runVariants(*kernels, variants);
}

} // namespace loom::test
