//===- LanesPrograms.cpp - Kernels of many lanes, run and compared --------===//
#include "LanesPrograms.h"

using llvm::APFloat;

namespace loom::test {

bool isLong() { return std::getenv("LOOM_LONG_TESTS"); }

void LanesTest::forEachProfile(llvm::function_ref<void(const LaneProfile &profile)> body) {
  for (const LaneProfile &profile : kLaneProfiles) {
    body(profile);
    if (HasFailure())
      return;
  }
}

namespace {

/// A context of its own, which takes its modules with it.
class Compiler final : public LoweringTest {
public:
  std::optional<x86::CompiledKernels> run(const std::string &text, const char *profile,
                                          std::string &errors) {
    mlir::ModuleOp module = parse(text);
    if (!module)
      return std::nullopt;
    mlir::FailureOr<x86::CompiledKernels> kernels =
        x86::compileKernels(module, *lookupTargetProfile(profile));
    errors = takeErrors();
    if (mlir::failed(kernels))
      return std::nullopt;
    return std::move(*kernels);
  }

private:
  void TestBody() override {}
};

} // namespace

std::optional<x86::CompiledKernels>
LanesTest::tryCompile(const std::string &text, const char *profile, std::string &errors) {
  return Compiler().run(text, profile, errors);
}

std::optional<x86::CompiledKernels> LanesTest::compileFor(const std::string &text,
                                                          const char *profile) {
  std::string errors;
  std::optional<x86::CompiledKernels> kernels = tryCompile(text, profile, errors);
  if (!kernels)
    ADD_FAILURE() << profile << ": " << errors << text;
  return kernels;
}

void launchSized(const x86::CompiledKernels &kernels, const std::string &symbol, int64_t groups,
                 std::array<int64_t, 3> size, const Arguments &arguments) {
  const x86::CompiledKernel *kernel = kernels.lookup(symbol);
  ASSERT_NE(kernel, nullptr) << symbol;
  const int64_t grid[3] = {groups, 1, 1};
  kernel->run(arguments.data(), 0, groups, grid, size.data());
}

ElementType carrierOf(const std::string &type) {
  return ElementType(type == "index" || type == "offset" ? "i64" : type);
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

/// The smaller or the larger of two floats; a NaN wins or loses; -0 is below +0.
static uint64_t extremum(const ElementType &type, uint64_t a, uint64_t b, bool isLarger,
                         bool nanWins) {
  APFloat x = type.number(a), y = type.number(b);
  if (x.isNaN() || y.isNaN())
    return x.isNaN() == nanWins ? a : b;
  if (x.isZero() && y.isZero())
    return x.isNegative() == isLarger ? b : a;
  bool firstIsLarger = x.compare(y) == APFloat::cmpGreaterThan;
  return firstIsLarger == isLarger ? a : b;
}

uint64_t combine(const std::string &kind, const ElementType &type, uint64_t a, uint64_t b) {
  int64_t x = type.isFloat() ? 0 : type.asSigned(a), y = type.isFloat() ? 0 : type.asSigned(b);
  if (kind == "addi")
    return (a + b) & type.mask();
  if (kind == "subi")
    return (a - b) & type.mask();
  if (kind == "muli")
    return (a * b) & type.mask();
  if (kind == "minsi")
    return x < y ? a : b;
  if (kind == "maxsi")
    return x > y ? a : b;
  if (kind == "minui")
    return std::min(a, b);
  if (kind == "maxui")
    return std::max(a, b);
  if (kind == "andi")
    return a & b;
  if (kind == "ori")
    return a | b;
  if (kind == "xori")
    return a ^ b;
  if (kind == "xchgi" || kind == "xchgf")
    return b;
  if (kind == "addf")
    return type.add(a, b);
  if (kind == "mulf")
    return type.mul(a, b);
  bool isLarger = kind == "maximumf" || kind == "maxnumf";
  bool nanWins = kind == "minimumf" || kind == "maximumf";
  return extremum(type, a, b, isLarger, nanWins);
}

uint64_t identityOf(const std::string &kind, const ElementType &type) {
  uint64_t sign = uint64_t(1) << (type.bits - 1);
  if (kind == "muli")
    return 1;
  if (kind == "andi" || kind == "minui")
    return type.mask();
  if (kind == "minsi")
    return type.mask() & ~sign;
  if (kind == "maxsi")
    return sign;
  if (kind == "addf")
    return sign; // -0
  if (kind == "mulf")
    return type.rounded(1.0);
  bool hasInfinity = type.name != "f8E4M3";
  if (kind == "minimumf" || kind == "maximumf") {
    uint64_t number = type.rounded(hasInfinity ? std::numeric_limits<double>::infinity() : 448.0);
    return kind == "minimumf" ? number : number | sign;
  }
  if (kind == "minnumf" || kind == "maxnumf")
    return type.rounded(std::numeric_limits<double>::quiet_NaN());
  return 0;
}

uint64_t reduceTree(const std::string &kind, const ElementType &type,
                    llvm::ArrayRef<uint64_t> values) {
  if (values.size() == 1)
    return values.front();
  return combine(kind, type, reduceTree(kind, type, values.take_front(values.size() / 2)),
                 reduceTree(kind, type, values.drop_front(values.size() / 2)));
}

std::vector<uint64_t> scanDoubling(const std::string &kind, const ElementType &type,
                                   std::vector<uint64_t> values, bool isExclusive) {
  for (size_t distance = 1; distance < values.size(); distance *= 2) {
    std::vector<uint64_t> next = values;
    for (size_t i = distance; i < values.size(); ++i)
      next[i] = combine(kind, type, values[i - distance], values[i]);
    values = next;
  }
  if (isExclusive) {
    values.insert(values.begin(), identityOf(kind, type));
    values.pop_back();
  }
  return values;
}

std::vector<uint64_t> scanBackwards(const std::string &kind, const ElementType &type,
                                    std::vector<uint64_t> values, bool isExclusive) {
  for (size_t distance = 1; distance < values.size(); distance *= 2) {
    std::vector<uint64_t> next = values;
    for (size_t i = 0; i + distance < values.size(); ++i)
      next[i] = combine(kind, type, values[i], values[i + distance]);
    values = next;
  }
  if (isExclusive) {
    values.erase(values.begin());
    values.push_back(identityOf(kind, type));
  }
  return values;
}

bool isSameValue(const ElementType &type, uint64_t a, uint64_t b) {
  return a == b || (type.isFloat() && type.number(a).isNaN() && type.number(b).isNaN());
}

std::vector<std::string> kindsOf(const ElementType &type) {
  if (type.isFloat())
    return {"addf", "mulf", "minimumf", "maximumf", "minnumf", "maxnumf"};
  return {"addi", "muli", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori"};
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

} // namespace loom::test
