//===- LowerVectorCoding.cpp - Encoding and decoding ----------------------===//
//
// The arithmetic of schemas: for each element the payload is converted to the type of the result, a
// zero point is subtracted, a scale multiplied, a minimum or bias added, each step rounded in that
// type. Lowered are payloads with one element per lane, and the records of which every element is
// such a product: #ggml.q8_0 and #ggml.q4_0. How the other records combine their scales is not
// settled by the reference.
//
//===----------------------------------------------------------------------===//
#include "LowerVectorCoding.h"
#include "LowerVector.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/IR/Encodings.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace loom::lowering {

//===----------------------------------------------------------------------===//
// What is supported
//===----------------------------------------------------------------------===//

namespace {

/// Reads a coding operation; the first thing that stands in the way becomes `condition`.
class CodingReader {
public:
  CodingReader(Value payload, Value logical, Value schema, OperandRange auxiliaries,
               std::optional<ArrayAttr> keys)
      : payload(cast<VectorType>(payload.getType())), logical(cast<VectorType>(logical.getType())),
        schema(schema), auxiliaries(auxiliaries), keys(keys) {}

  bool read(bool isEncode);

  CodingPlan plan;
  std::string condition;

private:
  bool refuse(const Twine &why) {
    condition = (" " + why).str();
    return false;
  }
  bool readRecord(bool isEncode);
  bool readPolicies();
  bool readFormat(bool isEncode);
  bool readScales();
  bool readAuxiliaries();

  VectorType payload, logical;
  Value schema;
  OperandRange auxiliaries;
  std::optional<ArrayAttr> keys;
  SchemaInfo info;
};

} // namespace

bool CodingReader::read(bool isEncode) {
  std::optional<SchemaInfo> known = describeSchema(getKnownEncoding(schema));
  if (!known)
    return refuse("with a schema that is not known when the kernel is compiled");
  info = *known;
  if (info.record)
    return readRecord(isEncode);
  if (payload.getShape() != logical.getShape() || payload.getShape().size() > 2)
    return refuse("unless payload and values have one shape of one or two dimensions");
  int64_t elements = ShapedType::getNumElements(payload.getShape());
  if (info.payloadElements != elements)
    return refuse("for " + Twine(elements) + " elements with a schema of " +
                  Twine(info.payloadElements));
  return readPolicies() && readFormat(isEncode) && readScales() && readAuxiliaries();
}

/// Records: 32 elements have one scale.
bool CodingReader::readRecord(bool isEncode) {
  StringRef family = info.record->family;
  int64_t lanes = ShapedType::getNumElements(payload.getShape());
  int64_t elements = ShapedType::getNumElements(logical.getShape());
  bool isNibbles = family == "ggml.q4_0";
  if (isEncode || (!isNibbles && family != "ggml.q8_0"))
    return refuse("with the schema #" + family);
  plan.isPacked = isNibbles && elements == 2 * lanes;
  if (!payload.getElementType().isInteger(8) || !isFloatScalar(logical.getElementType()) ||
      (elements != lanes && !plan.isPacked) || (plan.isPacked && elements % 32 != 0))
    return refuse("with the schema #" + family + " unless it makes floats of as many lanes of i8" +
                  (isNibbles ? " or of pairs in records of 32" : ""));
  plan.offset = isNibbles ? 8 : 0;
  plan.isUnsigned = isNibbles;
  for (int64_t i = 0; i < elements; ++i)
    plan.scaleIndex.push_back(i / info.record->elements);
  return readAuxiliaries();
}

bool CodingReader::readPolicies() {
  static constexpr StringLiteral affine[] = {"none", "scale_only", "scale_plus_min",
                                             "scale_plus_zero_point", "scale_plus_bias"};
  if (info.payloadPacking != "dense_lanes")
    return refuse("with the payload packing " + info.payloadPacking);
  if (!llvm::is_contained(affine, info.affine))
    return refuse("with the affine policy " + info.affine);
  if (info.secondaryScaleFormat != "none" || info.scaleOperands > 1)
    return refuse("with more than one scale");
  if (info.sparsity != "none")
    return refuse("with the sparsity " + info.sparsity);
  if (info.zeroScaleFallback)
    return refuse("with zero_scale_fallback");
  bool isCodebook = info.elementFormat == "codebook_index";
  if (info.codebook != (isCodebook ? "dynamic_table_operand" : "none"))
    return refuse("with the codebook " + info.codebook + " for elements of " + info.elementFormat);
  return true;
}

