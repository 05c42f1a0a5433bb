//===- VectorFragment.cpp - Matrix fragments, encoding and decoding -------===//
#include "VectorRules.h"
#include "loom/Dialect/View/Access.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/MemoryRules.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Auxiliary operands
//===----------------------------------------------------------------------===//

namespace {
/// The operands in braces of a fragment, a decode or an encode.
struct Auxiliaries {
  OperandRange values;
  std::optional<ArrayAttr> keys;

  StringRef key(size_t i) const { return cast<StringAttr>((*keys)[i]).getValue(); }
  Value find(StringRef name) const {
    for (size_t i = 0; i < values.size(); ++i)
      if (key(i) == name)
        return values[i];
    return {};
  }
};
} // namespace

static constexpr llvm::StringLiteral kSchema = "schema";

/// Checks the keys and the kinds of the values. `takesSchema` when one of the keys is `schema`.
static LogicalResult verifyKeys(Operation *op, const Auxiliaries &auxiliaries, bool takesSchema) {
  size_t count = auxiliaries.keys ? auxiliaries.keys->size() : 0;
  if (count != auxiliaries.values.size())
    return emitCoded(op, DiagCode::StructureVariadic, "")
           << counted(auxiliaries.values.size(), "auxiliary operand") << " for "
           << counted(count, "key");
  for (auto [i, value] : llvm::enumerate(auxiliaries.values)) {
    StringRef key = auxiliaries.key(i);
    bool isSchema = takesSchema && key == kSchema;
    if (!isSchema && !isAuxiliaryKey(key)) {
      std::vector<std::string> known;
      for (StringRef word : auxiliaryKeys())
        known.push_back(word.str());
      std::string near = didYouMean(key, known);
      return emitCoded(atKey(op, key), DiagCode::EncodingAuxUnknown, "unknown auxiliary operand '")
             << key << "'" << (near.empty() ? "; there are " + llvm::join(known, ", ") : near);
    }
    auto encoding = dyn_cast<EncodingType>(value.getType());
    if (isSchema ? encoding && encoding.getRole() == EncodingRole::schema
                 : isa<VectorType>(value.getType()))
      continue;
    return emitCoded(atOperand(op, value), DiagCode::TypeOperand, "'")
           << key << "' of '" << getTextName(op) << "' has type " << spellType(value)
           << ", but it has to be " << (isSchema ? "encoding<schema>" : "a vector");
  }
  return success();
}

/// Checks that what `schema` is known to ask for is there.
static LogicalResult verifyRequired(Operation *op, const Auxiliaries &auxiliaries, Value schema) {
  EncodingAttr known = getKnownEncoding(schema);
  if (!known)
    return success();
  for (StringRef key : requiredAuxiliaryKeys(known))
    if (!auxiliaries.find(key))
      return emitCoded(op, DiagCode::EncodingAuxMissing, "the schema of '")
             << getTextName(op) << "' needs the auxiliary operand '" << key << "'";
  return success();
}

/// Checks the `using` clause of a fragment; `schema` becomes its schema, null without one.
static LogicalResult verifyUsing(Operation *op, const Auxiliaries &auxiliaries, Value &schema) {
  if (failed(verifyKeys(op, auxiliaries, /*takesSchema=*/true)))
    return failure();
  schema = auxiliaries.find(kSchema);
  if (schema || auxiliaries.values.empty())
    return success();
  return emitCoded(op, DiagCode::EncodingAuxMissing,
                   "auxiliary operands belong to a schema; 'using' has to name one as well");
}

//===----------------------------------------------------------------------===//
// Matrix fragments
//===----------------------------------------------------------------------===//

