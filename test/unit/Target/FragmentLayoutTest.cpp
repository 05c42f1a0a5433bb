//===- FragmentLayoutTest.cpp - Which lane holds which element ------------===//
//
// The equations of AMD's matrix instruction calculator say for each element of a matrix in which
// lane and register it is. Layouts say the opposite, so that one is held against the other here.
//
//===----------------------------------------------------------------------===//
#include "loom/Target/Common/FragmentLayout.h"
#include "gtest/gtest.h"
#include <map>
#include <tuple>

using namespace loom;

namespace {

/// Where an element is: its lane, the first one where several have it, and its number there.
struct Where {
  int64_t lane, element;
  bool operator==(const Where &other) const {
    return lane == other.lane && element == other.element;
  }
};
std::ostream &operator<<(std::ostream &os, const Where &where) {
  return os << "element " << where.element << " of lane " << where.lane;
}

using Element = std::tuple<int64_t, int64_t, int64_t>;

/// Holds every element of every lane against each element's own place, and counts them.
void check(const FragmentLayout &layout, int64_t copies, Where (*placeOf)(const Element &)) {
  ASSERT_EQ(layout.copies(), copies);
  std::map<Element, int64_t> counts;
  for (int64_t lane = 0; lane < layout.lanes(); ++lane)
    for (int64_t element = 0; element < layout.elements(); ++element) {
      FragmentElement at = layout.at(lane, element);
      ++counts[{at.block, at.row, at.column}];
      Where found = {lane % (layout.lanes() / copies), element};
      if (placeOf) {
        ASSERT_EQ(placeOf({at.block, at.row, at.column}), found)
            << at.block << " " << at.row << " " << at.column;
      }
    }
  const FragmentShape &shape = layout.shape();
  ASSERT_EQ(int64_t(counts.size()), shape.blocks * shape.rows * shape.columns);
  for (auto [element, count] : counts) {
    auto [block, row, column] = element;
    ASSERT_TRUE(block >= 0 && block < shape.blocks && row >= 0 && row < shape.rows && column >= 0 &&
                column < shape.columns);
    ASSERT_EQ(count, copies);
  }
}

/// A factor by its number along rows of lhs or columns of rhs, and its depth.
template <Where (*Place)(int64_t block, int64_t number, int64_t depth)>
void checkFactors(FragmentFamily family, int64_t lanes, int64_t width, int64_t depth,
                  int64_t blocks, int64_t elements, unsigned bits, int64_t copies = 1) {
  SCOPED_TRACE(testing::Message() << stringifyFragmentFamily(family).str() << " " << width << "x"
                                  << depth << " of " << bits << " bits in " << lanes << " lanes");
  auto lhs =
      FragmentLayout::get(family, FragmentPart::Lhs, {width, depth, blocks}, lanes, elements, bits);
  auto rhs =
      FragmentLayout::get(family, FragmentPart::Rhs, {depth, width, blocks}, lanes, elements, bits);
  ASSERT_TRUE(lhs && rhs);
  check(*lhs, copies,
        [](const Element &at) { return Place(std::get<0>(at), std::get<1>(at), std::get<2>(at)); });
  check(*rhs, copies,
        [](const Element &at) { return Place(std::get<0>(at), std::get<2>(at), std::get<1>(at)); });
}

template <Where (*Place)(int64_t block, int64_t row, int64_t column)>
void checkSum(FragmentFamily family, int64_t lanes, int64_t extent, int64_t blocks,
              int64_t elements, unsigned bits = 32) {
  SCOPED_TRACE(testing::Message() << stringifyFragmentFamily(family).str() << " " << extent << "x"
                                  << extent << " of " << bits << " bits in " << lanes << " lanes");
  auto sum = FragmentLayout::get(family, FragmentPart::Sum, {extent, extent, blocks}, lanes,
                                 elements, bits);
  ASSERT_TRUE(sum);
  check(*sum, 1,
        [](const Element &at) { return Place(std::get<0>(at), std::get<1>(at), std::get<2>(at)); });
}

//===----------------------------------------------------------------------===//
// gfx9: the instructions of CDNA3, v_mfma_*
//===----------------------------------------------------------------------===//

template <int64_t Width, int64_t PerLane> Where gfx9Factor(int64_t block, int64_t i, int64_t k) {
  // Instructions of several blocks have one group of lanes for the whole depth, but that of f64.
  constexpr int64_t blocksOfDouble = Width == 4 && PerLane == 1 ? 4 : 1;
  return {Width * block + Width * blocksOfDouble * (k / PerLane) + i, k % PerLane};
}
Where gfx9Sum32(int64_t block, int64_t i, int64_t j) {
  return {(32 * (i / 4)) % 64 + j, 16 * block + 4 * (i / 8) + i % 4};
}
Where gfx9Sum16(int64_t block, int64_t i, int64_t j) {
  return {16 * (i / 4) + j, 4 * block + i % 4};
}
Where gfx9Sum4(int64_t block, int64_t i, int64_t j) { return {4 * block + j, i}; }
Where gfx9Double16(int64_t, int64_t i, int64_t j) { return {16 * (i % 4) + j, i / 4}; }
Where gfx9Double4(int64_t block, int64_t i, int64_t j) { return {16 * i + 4 * block + j, 0}; }

TEST(FragmentLayoutTest, Gfx9) {
  constexpr FragmentFamily family = FragmentFamily::Gfx9;
  // f32_32x32x1_2b_f32, f32_16x16x1_4b_f32, f32_4x4x1_16b_f32, f32_32x32x2_f32, f32_16x16x4_f32
  checkFactors<gfx9Factor<32, 1>>(family, 64, 32, 1, 2, 1, 32);
  checkFactors<gfx9Factor<16, 1>>(family, 64, 16, 1, 4, 1, 32);
  checkFactors<gfx9Factor<4, 1>>(family, 64, 4, 1, 16, 1, 32);
  checkFactors<gfx9Factor<32, 1>>(family, 64, 32, 2, 1, 1, 32);
  checkFactors<gfx9Factor<16, 1>>(family, 64, 16, 4, 1, 1, 32);
  // f32_32x32x4_xf32, f32_16x16x8_xf32
  checkFactors<gfx9Factor<32, 2>>(family, 64, 32, 4, 1, 2, 32);
  checkFactors<gfx9Factor<16, 2>>(family, 64, 16, 8, 1, 2, 32);
  // f32_32x32x4_2b_f16, f32_16x16x4_4b_f16, f32_4x4x4_16b_f16, and so of bf16 and i8
  for (unsigned bits : {16, 8}) {
    checkFactors<gfx9Factor<32, 4>>(family, 64, 32, 4, 2, 4, bits);
    checkFactors<gfx9Factor<16, 4>>(family, 64, 16, 4, 4, 4, bits);
    checkFactors<gfx9Factor<4, 4>>(family, 64, 4, 4, 16, 4, bits);
  }
  // f32_32x32x8_f16, f32_16x16x16_f16
  checkFactors<gfx9Factor<32, 4>>(family, 64, 32, 8, 1, 4, 16);
  checkFactors<gfx9Factor<16, 4>>(family, 64, 16, 16, 1, 4, 16);
  // i32_32x32x16_i8, i32_16x16x32_i8, and so of 8-bit floats
  checkFactors<gfx9Factor<32, 8>>(family, 64, 32, 16, 1, 8, 8);
  checkFactors<gfx9Factor<16, 8>>(family, 64, 16, 32, 1, 8, 8);
  // f64_16x16x4_f64, f64_4x4x4_4b_f64
  checkFactors<gfx9Factor<16, 1>>(family, 64, 16, 4, 1, 1, 64);
  checkFactors<gfx9Factor<4, 1>>(family, 64, 4, 4, 4, 1, 64);

  checkSum<gfx9Sum32>(family, 64, 32, 1, 16);
  checkSum<gfx9Sum32>(family, 64, 32, 2, 32);
  checkSum<gfx9Sum16>(family, 64, 16, 1, 4);
  checkSum<gfx9Sum16>(family, 64, 16, 4, 16);
  checkSum<gfx9Sum4>(family, 64, 4, 16, 4);
  checkSum<gfx9Double16>(family, 64, 16, 1, 4, 64);
  checkSum<gfx9Double4>(family, 64, 4, 4, 1, 64);
}

//===----------------------------------------------------------------------===//
// gfx11 and gfx12: v_wmma_*
//===----------------------------------------------------------------------===//

Where gfx11Factor(int64_t, int64_t i, int64_t k) { return {i, k}; }
Where gfx11Sum(int64_t, int64_t i, int64_t j) { return {(16 * i) % 32 + j, i / 2}; }
Where gfx11WideSum(int64_t, int64_t i, int64_t j) { return {(16 * i) % 64 + j, i / 4}; }

TEST(FragmentLayoutTest, Gfx11) {
  constexpr FragmentFamily family = FragmentFamily::Gfx11;
  for (unsigned bits : {16, 8}) {
    checkFactors<gfx11Factor>(family, 32, 16, 16, 1, 16, bits, 2);
    checkFactors<gfx11Factor>(family, 64, 16, 16, 1, 16, bits, 4);
  }
  for (unsigned bits : {32, 16}) {
    checkSum<gfx11Sum>(family, 32, 16, 1, 8, bits);
    checkSum<gfx11WideSum>(family, 64, 16, 1, 4, bits);
  }
}

Where gfx12Half(int64_t, int64_t i, int64_t k) {
  int64_t reg = 2 * (k / 8) + k / 2 % 2;
  return {16 * (k / 4 % 2) + i, 2 * reg + k % 2};
}
Where gfx12Byte(int64_t, int64_t i, int64_t k) { return {16 * (k / 8) + i, k / 4 % 2 * 4 + k % 4}; }
Where gfx12WideHalf(int64_t, int64_t i, int64_t k) {
  return {32 * (k / 8 % 2) + 16 * (k / 4 % 2) + i, k / 2 % 2 * 2 + k % 2};
}
Where gfx12WideByte(int64_t, int64_t i, int64_t k) {
  return {32 * (k / 4 % 2) + 16 * (k / 8 % 2) + i, k % 4};
}
Where gfx12Sum(int64_t, int64_t i, int64_t j) { return {16 * (i / 8) + j, i % 8}; }
Where gfx12WideSum(int64_t, int64_t i, int64_t j) {
  return {32 * (i / 4 % 2) + 16 * (i / 8) + j, i % 4};
}

TEST(FragmentLayoutTest, Gfx12) {
  constexpr FragmentFamily family = FragmentFamily::Gfx12;
  checkFactors<gfx12Half>(family, 32, 16, 16, 1, 8, 16);
  checkFactors<gfx12Byte>(family, 32, 16, 16, 1, 8, 8);
  checkFactors<gfx12WideHalf>(family, 64, 16, 16, 1, 4, 16);
  checkFactors<gfx12WideByte>(family, 64, 16, 16, 1, 4, 8);
  for (unsigned bits : {32, 16}) {
    checkSum<gfx12Sum>(family, 32, 16, 1, 8, bits);
    checkSum<gfx12WideSum>(family, 64, 16, 1, 4, bits);
  }
}

//===----------------------------------------------------------------------===//
// Loom's own, and what there is not
//===----------------------------------------------------------------------===//

TEST(FragmentLayoutTest, Even) {
  for (int64_t lanes : {8, 16, 32, 64})
    for (FragmentShape shape : {FragmentShape{8, 8, 1}, {16, 4, 2}, {24, 8, 1}, {1, 64, 3}})
      for (FragmentPart part : {FragmentPart::Lhs, FragmentPart::Rhs, FragmentPart::Sum}) {
        int64_t total = shape.rows * shape.columns * shape.blocks;
        auto layout =
            FragmentLayout::get(FragmentFamily::Even, part, shape, lanes, total / lanes, 32);
        ASSERT_TRUE(layout);
        check(*layout, 1, nullptr);
      }
  auto sum = FragmentLayout::get(FragmentFamily::Even, FragmentPart::Sum, {4, 8, 1}, 16, 2, 32);
  FragmentElement at = sum->at(3, 1);
  EXPECT_EQ(at.row, 2);
  EXPECT_EQ(at.column, 3);
  auto lhs = FragmentLayout::get(FragmentFamily::Even, FragmentPart::Lhs, {4, 8, 1}, 16, 2, 32);
  at = lhs->at(3, 1);
  EXPECT_EQ(at.row, 3);
  EXPECT_EQ(at.column, 4);
}

TEST(FragmentLayoutTest, NotThere) {
  auto exists = [](FragmentFamily family, FragmentPart part, FragmentShape shape, int64_t lanes,
                   int64_t elements, unsigned bits) {
    return FragmentLayout::get(family, part, shape, lanes, elements, bits).has_value();
  };
  // Too few or too many elements.
  EXPECT_FALSE(exists(FragmentFamily::Even, FragmentPart::Sum, {16, 16, 1}, 16, 15, 32));
  EXPECT_FALSE(exists(FragmentFamily::Gfx11, FragmentPart::Lhs, {16, 16, 1}, 32, 8, 16));
  EXPECT_FALSE(exists(FragmentFamily::Gfx12, FragmentPart::Lhs, {16, 16, 1}, 32, 16, 16));
  EXPECT_FALSE(exists(FragmentFamily::Gfx11, FragmentPart::Sum, {16, 16, 1}, 32, 16, 16));
  // Other subgroups, other shapes.
  EXPECT_FALSE(exists(FragmentFamily::Gfx9, FragmentPart::Sum, {16, 16, 1}, 32, 8, 32));
  EXPECT_FALSE(exists(FragmentFamily::Gfx12, FragmentPart::Sum, {16, 16, 1}, 16, 16, 32));
  EXPECT_FALSE(exists(FragmentFamily::Gfx12, FragmentPart::Lhs, {16, 32, 1}, 32, 16, 16));
  EXPECT_FALSE(exists(FragmentFamily::Gfx9, FragmentPart::Sum, {8, 8, 1}, 64, 1, 32));
  EXPECT_FALSE(exists(FragmentFamily::Gfx9, FragmentPart::Sum, {32, 16, 1}, 64, 8, 32));
  EXPECT_FALSE(exists(FragmentFamily::Gfx9, FragmentPart::Sum, {4, 4, 4}, 64, 1, 32));
  EXPECT_FALSE(exists(FragmentFamily::Gfx9, FragmentPart::Sum, {4, 4, 16}, 64, 4, 64));
  EXPECT_FALSE(exists(FragmentFamily::Even, FragmentPart::Sum,
                      {int64_t(1) << 40, int64_t(1) << 40, 1}, 64, 1, 32));
}

} // namespace
