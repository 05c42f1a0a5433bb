//===- FragmentLayout.h - Which lane holds which element --------*- C++ -*-===//
//
// A matrix fragment is a vector in each lane of a subgroup; together they are a matrix, or several
// independent ones (`blocks`). A layout says of every element of every lane which element of the
// matrix it is. Layouts of hardware are those of the matrix instructions of AMD GPUs, one layout
// for all instructions of a family; nothing here depends on the compiler.
//
// Sources: CDNA3 ISA, chapter "Matrix Arithmetic Instructions"; RDNA3 ISA 7.9 and RDNA4 ISA 7.12,
// "Wave Matrix Multiply Accumulate"; and the equations that AMD's matrix instruction calculator
// prints for each instruction with --detail-instruction, which the unit test repeats. Elements of
// a lane are numbered by their place in its registers, lowest bits first. With l for the lane, e
// for its element, E for the number of its elements:
//
//  - gfx9 (MFMA), 64 lanes. Rows of `lhs`, columns of `rhs`, are M = 4, 16 or 32: number l mod M;
//    block (l / M) mod blocks; depth (l / (M * blocks)) * E + e. Sums are square, column l mod M:
//      32x32: block e / 16, row 8 * (e / 4 mod 4) + 4 * (l / 32) + e mod 4;
//      16x16: block e / 4, row 4 * (l / 16) + e mod 4; of f64 row 4 * e + l / 16;
//      4x4:   16 blocks: block l / 4, row e; 4 blocks (f64): block (l / 4) mod 4, row l / 16.
//  - gfx11 (WMMA), 32 or 64 lanes, all 16x16. Every 16 lanes hold `lhs` and `rhs` again: row or
//    column l mod 16, depth e. Sums: column l mod 16, row (lanes / 16) * e + l / 16; sums of 16
//    bits take one register each as well, so that they have the same layout.
//  - gfx12 (WMMA), 32 or 64 lanes, all 16x16, nothing twice. Row or column l mod 16. Depth with 32
//    lanes: 8 * (l / 16) + e of 8 bits, 8 * (e / 4) + 4 * (l / 16) + e mod 4 of 16 bits; with 64
//    lanes h = l / 16: 8 * (h mod 2) + 4 * (h / 2) + e of 8 bits, 4 * h + e of 16 bits. Sums:
//    column l mod 16, row 8 * (l / 16) + e, with 64 lanes 8 * (h mod 2) + 4 * (h / 2) + e.
//
// `even` is Loom's own, for shapes and subgroups that no hardware has: elements are numbered in the
// order block, row, column, those of `lhs` in the order block, column, row; number p is element
// p / lanes of lane p mod lanes.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TARGET_COMMON_FRAGMENTLAYOUT_H
#define LOOM_TARGET_COMMON_FRAGMENTLAYOUT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace loom {

enum class FragmentFamily { Even, Gfx9, Gfx11, Gfx12 };

/// Name of a family: "even", "gfx9", "gfx11", "gfx12".
llvm::StringRef stringifyFragmentFamily(FragmentFamily family);

/// What part a fragment has in a product. `Sum` is what is added to and the result.
enum class FragmentPart { Lhs, Rhs, Sum };

/// Extents of the matrix: `lhs` has m rows and k columns, `rhs` k and n, a sum m and n.
struct FragmentShape {
  int64_t rows = 0, columns = 0, blocks = 1;

  bool operator==(const FragmentShape &other) const {
    return rows == other.rows && columns == other.columns && blocks == other.blocks;
  }
  bool operator!=(const FragmentShape &other) const { return !(*this == other); }
};

/// An element of a matrix.
struct FragmentElement {
  int64_t block, row, column;
};

class FragmentLayout {
public:
  /// The layout of `family` for a fragment of `elements` elements of `bits` bits in each of `lanes`
  /// lanes; nothing when the family has none. Extents and counts are at least 1.
  static std::optional<FragmentLayout> get(FragmentFamily family, FragmentPart part,
                                           const FragmentShape &shape, int64_t lanes,
                                           int64_t elements, unsigned bits);

  /// What element `element` of lane `lane` is.
  FragmentElement at(int64_t lane, int64_t element) const;

  FragmentFamily family() const { return kind; }
  FragmentPart part() const { return role; }
  const FragmentShape &shape() const { return extents; }
  int64_t lanes() const { return laneCount; }
  int64_t elements() const { return elementCount; }
  /// How many lanes hold each element of the matrix. Lanes of the same number modulo
  /// lanes() / copies() hold the same.
  int64_t copies() const { return copyCount; }

  /// The same element in the same place.
  bool operator==(const FragmentLayout &other) const {
    return kind == other.kind && role == other.role && extents == other.extents &&
           laneCount == other.laneCount && elementCount == other.elementCount &&
           isDouble == other.isDouble && isByte == other.isByte;
  }
  bool operator!=(const FragmentLayout &other) const { return !(*this == other); }

private:
  FragmentLayout() = default;
  bool exists() const;
  FragmentElement ofGfx9(int64_t lane, int64_t element) const;
  FragmentElement ofGfx11(int64_t lane, int64_t element) const;
  FragmentElement ofGfx12(int64_t lane, int64_t element) const;
  FragmentElement ofEven(int64_t lane, int64_t element) const;
  /// A factor by its number along rows of `lhs` or columns of `rhs`, and along the depth.
  FragmentElement factor(int64_t block, int64_t number, int64_t depth) const;
  /// Rows of `lhs`, columns of `rhs`; the other extent.
  int64_t width() const { return role == FragmentPart::Lhs ? extents.rows : extents.columns; }
  int64_t depth() const { return role == FragmentPart::Lhs ? extents.columns : extents.rows; }

  FragmentFamily kind = FragmentFamily::Even;
  FragmentPart role = FragmentPart::Sum;
  FragmentShape extents;
  int64_t laneCount = 1, elementCount = 1, copyCount = 1;
  /// Of elements, where that changes the layout.
  bool isDouble = false, isByte = false;
};

} // namespace loom

#endif // LOOM_TARGET_COMMON_FRAGMENTLAYOUT_H