static LogicalResult verifyMatrix(Operation *op, OperandRange shape, ArrayRef<int64_t> extents) {
  size_t dynamic = llvm::count(extents, ShapedType::kDynamic);
  if (extents.size() < 2 || extents.size() > 3 || dynamic != shape.size())
    return emitCoded(op, DiagCode::SubrangeExtents,
                     "a matrix has two extents, or three with blocks");
  size_t next = 0;
  for (int64_t extent : extents) {
    Value value = ShapedType::isDynamic(extent) ? shape[next++] : Value();
    if (std::optional<int64_t> known = Extent{extent, value}.known(); known && *known < 1)
      return emitCoded(op, DiagCode::SubrangeExtents,
                       "an extent of a matrix is a positive number, not ")
             << *known;
  }
  return success();
}

LogicalResult VectorFragmentOp::verify() {
  Auxiliaries auxiliaries{getAuxiliaries(), getAuxiliaryKeys()};
  Value schema;
  if (failed(verifyMatrix(*this, getShape(), getStaticShape())) ||
      failed(verifyUsing(*this, auxiliaries, schema)) ||
      (schema && failed(verifyRequired(*this, auxiliaries, schema))))
    return failure();
  if (!getPredicates())
    return success();
  return verifyPredicates(*this, *getPredicates(), llvm::to_vector(getFacts().getTypes()),
                          getFacts().size());
}

LogicalResult VectorFragmentRepackOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  return verifyMatrix(*this, getShape(), getStaticShape());
}

/// Checks the place in memory of a fragment of the matrix `extents`, which has its axes in the last
/// ones of the view. Elements of a schema are others than those of the view: nothing is known of
/// how far they reach.
static LogicalResult verifyPlace(Operation *op, ViewType view, OperandRange indices,
                                 ArrayRef<int64_t> staticIndices, ArrayRef<int64_t> extents,
                                 bool hasSchema) {
  size_t matrixRank = extents.size();
  if (view.getShape().size() < matrixRank)
    return emitCoded(op, DiagCode::SubrangeRank, "'")
           << getTextName(op) << "' needs a view of at least " << matrixRank << " dimensions"
           << (matrixRank == 3 ? " for blocks" : "") << ", not " << spellType(op, view);
  SmallVector<int64_t> footprint;
  for (int64_t extent : hasSchema ? ArrayRef<int64_t>() : extents)
    footprint.push_back(ShapedType::isDynamic(extent) ? 1 : extent);
  return verifyIndices(op, view, view.getShape(), indices, staticIndices, /*linear=*/false,
                       footprint);
}

LogicalResult VectorFragmentLoadOp::verify() {
  Auxiliaries auxiliaries{getAuxiliaries(), getAuxiliaryKeys()};
  auto view = cast<ViewType>(getView().getType());
  Value schema;
  if (failed(verifyDims(*this, getDims())) ||
      failed(verifyMatrix(*this, getShape(), getStaticShape())) ||
      failed(verifyUsing(*this, auxiliaries, schema)) ||
      failed(verifyPlace(*this, view, getIndices(), getStaticIndices(), getStaticShape(),
                         bool(schema))) ||
      failed(verifyCache(*this, getCacheScope(), getCacheTemporal(), CacheUse::Load)))
    return failure();
  if (!schema)
    return success();
  std::optional<SchemaInfo> info;
  if (EncodingAttr known = getKnownEncoding(schema))
    info = describeSchema(known);
  if (!info || !info->record)
    return verifyRequired(*this, auxiliaries, schema);
  // The record holds its scales itself.
  if (view.getElementType().isInteger(8))
    return success();
  return emitCoded(*this, DiagCode::TypeElement, "records of #")
         << info->record->family << " are read from a view of i8, not from "
         << spellType(*this, view);
}

LogicalResult VectorFragmentStoreOp::verify() {
  if (failed(verifyMatrix(*this, getShape(), getStaticShape())) ||
      failed(verifyPlace(*this, cast<ViewType>(getView().getType()), getIndices(),
                         getStaticIndices(), getStaticShape(), /*hasSchema=*/false)))
    return failure();
  return verifyCache(*this, getCacheScope(), getCacheTemporal(), CacheUse::Store);
}

