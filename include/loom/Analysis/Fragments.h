//===- Fragments.h - Which vectors are shares of which matrix ---*- C++ -*-===//
//
// Roles and extents of matrix fragments are facts, not types: `vector.fragment` and its like state
// them of a vector, and they hold for what is made of it element by element. This analysis says of
// each vector of a specialized kernel which matrix it is a share of.
//
//  - Sources: `vector.fragment`, `.load`, `.repack`; a product is a sum of the shape of its
//    factors.
//  - Arithmetic that works element by element keeps the fact of its operands. Operands that are no
//    fragments take part as numbers: a scale for each element, for example.
//  - Loops, conditionals and selections keep a fact that all ways agree on. A constant of equal
//    elements is a share of any matrix.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_ANALYSIS_FRAGMENTS_H
#define LOOM_ANALYSIS_FRAGMENTS_H

#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Target/Common/FragmentLayout.h"

namespace loom {

/// A matrix of which vectors are shares.
struct FragmentFact {
  FragmentPart part = FragmentPart::Sum;
  FragmentShape shape;
  unsigned bits = 0; ///< of an element where it became a fragment
  /// The operation that says in which encoding the elements are; null when they are plain.
  mlir::Operation *encoded = nullptr;

  bool operator==(const FragmentFact &other) const {
    return part == other.part && shape == other.shape && bits == other.bits &&
           encoded == other.encoded;
  }
};

/// "lhs [16, 4]", "rhs [blocks(2), 4, 16]", "init or result [16, 16]".
std::string stringifyFragment(const FragmentFact &fact);

class Fragments {
public:
  /// `facts` has to be of the kernel or of something around it, and to outlive this.
  Fragments(KernelDefOp kernel, const Facts &facts);

  /// Whether the kernel has operations on fragments.
  bool isEmpty() const { return ops.empty(); }
  /// The operations on fragments, in order.
  llvm::ArrayRef<mlir::Operation *> operations() const { return ops; }

  enum class Kind {
    Unknown, ///< never reached
    Any,     ///< equal elements, a share of any matrix
    Plain,   ///< no fragment
    Share,   ///< of `fact`
    Mixed,   ///< of different matrices, or of one on some ways only
  };
  struct State {
    Kind kind = Kind::Unknown;
    FragmentFact fact = {};
  };
  State of(mlir::Value value) const { return states.lookup(value); }
  /// What an operation on fragments says of the vector that it makes, or stores; nothing for a
  /// product, and where an extent is not known.
  std::optional<FragmentFact> statedBy(mlir::Operation *op) const;

  static bool isFragmentOp(mlir::Operation *op);
  /// The vector that an operation on fragments makes, or stores.
  static mlir::Value vectorOf(mlir::Operation *op);

private:
  static State join(const State &a, const State &b);
  State transfer(mlir::Operation *op) const;
  void raise(mlir::Value value, const State &state);
  void visit(mlir::Operation *op);
  void visitRegions(mlir::Operation *op);

  const Facts &facts;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, State> states;
  bool changed = false;
  bool isSettled = false; ///< what is not known to be a share by now is none
};

} // namespace loom

#endif // LOOM_ANALYSIS_FRAGMENTS_H
