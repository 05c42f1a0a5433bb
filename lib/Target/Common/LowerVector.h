//===- LowerVector.h - Lowering of operations of `vector` -------*- C++ -*-===//
//
// What moves or combines the elements of Loom vectors. All of it speaks of the present form of
// KernelLowering: "element" is one element of a Loom vector, a scalar in the scalar form and a
// vector of one value per lane in the lane form. Arithmetic on whole lowered vectors is the same in
// both forms, so that the code is written once over the functions that move elements.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERVECTOR_H
#define LOOM_LIB_TARGET_COMMON_LOWERVECTOR_H

#include "LowerKernel.h"

namespace loom::lowering {

struct CodingPlan;

/// Whether VectorLowering lowers `op`: an operation of `vector` that moves or combines elements, or
/// one of `encoding` that makes a schema or a transform. Where that depends on more than its name,
/// `condition` becomes what stands in the way, as the end of a sentence: " with a schema that ...".
bool isVectorOpSupported(mlir::Operation *op, std::string *condition = nullptr);

/// Whether `value` is a vector without elements. Such a value is nothing at run time; control flow
/// passes on a number in its place.
inline bool isEmpty(mlir::Value value) {
  auto vector = llvm::dyn_cast<VectorType>(value.getType());
  return vector && mlir::ShapedType::getNumElements(vector.getShape()) == 0;
}
/// Whether `op` makes or moves vectors without elements alone, so that nothing is left to do.
bool worksOnNothing(mlir::Operation *op);
/// Whether the transform of a vector.transform is known.
bool isTransformKnown(VectorTransformOp op);

class VectorLowering {
public:
  explicit VectorLowering(KernelLowering &kernel)
      : kernel(kernel), emitter(kernel.emitter), floats(kernel.floats) {}

  /// Operations on values, in the present form.
  bool lower(mlir::Operation *op);
  /// Masked, gathered and scattered accesses. Each chooses its form itself.
  bool lowerMemory(mlir::Operation *op);

private:
  //===--------------------------------------------------------------------===//
  // LowerVectorShape.cpp: elements and their order.
  //===--------------------------------------------------------------------===//

  /// The number of elements of a lowered vector.
  int64_t count(mlir::Value vector) const;
  /// The type of `count` elements of the LLVM type `element`.
  mlir::Type vectorOf(int64_t count, mlir::Type element) const;
  mlir::Value element(mlir::Value vector, int64_t number);
  /// A vector of equal elements. In the lane form `element` may be a scalar.
  mlir::Value fill(mlir::Value element, int64_t count);
  /// The elements with these numbers; -1 is any element.
  mlir::Value take(mlir::Value vector, llvm::ArrayRef<int64_t> order);
  /// The same of two vectors, numbered one after the other.
  mlir::Value take(mlir::Value first, mlir::Value second, llvm::ArrayRef<int64_t> order);
  /// One of two vectors, by a condition for the whole of it.
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// 0, 1, 2, … of an integer type.
  mlir::Value counters(int64_t count, mlir::Type element);
  /// An operand; index in 64 bits.
  mlir::Value operand(mlir::Value value);
  void define(mlir::Value result, mlir::Value lowered);

  /// An index of a list that mixes literals and values.
  struct Position {
    int64_t number = 0;
    RangedValue value; ///< null value for a literal
  };
  llvm::SmallVector<Position> positions(mlir::OperandRange indices,
                                        llvm::ArrayRef<int64_t> staticIndices,
                                        llvm::ArrayRef<int64_t> shape);
  RangedValue linearPosition(llvm::ArrayRef<Position> positions, llvm::ArrayRef<int64_t> shape);
  mlir::Value shiftAxis(mlir::Value vector, llvm::SmallVectorImpl<int64_t> &shape, size_t axis,
                        RangedValue offset, int64_t extent);
  mlir::Value boxOf(mlir::Value vector, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<Position> offsets, llvm::ArrayRef<int64_t> box);

  bool lowerConstruction(mlir::Operation *op);
  void lowerIota(VectorIotaOp op);
  void lowerMaskRange(VectorMaskRangeOp op);
  bool lowerShape(mlir::Operation *op);
  void lowerExtract(VectorExtractOp op);
  void lowerInsert(VectorInsertOp op);
  void lowerSlice(VectorSliceOp op);
  void lowerConcat(VectorConcatOp op);
  void lowerTranspose(VectorTransposeOp op);
  void lowerInterleave(VectorInterleaveOp op);
  void lowerDeinterleave(VectorDeinterleaveOp op);
  void lowerBroadcast(VectorBroadcastOp op);

  //===--------------------------------------------------------------------===//
  // LowerVectorReduce.cpp
  //===--------------------------------------------------------------------===//

  bool lowerReduction(mlir::Operation *op);
  mlir::Value every(mlir::Value vector, int64_t group, int64_t place);
  void lowerReduce(VectorReduceOp op);
  void lowerReduceAxes(VectorReduceAxesOp op);
  void lowerDotF(VectorDotFOp op);
  void lowerDot2F(VectorDot2FOp op);
  void lowerDot4I(VectorDot4IOp op);
  llvm::SmallVector<std::array<mlir::Value, 2>> bytePairs(mlir::Value operand, int64_t first,
                                                          bool isSigned);
  mlir::Value dot4InPairs(VectorDot4IOp op, bool lhsIsSigned, bool rhsIsSigned);
  void lowerDot8I4(VectorDot8I4Op op);
  void lowerDot4F8(VectorDot4F8Op op);

  //===--------------------------------------------------------------------===//
  // LowerVectorBits.cpp
  //===--------------------------------------------------------------------===//

  bool lowerBits(mlir::Operation *op);
  mlir::Value resize(mlir::Value value, unsigned bits, bool isSigned = false);
  mlir::Value shifted(IntegerOp op, mlir::Value value, int64_t amount);
  mlir::Value masked(mlir::Value value, int64_t bits);
  mlir::Value field(mlir::Value value, int64_t offset, int64_t width, bool isSigned);
  void lowerBitfieldInsert(VectorBitfieldInsertOp op);
  mlir::Value stream(mlir::Value fields, unsigned width, unsigned resultBits, unsigned resultWidth);

  //===--------------------------------------------------------------------===//
  // LowerVectorTables.cpp, LowerVectorCoding.cpp
  //===--------------------------------------------------------------------===//

  bool lowerTables(mlir::Operation *op);
  /// The element of a vector of the scalar form that each lane of `index` asks for.
  mlir::Value lookUp(mlir::Value table, mlir::Value index);
  mlir::Value lookUpAll(mlir::Value vector, mlir::Value indices);
  void lowerTableQuantize(VectorTableQuantizeOp op);
  void lowerTransform(VectorTransformOp op);

  void lowerDecode(VectorDecodeOp op);
  void lowerEncode(VectorEncodeOp op);
  mlir::Value converted(mlir::Value value, mlir::Type from, mlir::Type to, bool isSigned);
  mlir::Value auxiliary(mlir::Value vector, const CodingPlan &plan, mlir::Type type, bool isSigned);
  mlir::Value unpackNibbles(mlir::Value bytes);

  //===--------------------------------------------------------------------===//
  // LowerVectorMemory.cpp
  //===--------------------------------------------------------------------===//

  class Transfer;

  KernelLowering &kernel;
  Emitter &emitter;
  SmallFloats &floats;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERVECTOR_H
