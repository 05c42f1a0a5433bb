//===- LowerIndex.cpp - Lowering of the `index` dialect -------------------===//
#include "LowerKernel.h"

using namespace mlir;

namespace loom::lowering {

bool KernelLowering::lowerIndex(Operation *op) {
  if (!isa<IndexDialect>(op->getDialect()))
    return false;
  // A value that is known needs no computation.
  if (op->getNumResults() == 1 && isAddressType(op->getResult(0).getType()))
    if (std::optional<int64_t> exact = facts.exact(op->getResult(0))) {
      if (isa<IndexType>(op->getResult(0).getType()))
        define(op->getResult(0), ranges.constant(*exact));
      else
        define(op->getResult(0), emitter.constant(emitter.integer(64), *exact));
      return true;
    }
  if (auto cast = dyn_cast<IndexCastOp>(op)) {
    lowerIndexCast(cast);
    return true;
  }
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<OffsetType>)) {
    lowerOffset(op);
    return true;
  }
  Interval fact = op->getNumResults() ? known(op->getResult(0)) : Interval();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](IndexConstantOp o) {
        if (isa<IndexType>(o.getType()))
          define(o, ranges.constant(o.getInt()));
        else
          define(o, emitter.constant(emitter.integer(64), o.getInt()));
      })
      .Case([&](IndexAddOp o) {
        define(o, ranges.add(ranged(o.getLhs()), ranged(o.getRhs()), fact));
      })
      .Case([&](IndexSubOp o) {
        define(o, ranges.sub(ranged(o.getLhs()), ranged(o.getRhs()), fact));
      })
      .Case([&](IndexMulOp o) {
        define(o, ranges.mul(ranged(o.getLhs()), ranged(o.getRhs()), fact));
      })
      .Case([&](IndexMaddOp o) {
        RangedValue product = ranges.mul(ranged(o.getLhs()), ranged(o.getRhs()));
        define(o, ranges.add(product, ranged(o.getAddend()), fact));
      })
      .Case([&](IndexDivOp o) { define(o, ranges.div(ranged(o.getLhs()), divisor(o.getRhs()))); })
      .Case([&](IndexRemOp o) { define(o, ranges.rem(ranged(o.getLhs()), divisor(o.getRhs()))); })
      .Case([&](IndexMinOp o) { define(o, ranges.min(ranged(o.getLhs()), ranged(o.getRhs()))); })
      .Case([&](IndexMaxOp o) { define(o, ranges.max(ranged(o.getLhs()), ranged(o.getRhs()))); })
      .Case([&](IndexCmpOp o) {
        define(o, ranges.compare(o.getPredicate(), ranged(o.getLhs()), ranged(o.getRhs())));
      })
      .Default([&](Operation *) { lowerIndexBits(op, fact); });
  return true;
}

void KernelLowering::lowerIndexBits(Operation *op, Interval fact) {
  auto bitwise = [&](IntegerOp kind) {
    return ranges.bitwise(kind, ranged(op->getOperand(0)), ranged(op->getOperand(1)));
  };
  auto shiftRight = [&](bool bySign) {
    return ranges.shiftRight(ranged(op->getOperand(0)), ranged(op->getOperand(1)), bySign);
  };
  auto rotate = [&](bool left) {
    return ranges.rotate(ranged(op->getOperand(0)), ranged(op->getOperand(1)), left);
  };
  auto count = [&](StringRef intrinsic) {
    return ranges.countBits(intrinsic, ranged(op->getOperand(0)));
  };
  RangedValue result = llvm::TypeSwitch<Operation *, RangedValue>(op)
                           .Case([&](IndexAndIOp) { return bitwise(IntegerOp::And); })
                           .Case([&](IndexOrIOp) { return bitwise(IntegerOp::Or); })
                           .Case([&](IndexXOrIOp) { return bitwise(IntegerOp::Xor); })
                           .Case([&](IndexShLIOp o) {
                             return ranges.shiftLeft(ranged(o.getLhs()), ranged(o.getRhs()), fact);
                           })
                           .Case([&](IndexShRSIOp) { return shiftRight(/*bySign=*/true); })
                           .Case([&](IndexShRUIOp) { return shiftRight(/*bySign=*/false); })
                           .Case([&](IndexRotLIOp) { return rotate(/*left=*/true); })
                           .Case([&](IndexRotRIOp) { return rotate(/*left=*/false); })
                           .Case([&](IndexCtLZIOp) { return count("llvm.ctlz"); })
                           .Case([&](IndexCtTZIOp) { return count("llvm.cttz"); })
                           .Case([&](IndexCtPopIOp) { return count("llvm.ctpop"); });
  define(op->getResult(0), result);
}

