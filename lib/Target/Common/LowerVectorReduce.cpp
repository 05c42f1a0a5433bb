//===- LowerVectorReduce.cpp - Reductions and dot products ----------------===//
#include "LowerVector.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The elements in ascending order, beginning with the initial value.
void VectorLowering::lowerReduce(VectorReduceOp op) {
  Type type = op.getType();
  Value result = kernel.get(op.getInitial());
  if (isEmpty(op.getVector()))
    return define(op, result);
  Value vector = kernel.get(op.getVector());
  FastMathFlags flags = op.getFastmath();
  bool isSum = op.getKind() == CombiningKind::addf, isProduct = op.getKind() == CombiningKind::mulf;
  bool isAnyOrder = bitEnumContainsAny(flags, FastMathFlags::reassoc) && (isSum || isProduct) &&
                    (type.isF32() || type.isF64());
  if (isAnyOrder && !kernel.inLanes) {
    FloatOp kind = isSum ? FloatOp::Add : FloatOp::Mul;
    return define(op, emitter.reduce(kind, result, vector, flags));
  }
  for (int64_t i = 0, e = count(vector); i < e; ++i)
    result = kernel.combine(op.getKind(), result, element(vector, i), flags, type);
  define(op, result);
}

/// The elements that differ along the given axes only are combined in ascending order: all first
/// ones at once, then all second ones.
void VectorLowering::lowerReduceAxes(VectorReduceAxesOp op) {
  ArrayRef<int64_t> shape = cast<VectorType>(op.getVector().getType()).getShape();
  Value result = kernel.get(op.getInitial());
  if (isEmpty(op.getVector()))
    return define(op, result);
  auto initial = dyn_cast<VectorType>(op.getInitial().getType());
  Value vector = kernel.get(op.getVector());
  int64_t steps = 1;
  for (int64_t axis : op.getAxes())
    steps *= shape[axis];
  // For each step the numbers of the elements; elements come in row-major order of what is kept.
  SmallVector<SmallVector<int64_t>> orders(steps);
  for (int64_t number = 0, e = count(vector); number < e; ++number) {
    int64_t rest = number, step = 0, weight = e;
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      weight /= extent;
      if (llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis)))
        step = step * extent + rest / weight;
      rest %= weight;
    }
    orders[step].push_back(number);
  }
  for (ArrayRef<int64_t> order : orders) {
    Value part = initial ? take(vector, order) : element(vector, order.front());
    result = kernel.combine(op.getKind(), result, part, op.getFastmath(),
                            cast<VectorType>(op.getVector().getType()).getElementType());
  }
  define(op, result);
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

/// A chain of fused multiply-adds, element by element.
void VectorLowering::lowerDotF(VectorDotFOp op) {
  Value result = kernel.get(op.getAcc());
  if (isEmpty(op.getLhs()))
    return define(op, result);
  Type type = op.getType();
  Value lhs = kernel.get(op.getLhs()), rhs = kernel.get(op.getRhs());
  for (int64_t i = 0, e = count(lhs); i < e; ++i)
    result = floats.fma(element(lhs, i), element(rhs, i), result, op.getFastmath(), type);
  define(op, result);
}

/// The elements `place`, `place + group`, `place + 2 * group`, …
Value VectorLowering::every(Value vector, int64_t group, int64_t place) {
  SmallVector<int64_t> order;
  for (int64_t i = place, e = count(vector); i < e; i += group)
    order.push_back(i);
  return take(vector, order);
}

void VectorLowering::lowerDot2F(VectorDot2FOp op) {
  Value lhs = kernel.get(op.getLhs()), rhs = kernel.get(op.getRhs());
  Value result = kernel.get(op.getAcc());
  Type from = getElementTypeOrSelf(op.getLhs().getType());
  Type to = getElementTypeOrSelf(op.getAcc().getType());
  for (int64_t place : {0, 1})
    result =
        floats.fma(floats.convert(every(lhs, 2, place), from, to),
                   floats.convert(every(rhs, 2, place), from, to), result, FastMathFlags::none);
  define(op, result);
}

/// The bytes of each lane in their order, as 16-bit numbers for eight lanes at a time: first those
/// at even places, then those at odd ones.
SmallVector<std::array<Value, 2>> VectorLowering::bytePairs(Value operand, int64_t first,
                                                            bool isSigned) {
  constexpr int64_t chunk = 8;
  int64_t lanes = kernel.laneCount();
  Type words = emitter.vector(2 * chunk, emitter.integer(16));
  SmallVector<Value> chunks;
  if (kernel.hasScalarForm(operand)) {
    Value all = kernel.scalarOf(operand);
    SmallVector<int32_t> order = {0, 1, 2, 3};
    llvm::for_each(order, [&](int32_t &element) { element += first; });
    Value word = emitter.reinterpret(emitter.shuffle(all, all, order), emitter.integer(32));
    Value same = emitter.splat(word, emitter.vector(chunk, emitter.integer(32)));
    chunks.assign(lanes / chunk, emitter.reinterpret(same, words));
  } else {
    Value all = kernel.lanesOf(operand);
    for (int64_t begin = 0; begin < lanes; begin += chunk) {
      SmallVector<int32_t> order;
      for (int64_t lane = begin; lane < begin + chunk; ++lane)
        for (int64_t place = first; place < first + 4; ++place)
          order.push_back(place * lanes + lane);
      chunks.push_back(emitter.reinterpret(emitter.shuffle(all, all, order), words));
    }
  }
  SmallVector<std::array<Value, 2>> pairs;
  Value eight = emitter.constant(words, 8), low = emitter.constant(words, 255);
  for (Value bytes : chunks) {
    Value even = isSigned ? emitter.binary(IntegerOp::AShr,
                                           emitter.binary(IntegerOp::Shl, bytes, eight), eight)
                          : emitter.binary(IntegerOp::And, bytes, low);
    IntegerOp shift = isSigned ? IntegerOp::AShr : IntegerOp::LShr;
    pairs.push_back({even, emitter.binary(shift, bytes, eight)});
  }
  return pairs;
}