bool CodingReader::readFormat(bool isEncode) {
  Type lane = payload.getElementType(), value = logical.getElementType();
  bool isCodebook = info.elementFormat == "codebook_index";
  Type own = isCodebook ? lane : getScalarOfFormat(info.elementFormat, lane.getContext());
  if (own != lane || (isCodebook && !isIntegerScalar(lane)))
    return refuse("with elements of " + info.elementFormat + " in lanes of " + stringifyType(lane));
  plan.isUnsigned = isCodebook || info.elementFormat.starts_with("u");
  bool isPlain = info.affine == "none" && info.scaleOperands == 0;
  if (!isFloatScalar(value) && (!isPlain || isFloatScalar(lane)))
    return refuse("for values of " + stringifyType(value));
  if (!isEncode)
    return true;
  for (StringRef word : info.rounding)
    if (word != "nearest_even" && !(word == "finite_only" && isa<Float8E4M3FNType>(lane)))
      return refuse("with the rounding " + word);
  if (!isFloatScalar(lane))
    return refuse("to lanes of " + stringifyType(lane));
  return true;
}

/// Which scale belongs to which element.
bool CodingReader::readScales() {
  ArrayRef<int64_t> shape = payload.getShape(), group = info.scaleGroupShape;
  int64_t rows = shape.size() == 2 ? shape[0] : 1, columns = shape.back();
  StringRef topology = info.scaleTopology;
  bool isBlock = topology == "block_2d";
  bool isGroup = topology == "group_1d" || topology == "block_1d";
  bool isOne = topology == "none" || topology == "tensor_global";
  if (!isBlock && !isGroup && !isOne && topology != "row" && topology != "column")
    return refuse("with the scale topology " + topology);
  if ((isBlock && group.size() != 2) || (isGroup && group.size() != 1))
    return refuse("without the extents of a group of scales");
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      int64_t index = 0;
      if (topology == "row")
        index = row;
      else if (topology == "column")
        index = column;
      else if (isGroup)
        index = (row * columns + column) / group[0];
      else if (isBlock)
        index = row / group[0] * llvm::divideCeil(columns, group[1]) + column / group[1];
      plan.scaleIndex.push_back(index);
    }
  if (info.scaleOperands == 0)
    return true;
  Type scale = getScalarOfFormat(info.scaleFormat, payload.getContext());
  if (!scale || !isFloatScalar(scale) || scale.isF64())
    return refuse("with scales of " + info.scaleFormat);
  return true;
}

/// Finds the operands of the steps; each has one axis and an element for every scale.
bool CodingReader::readAuxiliaries() {
  int64_t needed = 1;
  for (int64_t index : plan.scaleIndex)
    needed = std::max(needed, index + 1);
  Type scale = getScalarOfFormat(info.scaleFormat, payload.getContext());
  for (auto [i, value] : llvm::enumerate(auxiliaries)) {
    StringRef key = cast<StringAttr>((*keys)[i]).getValue();
    Value *place = llvm::StringSwitch<Value *>(key)
                       .Case("scale", &plan.scale)
                       .Case("zero_point", &plan.zeroPoint)
                       .Cases({"minimum", "bias"}, &plan.addend)
                       .Case("codebook", &plan.codebook)
                       .Default(nullptr);
    auto type = cast<VectorType>(value.getType());
    if (!place || !llvm::is_contained(requiredAuxiliaryKeys(getKnownEncoding(schema)), key))
      return refuse("with the auxiliary operand '" + key + "'");
    if (type.getShape().size() != 1 || (key != "codebook" && type.getShape()[0] < needed))
      return refuse("with '" + key + "' unless it has one dimension and " + Twine(needed) +
                    " elements");
    Type own = key == "scale" ? scale : key == "zero_point" ? payload.getElementType() : Type();
    if (own && own != type.getElementType())
      return refuse("with '" + key + "' of " + stringifyType(type.getElementType()) + ", not " +
                    stringifyType(own));
    if (!isPayloadScalar(type.getElementType()))
      return refuse("with '" + key + "' of " + stringifyType(type.getElementType()));
    *place = value;
  }
  return true;
}