LogicalResult VectorMmaOp::verify() {
  if (!getSaturate() || isIntegerScalar(elementType(getInitial())))
    return success();
  return emitCoded(*this, DiagCode::StructureValue,
                   "'saturate' clamps integers, but this matrix product adds to ")
         << getInitial().getType();
}

//===----------------------------------------------------------------------===//
// Encoding and decoding
//===----------------------------------------------------------------------===//

/// How many scales the elements of `payload` have, when that follows from the schema: they lie one
/// in each lane, and the schema describes all of them.
static std::optional<int64_t> countScales(const SchemaInfo &info, VectorType payload) {
  ArrayRef<int64_t> shape = payload.getShape(), group = info.scaleGroupShape;
  if (llvm::any_of(group, [](int64_t extent) { return extent < 1; }))
    return std::nullopt;
  if (info.record || info.payloadPacking != "dense_lanes" || shape.empty() || shape.size() > 2 ||
      ShapedType::isDynamicShape(shape) ||
      ShapedType::getNumElements(shape) != info.payloadElements)
    return std::nullopt;
  int64_t rows = shape.size() == 2 ? shape[0] : 1, columns = shape.back();
  StringRef topology = info.scaleTopology;
  if (topology == "none" || topology == "tensor_global")
    return 1;
  if (topology == "row")
    return rows;
  if (topology == "column")
    return columns;
  if ((topology == "group_1d" || topology == "block_1d") && group.size() == 1)
    return llvm::divideCeil(rows * columns, group[0]);
  if (topology == "block_2d" && group.size() == 2)
    return llvm::divideCeil(rows, group[0]) * llvm::divideCeil(columns, group[1]);
  return std::nullopt;
}

/// Checks the types of what belongs to the elements of `payload` against the schema.
static LogicalResult verifyAuxiliaryTypes(Operation *op, const Auxiliaries &auxiliaries,
                                          const SchemaInfo &info, VectorType payload) {
  std::optional<int64_t> count = countScales(info, payload);
  for (auto [i, value] : llvm::enumerate(auxiliaries.values)) {
    StringRef key = auxiliaries.key(i);
    if (!llvm::is_contained({"scale", "zero_point", "minimum", "bias"}, key))
      continue;
    auto type = cast<VectorType>(value.getType());
    StringRef format = key == "scale"        ? info.scaleFormat
                       : key == "zero_point" ? info.elementFormat
                                             : StringRef();
    Type element = getScalarOfFormat(format, op->getContext());
    bool isOfElement = !element || type.getElementType() == element;
    bool isOfCount = !count || ShapedType::isDynamicShape(type.getShape()) ||
                     type.getShape() == ArrayRef<int64_t>(*count);
    if (isOfElement && isOfCount)
      continue;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::EncodingParamType, "'");
    diag << key << "' of '" << getTextName(op) << "' has type " << spellType(op, type)
         << ", but its schema asks for ";
    if (!count)
      return diag << "elements of " << element;
    return diag << Type(VectorType::get(op->getContext(), ArrayRef<int64_t>(*count),
                                        element ? element : type.getElementType()));
  }
  return success();
}

template <typename OpT> static LogicalResult verifyCoding(OpT op, Value payload) {
  Auxiliaries auxiliaries{op.getAuxiliaries(), op.getAuxiliaryKeys()};
  if (failed(verifyDims(op, op.getDims())) ||
      failed(verifyKeys(op, auxiliaries, /*takesSchema=*/false)) ||
      failed(verifyRequired(op, auxiliaries, op.getSchema())))
    return failure();
  std::optional<SchemaInfo> info = describeSchema(getKnownEncoding(op.getSchema()));
  return success(!info || succeeded(verifyAuxiliaryTypes(op, auxiliaries, *info,
                                                         cast<VectorType>(payload.getType()))));
}

LogicalResult VectorDecodeOp::verify() { return verifyCoding(*this, getPayload()); }
LogicalResult VectorEncodeOp::verify() { return verifyCoding(*this, getResult()); }

} // namespace loom