/// Products of two bytes are exact in 32 bits, and so is the sum of two.
Value VectorLowering::dot4InPairs(VectorDot4IOp op, bool lhsIsSigned, bool rhsIsSigned) {
  SmallVector<Value> sums;
  Type sum = emitter.vector(8, emitter.integer(32));
  int64_t bytes = ShapedType::getNumElements(op.getLhs().getType().getShape());
  for (int64_t first = 0; first < bytes; first += 4) {
    auto lhs = bytePairs(op.getLhs(), first, lhsIsSigned);
    auto rhs = bytePairs(op.getRhs(), first, rhsIsSigned);
    for (auto [a, b] : llvm::zip(lhs, rhs)) {
      Value parts[2];
      for (unsigned i = 0; i < 2; ++i)
        parts[i] = emitter.intrinsic("llvm.x86.avx2.pmadd.wd", sum, {a[i], b[i]});
      sums.push_back(emitter.binary(IntegerOp::Add, parts[0], parts[1]));
    }
  }
  return emitter.binary(IntegerOp::Add, kernel.get(op.getAcc()), kernel.concatenate(sums));
}

void VectorLowering::lowerDot4I(VectorDot4IOp op) {
  bool isSigned[] = {op.getKind() == Dot4IKind::s8s8 || op.getKind() == Dot4IKind::s8u8,
                     op.getKind() == Dot4IKind::s8s8 || op.getKind() == Dot4IKind::u8s8};
  if (kernel.inLanes && kernel.target.hasPairProducts() && kernel.laneCount() % 8 == 0)
    return define(op, dot4InPairs(op, isSigned[0], isSigned[1]));
  Value lhs = kernel.get(op.getLhs()), rhs = kernel.get(op.getRhs());
  Value result = kernel.get(op.getAcc());
  for (int64_t place = 0; place < 4; ++place) {
    Value product = emitter.binary(IntegerOp::Mul, resize(every(lhs, 4, place), 32, isSigned[0]),
                                   resize(every(rhs, 4, place), 32, isSigned[1]));
    result = emitter.binary(IntegerOp::Add, result, product);
  }
  define(op, result);
}

void VectorLowering::lowerDot8I4(VectorDot8I4Op op) {
  bool isSigned[] = {op.getKind() == Dot8I4Kind::s4s4 || op.getKind() == Dot8I4Kind::s4u4,
                     op.getKind() == Dot8I4Kind::s4s4 || op.getKind() == Dot8I4Kind::u4s4};
  Value lhs = kernel.get(op.getLhs()), rhs = kernel.get(op.getRhs());
  Value result = kernel.get(op.getAcc());
  for (int64_t bit = 0; bit < 32; bit += 4) {
    Value product = emitter.binary(IntegerOp::Mul, field(lhs, bit, 4, isSigned[0]),
                                   field(rhs, bit, 4, isSigned[1]));
    result = emitter.binary(IntegerOp::Add, result, product);
  }
  define(op, result);
}

void VectorLowering::lowerDot4F8(VectorDot4F8Op op) {
  MLIRContext *context = op.getContext();
  Type fp8 = Float8E4M3FNType::get(context), bf8 = Float8E5M2Type::get(context);
  bool firstIsBf8 = op.getKind() == Dot4F8Kind::bf8fp8 || op.getKind() == Dot4F8Kind::bf8bf8;
  bool secondIsBf8 = op.getKind() == Dot4F8Kind::fp8bf8 || op.getKind() == Dot4F8Kind::bf8bf8;
  Value lhs = kernel.get(op.getLhs()), rhs = kernel.get(op.getRhs());
  Value result = kernel.get(op.getAcc());
  auto number = [&](Value word, int64_t bit, bool isBf8) {
    Value byte = resize(shifted(IntegerOp::LShr, word, bit), 8);
    return floats.widen(byte, isBf8 ? bf8 : fp8);
  };
  for (int64_t bit = 0; bit < 32; bit += 8)
    result = floats.fma(number(lhs, bit, firstIsBf8), number(rhs, bit, secondIsBf8), result,
                        FastMathFlags::none);
  define(op, result);
}

bool VectorLowering::lowerReduction(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorReduceOp o) { return lowerReduce(o), true; })
      .Case([&](VectorReduceAxesOp o) { return lowerReduceAxes(o), true; })
      .Case([&](VectorDotFOp o) { return lowerDotF(o), true; })
      .Case([&](VectorDot2FOp o) { return lowerDot2F(o), true; })
      .Case([&](VectorDot4IOp o) { return lowerDot4I(o), true; })
      .Case([&](VectorDot8I4Op o) { return lowerDot8I4(o), true; })
      .Case([&](VectorDot4F8Op o) { return lowerDot4F8(o), true; })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
