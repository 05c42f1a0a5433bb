//===- EncodingMeaning.cpp - What encodings say ---------------------------===//
#include "EncodingFamilies.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace loom {
using namespace mlir;
using llvm::StringLiteral;

/// The words of a rounding set in the order of the table; none for `none`.
static SmallVector<StringRef> roundingWords(Attribute value) {
  SmallVector<StringRef> given, words;
  asWord(value, "").split(given, '|');
  for (StringRef word : roundingPolicies().drop_front())
    if (llvm::is_contained(given, word))
      words.push_back(word);
  return words;
}

/// Whether a parameter of a schema says what its absence says.
static bool isDefault(StringRef name, Attribute value) {
  if (name == "element_format" || name == "payload_elements" || name == "payload_packing")
    return false;
  if (auto flag = dyn_cast<BoolAttr>(value))
    return !flag.getValue();
  return asWord(value, "") == "none" || asInteger(value) == 0;
}

EncodingAttr normalizeEncoding(EncodingAttr encoding) {
  MLIRContext *context = encoding.getContext();
  Builder b(context);
  StringRef family = encoding.getFamily().getValue();
  NamedAttrList params;
  if (getEncodingRole(encoding) != EncodingRole::schema || findRecord(family)) {
    for (NamedAttribute entry : encoding.getParams()) {
      auto nested = dyn_cast<EncodingAttr>(entry.getValue());
      params.append(entry.getName(), nested ? normalizeEncoding(nested) : entry.getValue());
    }
    return EncodingAttr::get(context, encoding.getFamily(), params.getDictionary(context));
  }
  StringRef format = getShortFormat(family);
  for (NamedAttribute entry : encoding.getParams()) {
    StringRef name = entry.getName().getValue();
    if (isDefault(name, entry.getValue()))
      continue;
    Attribute value = entry.getValue();
    if (name == "rounding")
      value = b.getStringAttr(llvm::join(roundingWords(value), "|"));
    if (name == "scale_group_elements") {
      name = "scale_group_shape";
      value = b.getDenseI64ArrayAttr(asInteger(value).value_or(0));
    }
    params.append(name, value);
  }
  if (!format.empty())
    params.append("element_format", b.getStringAttr(format));
  if (!format.empty() && !params.get("payload_elements"))
    params.append("payload_elements", b.getI64IntegerAttr(1));
  if (!params.get("payload_packing"))
    params.append("payload_packing",
                  b.getStringAttr(format.empty() ? "target_fragment" : "dense_lanes"));
  return EncodingAttr::get(context, b.getStringAttr("encoding.operand"),
                           params.getDictionary(context));
}

static SchemaInfo describeRecord(const RecordFamily &family) {
  SchemaInfo info;
  info.elementFormat = family.elementFormat;
  info.payloadPacking = family.packing;
  info.payloadElements = family.record.elements;
  info.scaleFormat = family.scaleFormat;
  info.secondaryScaleFormat = family.secondaryFormat;
  info.scaleTopology = family.topology;
  info.scaleGroupShape = {family.group};
  info.affine = family.affine;
  info.scaleOperands = family.scaleOperands;
  info.codebook = info.sparsity = "none";
  info.record = &family.record;
  return info;
}

std::optional<SchemaInfo> describeSchema(EncodingAttr encoding) {
  if (!encoding || checkCompleteEncoding(encoding) ||
      getEncodingRole(encoding) != EncodingRole::schema)
    return std::nullopt;
  if (const RecordFamily *record = findRecord(encoding.getFamily().getValue()))
    return describeRecord(*record);
  DictionaryAttr params = normalizeEncoding(encoding).getParams();
  SchemaInfo info;
  info.elementFormat = asWord(params.get("element_format"));
  info.payloadPacking = asWord(params.get("payload_packing"));
  info.affine = asWord(params.get("affine"));
  info.codebook = asWord(params.get("codebook"));
  info.sparsity = asWord(params.get("sparsity"));
  info.scaleFormat = asWord(params.get("scale_format"));
  info.secondaryScaleFormat = asWord(params.get("secondary_scale_format"));
  info.scaleTopology = asWord(params.get("scale_topology"));
  info.rounding = roundingWords(params.get("rounding"));
  info.payloadElements = asInteger(params.get("payload_elements")).value_or(1);
  info.payloadRegisters = asInteger(params.get("payload_registers")).value_or(0);
  info.scaleOperands = asInteger(params.get("scale_operands")).value_or(0);
  if (auto shape = dyn_cast_or_null<DenseI64ArrayAttr>(params.get("scale_group_shape")))
    info.scaleGroupShape.assign(shape.asArrayRef().begin(), shape.asArrayRef().end());
  info.zeroScaleFallback = params.contains("zero_scale_fallback");
  return info;
}

