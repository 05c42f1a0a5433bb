//===- FragmentTest.cpp - Matrix fragments on x86 -------------------------===//
//
// Fragments are loaded, taken apart lane by lane, put together from lanes, stored, dealt out anew
// and multiplied, for each subgroup size, in the layouts of hardware and in Loom's own. Products
// are held bit by bit against a loop of scalars: ascending depth from the addend on, each product
// and each sum rounded.
//
//===----------------------------------------------------------------------===//
#include "FragmentPrograms.h"
#include <algorithm>
#include <set>

namespace loom::test {
namespace {

class FragmentTest : public LanesTest {};

constexpr FragmentFamily kEven = FragmentFamily::Even, kGfx9 = FragmentFamily::Gfx9,
                         kGfx11 = FragmentFamily::Gfx11, kGfx12 = FragmentFamily::Gfx12;

/// A product of fragments: the matrix has m rows, n columns and depth k.
struct ProductCase {
  int64_t lanes;
  FragmentFamily family;
  int64_t m, n, k, blocks;
  const char *lhs, *rhs, *sum;
  bool isSaturated = false;

  FragmentType typeOf(FragmentPart part) const {
    if (part == FragmentPart::Lhs)
      return {family, part, {m, k, blocks}, ElementType(lhs)};
    if (part == FragmentPart::Rhs)
      return {family, part, {k, n, blocks}, ElementType(rhs)};
    return {family, part, {m, n, blocks}, ElementType(sum)};
  }
};

const ProductCase kProducts[] = {
    {8, kEven, 8, 8, 8, 1, "f32", "f32", "f32"},
    {8, kEven, 4, 16, 2, 1, "f16", "f16", "f32"},
    {8, kEven, 3, 8, 8, 1, "i8", "i8", "i32"},
    {8, kEven, 8, 24, 16, 1, "f64", "f32", "f64"},
    {8, kEven, 8, 4, 4, 2, "bf16", "f16", "bf16"},
    {16, kEven, 16, 16, 16, 1, "f16", "f16", "f32"},
    {16, kEven, 16, 16, 16, 1, "f8E4M3", "f8E5M2", "f32"},
    {16, kEven, 16, 16, 16, 1, "i8", "i8", "i32", true},
    {16, kEven, 8, 8, 8, 4, "f32", "f32", "f32"},
    {16, kEven, 7, 16, 16, 1, "i16", "i8", "i16"},
    {16, kEven, 16, 1, 32, 1, "bf16", "bf16", "f32"},
    {16, kEven, 1, 16, 16, 1, "f16", "f32", "f16"},
    {16, kEven, 16, 48, 4, 1, "i32", "i32", "i64"},
    {32, kGfx11, 16, 16, 16, 1, "f16", "f16", "f32"},
    {32, kGfx11, 16, 16, 16, 1, "bf16", "bf16", "bf16"},
    {32, kGfx11, 16, 16, 16, 1, "i8", "i8", "i32", true},
    {32, kGfx12, 16, 16, 16, 1, "f16", "f16", "f32"},
    {32, kGfx12, 16, 16, 16, 1, "f16", "f16", "f16"},
    {32, kGfx12, 16, 16, 16, 1, "f8E4M3", "f8E4M3", "f32"},
    {32, kGfx12, 16, 16, 16, 1, "i8", "i8", "i32"},
    {32, kEven, 32, 32, 8, 1, "f32", "f32", "f32"},
    {64, kGfx9, 16, 16, 16, 1, "f16", "f16", "f32"},
    {64, kGfx9, 32, 32, 8, 1, "bf16", "bf16", "f32"},
    {64, kGfx9, 16, 16, 4, 1, "f32", "f32", "f32"},
    {64, kGfx9, 32, 32, 2, 1, "f32", "f32", "f32"},
    {64, kGfx9, 16, 16, 32, 1, "f8E5M2", "f8E4M3", "f32"},
    {64, kGfx9, 32, 32, 16, 1, "i8", "i8", "i32"},
    {64, kGfx9, 4, 4, 4, 16, "f16", "f16", "f32"},
    {64, kGfx9, 32, 32, 4, 2, "f16", "f16", "f32"},
    {64, kGfx9, 16, 16, 1, 4, "f32", "f32", "f32"},
    {64, kGfx9, 16, 16, 4, 1, "f64", "f64", "f64"},
    {64, kGfx9, 4, 4, 4, 4, "f64", "f64", "f64"},
    {64, kGfx11, 16, 16, 16, 1, "f16", "f16", "f32"},
    {64, kEven, 8, 8, 8, 1, "f16", "f16", "f32"},
};

std::string viewText(const std::string &name, const std::string &buffer, const std::string &type) {
  return "  " + name + " = buffer.view " + buffer + "[%base] : buffer -> " + type + "\n";
}

std::string loadText(const std::string &name, const std::string &view, const FragmentType &type,
                     int64_t lanes) {
  return "  " + name + " = vector.fragment.load<" + type.role() + "> " + view + type.origin() +
         " shape " + type.extents() + " : " + type.view() + " -> " + type.vector(lanes) + "\n";
}

std::string storeText(const std::string &value, const std::string &view, const FragmentType &type,
                      int64_t lanes) {
  return "  vector.fragment.store<" + std::string(type.role()) + "> " + value + ", " + view +
         type.origin() + " shape " + type.extents() + " : " + type.vector(lanes) + ", " +
         type.view() + "\n";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::string productText(const ProductCase &product, const std::string &name) {
  FragmentType lhs = product.typeOf(FragmentPart::Lhs), rhs = product.typeOf(FragmentPart::Rhs),
               sum = product.typeOf(FragmentPart::Sum);
  int64_t lanes = product.lanes;
  std::string body = viewText("%lhs", "%a", lhs.view()) + viewText("%rhs", "%b", rhs.view()) +
                     viewText("%init", "%c", sum.view()) + viewText("%sums", "%d", sum.view()) +
                     loadText("%l", "%lhs", lhs, lanes) + loadText("%r", "%rhs", rhs, lanes) +
                     loadText("%i", "%init", sum, lanes) + "  %p = vector.mma" +
                     (product.isSaturated ? "<saturate>" : "") +
                     " %l, %r, %i : " + lhs.vector(lanes) + ", " + rhs.vector(lanes) + ", " +
                     sum.vector(lanes) + "\n" + storeText("%p", "%sums", sum, lanes);
  return fragmentKernel(name, lanes, "%a: buffer, %b: buffer, %c: buffer, %d: buffer", body);
}

/// One element of the sum, as the reference has it.
uint64_t expectedElement(const ProductCase &product, const TypedBytes &a, const TypedBytes &b,
                         const TypedBytes &c, int64_t matrix, int64_t i, int64_t j) {
  ElementType lhs(product.lhs), rhs(product.rhs), sum(product.sum);
  int64_t m = product.m, n = product.n, k = product.k;
  uint64_t first = c.get((matrix * m + i) * n + j);
  auto left = [&](int64_t depth) { return a.get((matrix * m + i) * k + depth); };
  auto right = [&](int64_t depth) { return b.get((matrix * k + depth) * n + j); };
  if (!sum.isFloat()) {
    __int128 total = sum.asSigned(first);
    for (int64_t depth = 0; depth < k; ++depth)
      total += __int128(lhs.asSigned(left(depth))) * rhs.asSigned(right(depth));
    if (product.isSaturated)
      total = std::clamp<__int128>(total, llvm::minIntN(sum.bits), llvm::maxIntN(sum.bits));
    return uint64_t(total) & sum.mask();
  }
  ElementType wide(sum.bits == 64 ? "f64" : "f32");
  uint64_t total = wide.rounded(sum.number(first));
  for (int64_t depth = 0; depth < k; ++depth)
    total = wide.add(total, wide.mul(wide.rounded(lhs.number(left(depth))),
                                     wide.rounded(rhs.number(right(depth)))));
  return sum.rounded(wide.number(total));
}

void runProduct(const ProductCase &product, const std::string &name,
                const x86::CompiledKernels &kernels, Random &random) {
  FragmentType lhs = product.typeOf(FragmentPart::Lhs), rhs = product.typeOf(FragmentPart::Rhs),
               sum = product.typeOf(FragmentPart::Sum);
  TypedBytes a(lhs.element, kTiles * lhs.count()), b(rhs.element, kTiles * rhs.count());
  TypedBytes c(sum.element, kTiles * sum.count()), d(sum.element, kTiles * sum.count());
  a.fill(random);
  b.fill(random);
  c.fill(random);
  // Sums that leave the range, at either end.
  for (int64_t i = 0; product.isSaturated && i < kTiles * sum.count(); i += 2)
    c.set(i, uint64_t(i % 4 ? llvm::minIntN(sum.element.bits) : llvm::maxIntN(sum.element.bits)));
  launchTiles(kernels, name, product.lanes,
              Arguments().add(a.data()).add(b.data()).add(c.data()).add(d.data()));
  for (int64_t matrix = 0; matrix < kTiles * product.blocks; ++matrix)
    for (int64_t i = 0; i < product.m; ++i)
      for (int64_t j = 0; j < product.n; ++j) {
        uint64_t expected = expectedElement(product, a, b, c, matrix, i, j);
        uint64_t actual = d.get((matrix * product.m + i) * product.n + j);
        ASSERT_TRUE(isSameValue(sum.element, actual, expected))
            << name << ", matrix " << matrix << ", row " << i << ", column " << j << ": " << actual
            << " instead of " << expected;
      }
}

TEST_F(FragmentTest, Products) {
  forEachProfile([&](const LaneProfile &profile) {
    std::string text;
    std::vector<std::pair<const ProductCase *, std::string>> cases;
    for (const ProductCase &product : kProducts) {
      if (product.lanes != profile.lanes)
        continue;
      cases.push_back({&product, "k" + std::to_string(cases.size())});
      text += productText(product, cases.back().second);
    }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (auto &[product, name] : cases)
      for (int round = 0; round < 2; ++round) {
        SCOPED_TRACE(productText(*product, name));
        runProduct(*product, name, *kernels, random);
        if (HasFatalFailure())
          return;
      }
  });
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Kernels that write each lane's share as it is, and that make a matrix of such shares. What
/// family is meant may show in the factors of a kernel alone, so sums come with one.
std::string layoutText(const ProductCase &product, const FragmentType &type,
                       const std::string &name) {
  int64_t lanes = product.lanes;
  FragmentType factor = product.typeOf(FragmentPart::Lhs);
  std::string shares = "view<" + std::to_string(kTiles) + "x" + std::to_string(lanes) + "x" +
                       std::to_string(type.elements(lanes)) + "x" + type.element.name + ">";
  std::string hint;
  if (product.family == kGfx11 && type.part == FragmentPart::Sum)
    hint =
        viewText("%factors", "%e", factor.view()) + loadText("%factor", "%factors", factor, lanes);
  std::string vector = type.vector(lanes);
  return fragmentKernel(name, lanes, "%a: buffer, %b: buffer, %e: buffer",
                        viewText("%in", "%a", type.view()) + viewText("%out", "%b", shares) + hint +
                            loadText("%v", "%in", type, lanes) +
                            "  vector.store %v, %out[%tile, %lane, 0] : " + vector + ", " + shares +
                            "\n") +
         fragmentKernel(name + "_back", lanes, "%a: buffer, %b: buffer, %e: buffer",
                        viewText("%out", "%a", type.view()) + viewText("%in", "%b", shares) + hint +
                            "  %u = vector.load %in[%tile, %lane, 0] : " + shares + " -> " +
                            vector + "\n  %v = vector.fragment<" + type.role() + "> %u shape " +
                            type.extents() + " : " + vector + "\n" +
                            storeText("%v", "%out", type, lanes));
}

void runLayout(const ProductCase &product, const FragmentType &type, const std::string &name,
               const x86::CompiledKernels &kernels, Random &random) {
  int64_t lanes = product.lanes;
  FragmentLayout layout = type.layout(lanes);
  FragmentType factor = product.typeOf(FragmentPart::Lhs);
  int64_t held = lanes * type.elements(lanes);
  TypedBytes a(type.element, kTiles * type.count()), b(type.element, kTiles * held);
  TypedBytes e(factor.element, kTiles * factor.count()), back(type.element, kTiles * type.count());
  a.fill(random);
  launchTiles(kernels, name, lanes, Arguments().add(a.data()).add(b.data()).add(e.data()));
  for (int64_t tile = 0; tile < kTiles; ++tile)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t element = 0; element < type.elements(lanes); ++element) {
        FragmentElement at = layout.at(lane, element);
        int64_t place = ((tile * type.shape.blocks + at.block) * type.shape.rows + at.row) *
                            type.shape.columns +
                        at.column;
        int64_t share = (tile * lanes + lane) * type.elements(lanes) + element;
        ASSERT_EQ(b.get(share), a.get(place))
            << name << ", tile " << tile << ", lane " << lane << ", element " << element;
      }
  launchTiles(kernels, name + "_back", lanes,
              Arguments().add(back.data()).add(b.data()).add(e.data()));
  for (int64_t i = 0; i < kTiles * type.count(); ++i)
    ASSERT_EQ(back.get(i), a.get(i)) << name << ", element " << i << " after a round trip";
}

TEST_F(FragmentTest, Layouts) {
  forEachProfile([&](const LaneProfile &profile) {
    std::string text;
    std::vector<std::tuple<const ProductCase *, FragmentType, std::string>> cases;
    std::set<std::string> seen;
    for (const ProductCase &product : kProducts)
      for (FragmentPart part : {FragmentPart::Lhs, FragmentPart::Rhs, FragmentPart::Sum}) {
        FragmentType type = product.typeOf(part);
        std::string key = stringifyFragmentFamily(type.family).str() + type.role() +
                          type.extents() + type.element.name;
        // Loom's own layout is the same for all; shares of many elements take long to compile.
        bool isSkipped = (type.family == kEven && !isTaken(seen.size(), 3)) ||
                         (product.lanes * type.elements(product.lanes) > 512 && !isLong());
        if (product.lanes != profile.lanes || !seen.insert(key).second || isSkipped)
          continue;
        std::string name = "k" + std::to_string(cases.size());
        cases.push_back({&product, type, name});
        text += layoutText(product, type, name);
      }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (auto &[product, type, name] : cases) {
      runLayout(*product, type, name, *kernels, random);
      if (HasFatalFailure())
        return;
    }
  });
}

} // namespace
} // namespace loom::test
