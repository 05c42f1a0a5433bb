//===- FragmentLayout.cpp - Which lane holds which element ----------------===//
#include "loom/Target/Common/FragmentLayout.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

namespace loom {

llvm::StringRef stringifyFragmentFamily(FragmentFamily family) {
  switch (family) {
  case FragmentFamily::Even:
    return "even";
  case FragmentFamily::Gfx9:
    return "gfx9";
  case FragmentFamily::Gfx11:
    return "gfx11";
  case FragmentFamily::Gfx12:
    return "gfx12";
  }
  llvm_unreachable("not a family");
}

std::optional<FragmentLayout> FragmentLayout::get(FragmentFamily family, FragmentPart part,
                                                  const FragmentShape &shape, int64_t lanes,
                                                  int64_t elements, unsigned bits) {
  FragmentLayout layout;
  layout.kind = family;
  layout.role = part;
  layout.extents = shape;
  layout.laneCount = lanes;
  layout.elementCount = elements;
  if (family == FragmentFamily::Gfx11 && part != FragmentPart::Sum)
    layout.copyCount = lanes / 16;
  layout.isDouble = family == FragmentFamily::Gfx9 && part == FragmentPart::Sum && bits == 64;
  layout.isByte = family == FragmentFamily::Gfx12 && part != FragmentPart::Sum && bits <= 8;
  int64_t total, held;
  if (llvm::MulOverflow(shape.rows, shape.columns, total) ||
      llvm::MulOverflow(total, shape.blocks, total) ||
      llvm::MulOverflow(total, layout.copyCount, total) ||
      llvm::MulOverflow(lanes, elements, held) || total != held || !layout.exists())
    return std::nullopt;
  return layout;
}

/// Whether the family has such a fragment; as many elements are held as there are.
bool FragmentLayout::exists() const {
  const FragmentShape &s = extents;
  bool isSum = role == FragmentPart::Sum, isSquare = s.rows == s.columns;
  switch (kind) {
  case FragmentFamily::Even:
    return true;
  case FragmentFamily::Gfx9:
    if (laneCount != 64)
      return false;
    if (isSum && isDouble)
      return isSquare && ((s.rows == 16 && s.blocks == 1) || (s.rows == 4 && s.blocks == 4));
    if (isSum)
      return isSquare && ((s.rows == 32 && s.blocks <= 2) ||
                          (s.rows == 16 && (s.blocks == 1 || s.blocks == 4)) ||
                          (s.rows == 4 && s.blocks == 16));
    return (width() == 32 && s.blocks <= 2) ||
           (width() == 16 && (s.blocks == 1 || s.blocks == 4)) ||
           (width() == 4 && (s.blocks == 4 || s.blocks == 16));
  case FragmentFamily::Gfx11:
  case FragmentFamily::Gfx12:
    return (laneCount == 32 || laneCount == 64) && s.rows == 16 && s.columns == 16 && s.blocks == 1;
  }
  llvm_unreachable("not a family");
}

FragmentElement FragmentLayout::at(int64_t lane, int64_t element) const {
  switch (kind) {
  case FragmentFamily::Even:
    return ofEven(lane, element);
  case FragmentFamily::Gfx9:
    return ofGfx9(lane, element);
  case FragmentFamily::Gfx11:
    return ofGfx11(lane, element);
  case FragmentFamily::Gfx12:
    return ofGfx12(lane, element);
  }
  llvm_unreachable("not a family");
}

FragmentElement FragmentLayout::factor(int64_t block, int64_t number, int64_t depth) const {
  if (role == FragmentPart::Lhs)
    return {block, number, depth};
  return {block, depth, number};
}

FragmentElement FragmentLayout::ofEven(int64_t lane, int64_t element) const {
  int64_t number = element * laneCount + lane;
  int64_t inner = role == FragmentPart::Lhs ? extents.rows : extents.columns;
  int64_t outer = role == FragmentPart::Lhs ? extents.columns : extents.rows;
  int64_t block = number / (inner * outer), first = number / inner % outer, last = number % inner;
  if (role == FragmentPart::Lhs)
    return {block, last, first};
  return {block, first, last};
}

FragmentElement FragmentLayout::ofGfx9(int64_t lane, int64_t element) const {
  if (role != FragmentPart::Sum) {
    int64_t group = lane / width();
    return factor(group % extents.blocks, lane % width(),
                  group / extents.blocks * elementCount + element);
  }
  int64_t column = lane % extents.columns;
  if (extents.rows == 32)
    return {element / 16, element / 4 % 4 * 8 + lane / 32 * 4 + element % 4, column};
  if (extents.rows == 16 && isDouble)
    return {0, element * 4 + lane / 16, column};
  if (extents.rows == 16)
    return {element / 4, lane / 16 * 4 + element % 4, column};
  if (isDouble)
    return {lane / 4 % 4, lane / 16, column};
  return {lane / 4, element, column};
}

FragmentElement FragmentLayout::ofGfx11(int64_t lane, int64_t element) const {
  if (role != FragmentPart::Sum)
    return factor(0, lane % 16, element);
  return {0, element * (laneCount / 16) + lane / 16, lane % 16};
}

FragmentElement FragmentLayout::ofGfx12(int64_t lane, int64_t element) const {
  int64_t part = lane / 16;
  // Of 64 lanes the two halves of a half are interleaved, four at a time.
  int64_t split = laneCount == 64 ? part % 2 * 8 + part / 2 * 4 + element : part * 8 + element;
  if (role == FragmentPart::Sum)
    return {0, split, lane % 16};
  if (isByte)
    return factor(0, lane % 16, split);
  return factor(0, lane % 16, element / 4 * 8 + part * 4 + element % 4);
}

} // namespace loom