SmallVector<StringRef> requiredAuxiliaryKeys(EncodingAttr schema) {
  std::optional<SchemaInfo> info = describeSchema(schema);
  if (!info)
    return {};
  if (info->record) {
    ArrayRef<StringLiteral> needs = findRecord(info->record->family)->needs;
    return SmallVector<StringRef>(needs.begin(), needs.end());
  }
  auto needs = [&](size_t i) -> bool {
    StringRef key = auxiliaryKeys()[i];
    if (i < static_cast<size_t>(kMaxScales))
      return static_cast<int64_t>(i) < info->scaleOperands;
    return (key == "zero_point" && info->affine == "scale_plus_zero_point") ||
           (key == "minimum" && info->affine == "scale_plus_min") ||
           (key == "bias" && info->affine == "scale_plus_bias") ||
           (key == "sum_correction" && info->affine == "sum_correction") ||
           (key == "codebook" && info->codebook == "dynamic_table_operand") ||
           (key == "sparsity" && info->sparsity != "none") ||
           (key == "amax" && info->scaleTopology == "runtime_amax_derived");
  };
  SmallVector<StringRef> keys;
  for (auto [i, key] : llvm::enumerate(auxiliaryKeys()))
    if (needs(i))
      keys.push_back(key);
  return keys;
}

/// The layout itself, when `layout` is a storage encoding around one.
static Attribute stripStorage(Attribute layout) {
  auto encoding = dyn_cast_or_null<EncodingAttr>(layout);
  if (encoding && encoding.getFamily() == "encoding.storage")
    return encoding.getParams().get("layout");
  return layout;
}

bool isDenseLayout(Attribute layout) {
  auto encoding = dyn_cast_or_null<EncodingAttr>(layout);
  return !layout || (encoding && encoding.getFamily() == "encoding.layout.dense");
}

std::optional<ArrayRef<int64_t>> getStaticStrides(Attribute layout) {
  auto encoding = dyn_cast_or_null<EncodingAttr>(stripStorage(layout));
  if (!encoding || encoding.getFamily() != "encoding.layout.strided")
    return std::nullopt;
  auto strides = dyn_cast_or_null<DenseI64ArrayAttr>(encoding.getParams().get("strides"));
  if (!strides)
    return std::nullopt;
  return strides.asArrayRef();
}

std::optional<int64_t> getElementSpan(ShapedType type) {
  Attribute layout = getTypeLayout(type);
  std::optional<ArrayRef<int64_t>> strides = getStaticStrides(layout);
  bool dense = isDenseLayout(layout) || isDenseLayout(stripStorage(layout));
  if (!type.hasStaticShape() || (!strides && !dense) ||
      (strides && strides->size() != type.getShape().size()))
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  std::optional<int64_t> span = 1;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (span && strides)
      span = llvm::checkedMulAdd<int64_t>(extent - 1, (*strides)[i], *span);
    else if (span)
      span = llvm::checkedMul<int64_t>(*span, extent);
  }
  return span;
}

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

ParseResult parseEncodingSpec(OpAsmParser &parser, EncodingAttr &spec) {
  return text(parser).parseEncoding(spec);
}

void printEncodingSpec(OpAsmPrinter &printer, Operation *, EncodingAttr spec) {
  printer.printAttribute(spec);
}

ParseResult parseOperandDict(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &values,
                             SmallVectorImpl<Type> &types, ArrayAttr &keys) {
  struct Entry {
    StringRef key;
    UnresolvedOperand value;
    Type type;
  };
  SmallVector<Entry> entries;
  ParseResult parsed =
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
        Entry entry;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeyword(&entry.key) || parser.parseEqual() ||
            parser.parseOperand(entry.value) || parser.parseColon() ||
            parseUseType(parser, entry.type, entry.value))
          return failure();
        if (llvm::any_of(entries, [&](const Entry &other) { return other.key == entry.key; }))
          return text(parser).emitCoded(loc, DiagCode::ParseRedefinition, "'")
                 << entry.key << "' is given twice";
        entries.push_back(entry);
        return success();
      });
  if (parsed)
    return failure();
  llvm::sort(entries, [](const Entry &a, const Entry &b) { return a.key < b.key; });
  SmallVector<StringRef> names;
  for (const Entry &entry : entries) {
    names.push_back(entry.key);
    values.push_back(entry.value);
    types.push_back(entry.type);
  }
  keys = parser.getBuilder().getStrArrayAttr(names);
  return success();
}

void printOperandDict(OpAsmPrinter &printer, Operation *op, OperandRange values, TypeRange types,
                      ArrayAttr keys) {
  if (values.empty())
    return;
  printer << " {";
  for (auto [i, value] : llvm::enumerate(values)) {
    printer << (i ? ", " : "") << cast<StringAttr>(keys[i]).getValue() << " = " << value << " : ";
    printUseType(printer, op, types[i], value);
  }
  printer << '}';
}

} // namespace loom