template <typename OpT> static CodingReader readerOf(OpT op, Value payload, Value logical) {
  return CodingReader(payload, logical, op.getSchema(), op.getAuxiliaries(), op.getAuxiliaryKeys());
}

bool isCodingSupported(Operation *op, std::string &condition) {
  auto decode = dyn_cast<VectorDecodeOp>(op);
  CodingReader reader = decode ? readerOf(decode, decode.getPayload(), decode.getResult())
                               : readerOf(cast<VectorEncodeOp>(op), op->getResult(0),
                                          cast<VectorEncodeOp>(op).getVector());
  if (reader.read(/*isEncode=*/!decode))
    return true;
  condition = reader.condition;
  return false;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// A lowered value of Loom elements `from` with elements `to`; not from a float to an integer.
Value VectorLowering::converted(Value value, Type from, Type to, bool isSigned) {
  if (from == to)
    return value;
  if (!isFloatScalar(to))
    return resize(value, to.getIntOrFloatBitWidth(), isSigned);
  return isFloatScalar(from) ? floats.convert(value, from, to)
                             : floats.fromInteger(value, to, isSigned);
}

/// One element of an auxiliary vector for each element of the values, in their type.
Value VectorLowering::auxiliary(Value vector, const CodingPlan &plan, Type type, bool isSigned) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  return take(converted(kernel.get(vector), element, type, isSigned), plan.scaleIndex);
}

/// Element i of a block of 32 is in byte i mod 16: the first 16 in the low halves.
Value VectorLowering::unpackNibbles(Value bytes) {
  int64_t size = count(bytes);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < 2 * size; ++i)
    order.push_back(i % 32 / 16 * size + i / 32 * 16 + i % 16);
  return take(field(bytes, 0, 4, false), field(bytes, 4, 4, false), order);
}

void VectorLowering::lowerDecode(VectorDecodeOp op) {
  CodingReader reader = readerOf(op, op.getPayload(), op.getResult());
  reader.read(/*isEncode=*/false);
  const CodingPlan &plan = reader.plan;
  Type lane = cast<VectorType>(op.getPayload().getType()).getElementType();
  Type type = cast<VectorType>(op.getType()).getElementType();
  Value value = kernel.get(op.getPayload());
  auto step = [&](FloatOp kind, Value other) {
    value = floats.binary(kind, value, other, FastMathFlags::none, type);
  };
  if (plan.isPacked)
    value = unpackNibbles(value);
  if (plan.codebook) {
    Type entry = cast<VectorType>(plan.codebook.getType()).getElementType();
    value = converted(lookUpAll(plan.codebook, value), entry, type, /*isSigned=*/true);
  } else {
    value = converted(value, lane, type, !plan.isUnsigned);
  }
  if (plan.offset)
    step(FloatOp::Sub, floats.constant(plan.offset, type, value.getType()));
  if (plan.zeroPoint)
    step(FloatOp::Sub, auxiliary(plan.zeroPoint, plan, type, !plan.isUnsigned));
  if (plan.scale)
    step(FloatOp::Mul, auxiliary(plan.scale, plan, type, true));
  if (plan.addend)
    step(FloatOp::Add, auxiliary(plan.addend, plan, type, true));
  define(op, value);
}

void VectorLowering::lowerEncode(VectorEncodeOp op) {
  CodingReader reader = readerOf(op, op.getResult(), op.getVector());
  reader.read(/*isEncode=*/true);
  const CodingPlan &plan = reader.plan;
  Type lane = cast<VectorType>(op.getType()).getElementType();
  Type type = cast<VectorType>(op.getVector().getType()).getElementType();
  Value value = kernel.get(op.getVector());
  auto step = [&](FloatOp kind, Value other) {
    value = floats.binary(kind, value, other, FastMathFlags::none, type);
  };
  if (plan.addend)
    step(FloatOp::Sub, auxiliary(plan.addend, plan, type, true));
  if (plan.scale)
    step(FloatOp::Div, auxiliary(plan.scale, plan, type, true));
  if (plan.zeroPoint)
    step(FloatOp::Add, auxiliary(plan.zeroPoint, plan, type, !plan.isUnsigned));
  define(op, converted(value, type, lane, true));
}

} // namespace loom::lowering
