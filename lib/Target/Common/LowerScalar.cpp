//===- LowerScalar.cpp - Lowering of `scalar` and `vector` arithmetic -----===//
#include "LowerKernel.h"

using namespace mlir;

namespace loom::lowering {

static NoWrap noWrapOf(OverflowFlags flags) {
  return {bitEnumContainsAny(flags, OverflowFlags::nsw),
          bitEnumContainsAny(flags, OverflowFlags::nuw)};
}

bool KernelLowering::lowerScalar(Operation *op) {
  auto integer = [&](auto o, IntegerOp kind, NoWrap noWrap = {}) {
    define(o.getResult(), emitter.binary(kind, get(o.getLhs()), get(o.getRhs()), noWrap));
    return true;
  };
  auto number = [&](auto o, FloatOp kind) {
    define(o.getResult(), floats.binary(kind, get(o.getLhs()), get(o.getRhs()), o.getFastmath()));
    return true;
  };
  auto choose = [&](auto o, StringRef intrinsic) {
    define(o.getResult(),
           floats.choose(intrinsic, get(o.getLhs()), get(o.getRhs()), o.getFastmath()));
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ScalarConstantOp o) {
        define(o, emitter.constant(o.getValue()));
        return true;
      })
      .Case([&](ScalarAddIOp o) { return integer(o, IntegerOp::Add, noWrapOf(o.getOverflow())); })
      .Case([&](ScalarSubIOp o) { return integer(o, IntegerOp::Sub, noWrapOf(o.getOverflow())); })
      .Case([&](ScalarMulIOp o) { return integer(o, IntegerOp::Mul, noWrapOf(o.getOverflow())); })
      .Case([&](ScalarAndIOp o) { return integer(o, IntegerOp::And); })
      .Case([&](ScalarOrIOp o) { return integer(o, IntegerOp::Or); })
      .Case([&](ScalarXOrIOp o) { return integer(o, IntegerOp::Xor); })
      .Case([&](ScalarAddFOp o) { return number(o, FloatOp::Add); })
      .Case([&](ScalarSubFOp o) { return number(o, FloatOp::Sub); })
      .Case([&](ScalarMulFOp o) { return number(o, FloatOp::Mul); })
      .Case([&](ScalarDivFOp o) { return number(o, FloatOp::Div); })
      .Case([&](VectorAddFOp o) { return number(o, FloatOp::Add); })
      .Case([&](VectorSubFOp o) { return number(o, FloatOp::Sub); })
      .Case([&](VectorMulFOp o) { return number(o, FloatOp::Mul); })
      .Case([&](ScalarMinimumFOp o) { return choose(o, "llvm.minimum"); })
      .Case([&](ScalarMaximumFOp o) { return choose(o, "llvm.maximum"); })
      .Case([&](ScalarNegFOp o) {
        define(o, floats.negate(get(o.getInput()), o.getFastmath()));
        return true;
      })
      .Case([&](ScalarAbsFOp o) {
        define(o, floats.absolute(get(o.getInput()), o.getFastmath()));
        return true;
      })
      .Case([&](ScalarFmaFOp o) {
        define(o,
               floats.fma(get(o.getLhs()), get(o.getRhs()), get(o.getAddend()), o.getFastmath()));
        return true;
      })
      .Case([&](ScalarCmpIOp o) {
        define(o, emitter.compare(o.getPredicate(), get(o.getLhs()), get(o.getRhs())));
        return true;
      })
      .Case([&](ScalarCmpFOp o) {
        define(o,
               floats.compare(o.getPredicate(), get(o.getLhs()), get(o.getRhs()), o.getFastmath()));
        return true;
      })
      .Default([](Operation *) { return false; });
}

bool KernelLowering::lowerScalarCast(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Value input = get(op->getOperand(0)), result = op->getResult(0);
  Type type = result.getType();
  Value value =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](ScalarSIToFPOp) { return floats.fromInteger(input, type, true); })
          .Case([&](ScalarUIToFPOp) { return floats.fromInteger(input, type, false); })
          .Case([&](ScalarExtFOp) { return floats.extend(input, type); })
          .Case([&](ScalarFPTruncOp) { return floats.truncate(input, type); })
          .Case([&](ScalarExtSIOp) { return emitter.cast(CastOp::SExt, input, type); })
          .Case([&](ScalarExtUIOp) { return emitter.zeroExtend(input, type); })
          .Case([&](ScalarTruncIOp) { return emitter.truncate(input, type); })
          .Case([&](ScalarBitcastOp) {
            return input.getType() == type ? input : emitter.cast(CastOp::Bitcast, input, type);
          })
          .Default([](Operation *) { return Value(); });
  if (!value)
    return false;
  define(result, value);
  return true;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

