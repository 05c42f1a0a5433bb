//===- LowerVector.cpp - Lowering of operations of `vector` ---------------===//
#include "LowerVector.h"
#include "LowerVectorCoding.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static int64_t elementCount(Value vector) {
  return ShapedType::getNumElements(cast<VectorType>(vector.getType()).getShape());
}

/// The base plus the number of the element times the step; wraps.
void VectorLowering::lowerIota(VectorIotaOp op) {
  int64_t size = elementCount(op);
  Value base = operand(op.getBase());
  Value numbers = counters(size, getElementTypeOrSelf(base.getType()));
  Value distance = emitter.binary(IntegerOp::Mul, fill(operand(op.getStep()), size), numbers);
  define(op, emitter.binary(IntegerOp::Add, fill(base, size), distance));
}

/// The comparison is of mathematical integers: the bits are as many as the furthest element needs.
void VectorLowering::lowerMaskRange(VectorMaskRangeOp op) {
  using Wide = __int128;
  int64_t size = elementCount(op);
  Type type = op.getLower().getType();
  bool isIndex = isa<IndexType>(type);
  unsigned own = isIndex ? 64 : type.getIntOrFloatBitWidth();
  auto intervalOf = [&](Value value) {
    return Interval::ofBits(own).intersect(kernel.known(value));
  };
  Interval lower = intervalOf(op.getLower()), step = intervalOf(op.getStep());
  Interval upper = intervalOf(op.getUpper());
  Wide low = std::min<Wide>(lower.low, Wide(lower.low) + Wide(size - 1) * step.low);
  Wide high = std::max<Wide>(lower.high, Wide(lower.high) + Wide(size - 1) * step.high);
  auto fits = [&](unsigned bits) {
    Interval all = Interval::ofBits(bits);
    return low >= all.low && high <= all.high && upper.low >= all.low && upper.high <= all.high;
  };
  // An index is never beyond 64 bits.
  unsigned bits = isIndex ? 32 : own, most = isIndex ? 64 : 128;
  while (bits < most && !fits(bits))
    bits = bits < 32 ? 32 : 2 * bits;
  auto extended = [&](Value value) {
    Value carried = isIndex ? kernel.ranges.convert(kernel.ranged(value), bits)
                            : resize(kernel.get(value), bits, /*isSigned=*/true);
    return fill(carried, size);
  };
  Value distance =
      emitter.binary(IntegerOp::Mul, extended(op.getStep()), counters(size, emitter.integer(bits)));
  Value element = emitter.binary(IntegerOp::Add, extended(op.getLower()), distance);
  define(op, emitter.compare(IntPredicate::slt, element, extended(op.getUpper())));
}

bool VectorLowering::lowerConstruction(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorPoisonOp o) {
        return define(o, emitter.undefined(kernel.lowered(o.getType()))), true;
      })
      .Case([&](VectorSplatOp o) {
        return define(o, fill(operand(o.getInput()), elementCount(o))), true;
      })
      .Case([&](VectorFromElementsOp o) {
        SmallVector<Value> elements;
        for (Value element : o.getElements())
          elements.push_back(operand(element));
        return define(o, kernel.fromElements(elements, o.getType())), true;
      })
      .Case([&](VectorIotaOp o) { return lowerIota(o), true; })
      .Case([&](VectorMaskRangeOp o) { return lowerMaskRange(o), true; })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

bool isVectorOpSupported(Operation *op, std::string *condition) {
  std::string reason;
  bool isSupported =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<VectorPoisonOp, VectorEmptyOp, VectorSplatOp, VectorIotaOp, VectorMaskRangeOp,
                VectorBroadcastOp, VectorFromElementsOp, VectorExtractOp, VectorInsertOp,
                VectorSliceOp, VectorConcatOp, VectorTransposeOp, VectorShuffleOp,
                VectorInterleaveOp, VectorDeinterleaveOp, VectorReduceOp, VectorReduceAxesOp,
                VectorDotFOp, VectorDot2FOp, VectorDot4IOp, VectorDot8I4Op, VectorDot4F8Op,
                VectorTableLookupOp, VectorTableQuantizeOp, VectorBitfieldExtractUOp,
                VectorBitfieldExtractSOp, VectorBitfieldInsertOp, VectorBitPackOp,
                VectorBitUnpackUOp, VectorBitUnpackSOp, VectorLoadMaskOp, VectorLoadExpandOp,
                VectorStoreMaskOp, VectorStoreCompressOp, VectorGatherOp, VectorGatherMaskOp,
                VectorScatterOp, VectorScatterMaskOp, EncodingDefineOp, EncodingAssumeSpecOp,
                EncodingAssumeMatchOp>([](auto) { return true; })
          .Case([&](VectorTransformOp o) {
            if (isTransformKnown(o))
              return true;
            reason = " with a transform that is not known when the kernel is compiled";
            return false;
          })
          .Case<VectorDecodeOp, VectorEncodeOp>(
              [&](auto o) { return isCodingSupported(o, reason); })
          .Default([](Operation *) { return false; });
  if (condition)
    *condition = reason;
  return isSupported;
}

bool worksOnNothing(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return op->getNumResults() ? llvm::all_of(op->getResults(), isEmpty)
                             : llvm::any_of(op->getOperands(), isEmpty);
}

bool VectorLowering::lower(Operation *op) {
  // Schemas and transforms became part of the operations that use them.
  if (isa<EncodingDefineOp, EncodingAssumeSpecOp, EncodingAssumeMatchOp>(op))
    return true;
  if (!isa_and_nonnull<VectorDialect>(op->getDialect()))
    return false;
  return lowerConstruction(op) || lowerShape(op) || lowerReduction(op) || lowerBits(op) ||
         lowerTables(op);
}

bool KernelLowering::lowerVector(Operation *op) { return VectorLowering(*this).lower(op); }

} // namespace loom::lowering
