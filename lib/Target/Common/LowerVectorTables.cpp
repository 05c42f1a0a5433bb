//===- LowerVectorTables.cpp - Tables and transforms ----------------------===//
#include "LowerVector.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace loom::lowering {

static Type elementTypeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// For each lane of `index` the element of a vector in the scalar form. Back ends know a
/// permutation that is written like this; the table should have as many elements as there are
/// lanes.
Value VectorLowering::lookUp(Value table, Value index) {
  auto type = cast<mlir::VectorType>(table.getType());
  int64_t size = type.getNumElements(), lanes = kernel.laneCount();
  if (size < lanes) {
    SmallVector<int32_t> padded(lanes, -1);
    std::iota(padded.begin(), padded.begin() + size, 0);
    table = emitter.shuffle(table, table, padded);
  }
  Value result = emitter.undefined(emitter.vector(lanes, type.getElementType()));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value number = emitter.constant(emitter.integer(32), lane);
    Value chosen = emitter.extract(table, emitter.extract(index, number));
    result = emitter.insert(result, chosen, number);
  }
  return result;
}

/// The element of a Loom vector that each element of the lowered `indices` asks for.
Value VectorLowering::lookUpAll(Value vector, Value indices) {
  bool isScalarTable = kernel.hasScalarForm(vector);
  // Nothing lies inside an empty table.
  if (isEmpty(vector))
    return emitter.undefined(vectorOf(count(indices), kernel.scalarType(elementTypeOf(vector))));
  Value table = isScalarTable ? kernel.scalarOf(vector) : operand(vector);
  int64_t size =
      isScalarTable ? cast<mlir::VectorType>(table.getType()).getNumElements() : count(table);
  SmallVector<Value> results;
  for (int64_t i = 0, e = count(indices); i < e; ++i) {
    Value index = element(indices, i);
    if (!kernel.inLanes) {
      results.push_back(emitter.extract(table, index));
    } else if (isScalarTable) {
      results.push_back(lookUp(table, index));
    } else {
      SmallVector<int64_t> shape = {size};
      results.push_back(shiftAxis(table, shape, 0, {index, {0, size - 1}}, 1));
    }
  }
  return kernel.fromElements(results, vector.getType());
}

/// Thresholds ascend, so that their number is that of the comparisons that hold.
void VectorLowering::lowerTableQuantize(VectorTableQuantizeOp op) {
  Type type = elementTypeOf(op.getInput()), code = elementTypeOf(op);
  Value input = floats.widen(kernel.get(op.getInput()), type);
  int64_t size = count(input), thresholds = 0;
  Type number = emitter.integer(getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth());
  Value sum = emitter.constant(vectorOf(size, number), 0);
  if (!isEmpty(op.getThresholds())) {
    Value limits = floats.widen(kernel.get(op.getThresholds()), type);
    thresholds = count(limits);
    FloatPredicate predicate =
        op.getTie() == QuantizeTie::lower ? FloatPredicate::olt : FloatPredicate::ole;
    for (int64_t i = 0; i < thresholds; ++i) {
      Value isBelow = emitter.compare(predicate, fill(element(limits, i), size), input);
      sum = emitter.binary(IntegerOp::Add, sum, emitter.zeroExtend(isBelow, number));
    }
  }
  if (op.getNan() == QuantizeNan::max)
    sum = emitter.select(emitter.compare(FloatPredicate::uno, input, input),
                         emitter.constant(sum.getType(), thresholds), sum);
  define(op, resize(sum, isa<IndexType>(code) ? 64 : code.getIntOrFloatBitWidth()));
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// One over the square root of a power of two.
static double inverseRoot(int64_t number) {
  constexpr double kHalfRoot = 0.70710678118654752440;
  int power = llvm::Log2_64(number);
  return std::ldexp(power % 2 ? kHalfRoot : 1.0, -(power / 2));
}

/// The normalization that a transform is known to have; nothing for an unknown transform.
static std::optional<bool> isOrthonormal(Value transform) {
  EncodingAttr known = getKnownEncoding(transform);
  if (!known || known.getFamily() != "transform.hadamard")
    return std::nullopt;
  auto word = dyn_cast_or_null<StringAttr>(known.getParams().get("normalization"));
  return word && word.getValue() == "orthonormal";
}

bool isTransformKnown(VectorTransformOp op) { return isOrthonormal(op.getTransform()).has_value(); }

void VectorLowering::lowerTransform(VectorTransformOp op) {
  Type type = elementTypeOf(op);
  int64_t extent = cast<VectorType>(op.getType()).getShape().back();
  Value vector = kernel.get(op.getVector());
  int64_t size = count(vector);
  auto combined = [&](FloatOp kind, Value a, Value b) {
    return floats.binary(kind, a, b, FastMathFlags::none, type);
  };
  for (int64_t stride = 1; stride < extent; stride *= 2) {
    SmallVector<int64_t> low, high, back;
    for (int64_t i = 0; i < size; ++i) {
      back.push_back((i & stride) ? size / 2 + high.size() : low.size());
      ((i & stride) ? high : low).push_back(i);
    }
    Value a = take(vector, low), b = take(vector, high);
    vector = take(combined(FloatOp::Add, a, b), combined(FloatOp::Sub, a, b), back);
  }
  if (*isOrthonormal(op.getTransform()))
    vector = combined(FloatOp::Mul, vector,
                      floats.constant(inverseRoot(extent), type, vector.getType()));
  define(op, vector);
}

bool VectorLowering::lowerTables(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorTableLookupOp o) {
        return define(o, lookUpAll(o.getTable(), operand(o.getIndices()))), true;
      })
      .Case([&](VectorTableQuantizeOp o) { return lowerTableQuantize(o), true; })
      .Case([&](VectorTransformOp o) { return lowerTransform(o), true; })
      .Case([&](VectorDecodeOp o) { return lowerDecode(o), true; })
      .Case([&](VectorEncodeOp o) { return lowerEncode(o), true; })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