/// A divisor, of which facts hold in active lanes only: elsewhere it may be zero.
RangedValue KernelLowering::divisor(Value value) {
  RangedValue result = ranged(value);
  if (laneCount() > 1 && !result.interval.exact())
    result.interval.low = std::min<int64_t>(result.interval.low, 0);
  return result;
}

/// Operations on byte counts: unsigned numbers of 64 bits.
void KernelLowering::lowerOffset(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](IndexAddOp o) {
        define(o, emitter.binary(IntegerOp::Add, get(o.getLhs()), get(o.getRhs())));
      })
      .Case([&](IndexSubOp o) {
        define(o, emitter.binary(IntegerOp::Sub, get(o.getLhs()), get(o.getRhs())));
      })
      .Case([&](IndexScaleOp o) {
        Value coordinate = ranges.convert(ranged(o.getCoordinate()), 64);
        define(o, emitter.binary(IntegerOp::Mul, coordinate, get(o.getStride())));
      })
      .Case([&](IndexCmpOp o) {
        // A signed predicate on unsigned numbers orders them by value.
        static constexpr IntPredicate byValue[] = {
            IntPredicate::eq,  IntPredicate::ne,  IntPredicate::ult, IntPredicate::ule,
            IntPredicate::ugt, IntPredicate::uge, IntPredicate::ult, IntPredicate::ule,
            IntPredicate::ugt, IntPredicate::uge};
        IntPredicate predicate = byValue[static_cast<unsigned>(o.getPredicate())];
        define(o, emitter.compare(predicate, get(o.getLhs()), get(o.getRhs())));
      });
}

void KernelLowering::lowerIndexCast(IndexCastOp op) {
  Value input = op.getInput(), result = op.getResult();
  Type from = input.getType(), to = result.getType();
  Value mapped = get(input);
  Type wide = emitter.integer(64);
  if (isa<IndexType>(to)) {
    if (isa<IndexType>(from))
      return define(result, ranged(input));
    if (isa<OffsetType>(from)) // has to be representable
      return define(result, RangedValue{mapped, {0, Interval().high}});
    if (from.isInteger(1))
      return define(result, RangedValue{emitter.zeroExtend(mapped, emitter.integer(32)), {0, 1}});
    unsigned bits = from.getIntOrFloatBitWidth();
    Value carried = bits < 32 ? emitter.cast(CastOp::SExt, mapped, emitter.integer(32)) : mapped;
    return define(result, RangedValue{carried, Interval::ofBits(bits)});
  }
  if (isa<OffsetType>(to)) {
    if (isa<OffsetType>(from))
      return define(result, mapped);
    if (isa<IndexType>(from))
      return define(result, ranges.convert(ranged(input), 64));
    return define(result, from == wide ? mapped : emitter.zeroExtend(mapped, wide));
  }
  // To an integer: low bits, or the number.
  unsigned bits = to.getIntOrFloatBitWidth();
  unsigned have = getElementTypeOrSelf(mapped.getType()).getIntOrFloatBitWidth();
  if (bits == have)
    return define(result, mapped);
  if (bits < have)
    return define(result, emitter.truncate(mapped, to));
  define(result, ranges.convert(ranged(input), bits));
}

} // namespace loom::lowering
