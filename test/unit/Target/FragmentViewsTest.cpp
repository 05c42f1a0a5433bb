//===- FragmentViewsTest.cpp - Matrix fragments in larger programs --------===//
//
// Fragments of views with strides and extents that are values, carried by loops, scaled, converted
// and dealt out for another role.
//
//===----------------------------------------------------------------------===//
#include "FragmentPrograms.h"

namespace loom::test {
namespace {

class FragmentViewsTest : public LanesTest {};

constexpr int64_t kRows = 32, kColumns = 32, kDepth = 48;

FragmentType typeFor(int64_t lanes, FragmentPart part, const char *element) {
  FragmentFamily family = lanes == 64   ? FragmentFamily::Gfx9
                          : lanes == 32 ? FragmentFamily::Gfx12
                                        : FragmentFamily::Even;
  return {family, part, {16, 16, 1}, ElementType(element)};
}

/// A tile of 16 by 16 for each subgroup. `types` are those of the views.
std::string matmulText(const std::string &name, int64_t lanes, const std::string &layouts,
                       const std::string &lhs, const std::string &rhs, const std::string &result) {
  FragmentType left = typeFor(lanes, FragmentPart::Lhs, "f16"),
               right = typeFor(lanes, FragmentPart::Rhs, "f16"),
               sum = typeFor(lanes, FragmentPart::Sum, "f32"),
               half = typeFor(lanes, FragmentPart::Sum, "f16");
  std::string body = layouts + R"(  %zero = index.constant 0 : index
  %extent = index.constant 16 : index
  %m = index.assume %rows [range(%rows, 16, 4096)] : index
  %n = index.assume %columns [range(%columns, 16, 4096)] : index
  %k = index.assume %depth [range(%depth, 16, 4096)] : index
  %lhs = buffer.view %a[%base] : buffer -> $lhs
  %rhs = buffer.view %b[%base] : buffer -> $rhs
  %out = buffer.view %c[%base] : buffer -> $result
  %tile_row = index.div %tile, %two : index
  %tile_column = index.rem %tile, %two : index
  %row = index.mul %tile_row, %extent : index
  %column = index.mul %tile_column, %extent : index
  %none = vector.constant 0.0 : $sum
  %scale = vector.constant 0.5 : $sum
  %total = scf.for %at = [%zero to %k step %extent](%acc = %none : $sum) -> ($sum) {
    %l = vector.fragment.load<lhs> %lhs[%row, %at] shape [16, %extent] : $lhs -> $left
    %r = vector.fragment.load<rhs> %rhs[%at, %column] shape [%extent, 16] : $rhs -> $right
    %scaled = vector.mulf %acc, %scale : $sum
    %next = vector.mma %l, %r, %scaled : $left, $right, $sum
    scf.yield %next : $sum
  }
  %short = vector.fptrunc %total : $sum to $half
  vector.fragment.store<result> %short, %out[%row, %column] shape [16, 16] : $half, $result
)";
  for (auto [from, to] :
       {std::pair("$lhs", lhs), std::pair("$rhs", rhs), std::pair("$result", result),
        std::pair("$sum", sum.vector(lanes)), std::pair("$left", left.vector(lanes)),
        std::pair("$right", right.vector(lanes)), std::pair("$half", half.vector(lanes))})
    body = replaced(body, from, to);
  return fragmentKernel(
      name, lanes,
      "%a: buffer, %b: buffer, %c: buffer, %rows: index, %columns: index, %depth: index", body);
}

/// The sum is halved in front of every 16 steps of the depth.
void runMatmul(const x86::CompiledKernels &kernels, const std::string &name, int64_t lanes,
               bool isTransposed) {
  ElementType half("f16"), single("f32");
  Random random(lanes);
  TypedBytes a(half, kRows * kDepth), b(half, kDepth * kColumns), c(single, kRows * kColumns);
  a.fill(random);
  b.fill(random);
  launchTiles(
      kernels, name, lanes,
      Arguments().add(a.data()).add(b.data()).add(c.data()).add(kRows).add(kColumns).add(kDepth));
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kColumns; ++j) {
      uint64_t total = 0;
      for (int64_t k = 0; k < kDepth; ++k) {
        if (k % 16 == 0)
          total = single.mul(total, single.rounded(0.5));
        uint64_t right = b.get(isTransposed ? j * kDepth + k : k * kColumns + j);
        total = single.add(total, single.mul(single.rounded(half.number(a.get(i * kDepth + k))),
                                             single.rounded(half.number(right))));
      }
      uint64_t expected = single.rounded(half.number(half.rounded(single.number(total))));
      ASSERT_TRUE(isSameValue(single, c.get(i * kColumns + j), expected))
          << name << ", row " << i << ", column " << j;
    }
}