bool KernelLowering::lowerVector(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorConstantOp o) {
        int64_t lanes = ShapedType::getNumElements(cast<VectorType>(o.getType()).getShape());
        define(o, emitter.constant(o.getValue(), lanes));
        return true;
      })
      .Case([&](VectorSplatOp o) {
        define(o, emitter.splat(get(o.getInput()), lowered(o.getType())));
        return true;
      })
      .Case([&](VectorExtractOp o) {
        lowerExtract(o);
        return true;
      })
      .Case([&](VectorReduceOp o) {
        lowerReduce(o);
        return true;
      })
      .Default([](Operation *) { return false; });
}

void KernelLowering::lowerExtract(VectorExtractOp op) {
  ArrayRef<int64_t> shape = cast<VectorType>(op.getVector().getType()).getShape();
  RangedValue lane = ranges.constant(0);
  unsigned next = 0;
  for (auto [extent, index] : llvm::zip(shape, op.getStaticIndices())) {
    RangedValue coordinate = ShapedType::isDynamic(index)
                                 ? ranges.narrow(ranged(op.getIndices()[next++]), {0, extent - 1})
                                 : ranges.constant(index);
    lane = ranges.add(ranges.mul(lane, ranges.constant(extent)), coordinate);
  }
  define(op.getResult(), emitter.extract(get(op.getVector()), lane.value));
}

Value KernelLowering::combine(CombiningKind kind, Value a, Value b, FastMathFlags flags) {
  auto choose = [&](StringRef intrinsic) {
    return emitter.intrinsic(intrinsic, a.getType(), {a, b});
  };
  switch (kind) {
  case CombiningKind::addi:
    return emitter.binary(IntegerOp::Add, a, b);
  case CombiningKind::muli:
    return emitter.binary(IntegerOp::Mul, a, b);
  case CombiningKind::andi:
    return emitter.binary(IntegerOp::And, a, b);
  case CombiningKind::ori:
    return emitter.binary(IntegerOp::Or, a, b);
  case CombiningKind::xori:
    return emitter.binary(IntegerOp::Xor, a, b);
  case CombiningKind::minsi:
    return choose("llvm.smin");
  case CombiningKind::maxsi:
    return choose("llvm.smax");
  case CombiningKind::minui:
    return choose("llvm.umin");
  case CombiningKind::maxui:
    return choose("llvm.umax");
  case CombiningKind::addf:
    return floats.binary(FloatOp::Add, a, b, flags);
  case CombiningKind::mulf:
    return floats.binary(FloatOp::Mul, a, b, flags);
  case CombiningKind::minimumf:
    return floats.choose("llvm.minimum", a, b, flags);
  case CombiningKind::maximumf:
    return floats.choose("llvm.maximum", a, b, flags);
  // IEEE 754-2019 minimumNumber: a number beats a NaN, and unlike llvm.minnum it orders -0 below
  // +0, so that every target gives the same bits.
  case CombiningKind::minnumf:
    return floats.choose("llvm.minimumnum", a, b, flags);
  case CombiningKind::maxnumf:
    return floats.choose("llvm.maximumnum", a, b, flags);
  }
  llvm_unreachable("covered switch");
}

void KernelLowering::lowerReduce(VectorReduceOp op) {
  Value vector = get(op.getVector()), result = get(op.getInitial());
  Type element = result.getType();
  FastMathFlags flags = op.getFastmath();
  bool isSum = op.getKind() == CombiningKind::addf, isProduct = op.getKind() == CombiningKind::mulf;
  bool isWide = element.isF32() || element.isF64();
  if (bitEnumContainsAny(flags, FastMathFlags::reassoc) && (isSum || isProduct) && isWide) {
    StringRef name = isSum ? "llvm.vector.reduce.fadd" : "llvm.vector.reduce.fmul";
    return define(op.getResult(), emitter.intrinsic(name, element, {result, vector}, flags));
  }
  int64_t lanes = cast<mlir::VectorType>(vector.getType()).getNumElements();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value value = emitter.extract(vector, emitter.constant(emitter.integer(32), lane));
    result = combine(op.getKind(), result, value, flags);
  }
  define(op.getResult(), result);
}

} // namespace loom::lowering