/// Extents that are values; a layout of numbers, and one of values, that go down the columns.
TEST_F(FragmentViewsTest, Matmul) {
  forEachProfile([&](const LaneProfile &profile) {
    std::string columns = "#columns = #encoding.layout.strided<strides = [1, 48]>\n";
    std::string layout = "  %layout = encoding.layout.strided [1, %depth] : encoding<layout>\n";
    std::string text = columns +
                       matmulText("dense", profile.lanes, "", "view<[%m]x[%k]xf16>",
                                  "view<[%k]x[%n]xf16>", "view<[%m]x[%n]xf32>") +
                       matmulText("numbers", profile.lanes, "", "view<32x48xf16>",
                                  "view<48x32xf16, #columns>", "view<32x32xf32>") +
                       matmulText("values", profile.lanes, layout, "view<[%m]x[%k]xf16>",
                                  "view<[%k]x[%n]xf16, %layout>", "view<[%m]x[%n]xf32>");
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    for (const char *name : {"dense", "numbers", "values"})
      runMatmul(*kernels, name, profile.lanes, std::string(name) != "dense");
  });
}

/// A sum becomes a factor of the next product, with other elements, in another layout.
TEST_F(FragmentViewsTest, Repack) {
  forEachProfile([&](const LaneProfile &profile) {
    int64_t lanes = profile.lanes;
    FragmentType from = typeFor(lanes, FragmentPart::Sum, "f32"),
                 to = typeFor(lanes, FragmentPart::Lhs, "f16");
    std::string shares = "view<" + std::to_string(kTiles) + "x" + std::to_string(lanes) + "x" +
                         std::to_string(to.elements(lanes)) + "xf16>";
    std::string text = fragmentKernel(
        "k", lanes, "%a: buffer, %b: buffer",
        "  %in = buffer.view %a[%base] : buffer -> " + from.view() +
            "\n  %out = buffer.view %b[%base] : buffer -> " + shares +
            "\n  %sum = vector.fragment.load<init> %in[%tile, 0, 0] shape [16, 16] : " +
            from.view() + " -> " + from.vector(lanes) +
            "\n  %factor = vector.fragment.repack<lhs> %sum shape [16, 16] : " +
            from.vector(lanes) + " -> " + to.vector(lanes) +
            "\n  vector.store %factor, %out[%tile, %lane, 0] : " + to.vector(lanes) + ", " +
            shares + "\n");
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    ASSERT_TRUE(kernels);
    Random random(lanes);
    TypedBytes a(from.element, kTiles * 256), b(to.element, kTiles * lanes * to.elements(lanes));
    a.fill(random);
    launchTiles(*kernels, "k", lanes, Arguments().add(a.data()).add(b.data()));
    FragmentLayout layout = to.layout(lanes);
    for (int64_t tile = 0; tile < kTiles; ++tile)
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t element = 0; element < layout.elements(); ++element) {
          FragmentElement at = layout.at(lane, element);
          uint64_t expected =
              to.element.rounded(from.element.number(a.get((tile * 16 + at.row) * 16 + at.column)));
          uint64_t actual = b.get((tile * lanes + lane) * layout.elements() + element);
          ASSERT_TRUE(isSameValue(to.element, actual, expected)) << lane << " " << element;
        }
  });
}

} // namespace
} // namespace loom::test
