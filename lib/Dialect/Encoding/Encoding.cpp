//===- Encoding.cpp - The `encoding` dialect ------------------------------===//
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {

static mlir::ParseResult
parseStrideList(mlir::OpAsmParser &parser,
                llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &strides,
                mlir::DenseI64ArrayAttr &staticStrides);
static void printStrideList(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            mlir::OperandRange strides, mlir::DenseI64ArrayAttr staticStrides);
static mlir::ParseResult parseSchemaMatch(mlir::OpAsmParser &parser, mlir::StringAttr &format,
                                          mlir::StringAttr &packing, mlir::StringAttr &affine);
static void printSchemaMatch(mlir::OpAsmPrinter &printer, mlir::Operation *,
                             mlir::StringAttr format, mlir::StringAttr packing,
                             mlir::StringAttr affine);

} // namespace loom

using namespace mlir;
#include "loom/Dialect/Encoding/EncodingDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Encoding/EncodingOps.cpp.inc"

namespace loom {

void EncodingDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Encoding/EncodingOps.cpp.inc"
      >();
}

// What folds here is an answer of `isa` or `matches`.
Operation *EncodingDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                Location loc) {
  auto answer = dyn_cast<IntegerAttr>(value);
  if (!answer || answer.getType() != type || !type.isInteger(1))
    return nullptr;
  return ScalarConstantOp::create(builder, loc, type, answer);
}

// The parser reads an alias as a statement of the module (Parser::parseAlias).
ParseResult EncodingAliasOp::parse(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getNameLoc(), "an alias is written #name = #family<...>");
}

void EncodingAliasOp::print(OpAsmPrinter &printer) {
  printer << " = ";
  printTextAttribute(printer.getStream(), getEncoding());
}

std::string EncodingAliasOp::getStatementWord() { return "#" + getName().str(); }

//===----------------------------------------------------------------------===//
// What is known of encodings
//===----------------------------------------------------------------------===//

/// `define` with the values of its parameters put in, when all of them are known.
static EncodingAttr completeDefine(EncodingDefineOp op) {
  NamedAttrList params(op.getSpec().getParams());
  for (auto [key, value] : llvm::zip(op.getKeys().getAsRange<StringAttr>(), op.getParams())) {
    EncodingAttr known =
        isa<EncodingType>(value.getType()) ? getKnownEncoding(value) : EncodingAttr();
    if (!known)
      return {};
    params.set(key, known);
  }
  return EncodingAttr::get(op.getContext(), op.getSpec().getFamily(),
                           params.getDictionary(op.getContext()));
}

/// Promises that are looked through, one after another; behind that many nothing is known.
static constexpr unsigned kMaxPromises = 64;

/// The value behind promises that do not say what the whole encoding is.
static Value stripPromises(Value value) {
  for (unsigned i = 0; i < kMaxPromises; ++i) {
    if (auto strided = value.getDefiningOp<EncodingLayoutAssumeStridedOp>())
      value = strided.getInput();
    else if (auto match = value.getDefiningOp<EncodingAssumeMatchOp>())
      value = match.getInput();
    else
      break;
  }
  return value;
}

EncodingAttr getKnownEncoding(Value value) {
  Operation *op = stripPromises(value).getDefiningOp();
  if (!op)
    return {};
  Builder b(op->getContext());
  auto make = [&](StringRef family, DictionaryAttr params) {
    return EncodingAttr::get(op->getContext(), b.getStringAttr(family), params);
  };
  return llvm::TypeSwitch<Operation *, EncodingAttr>(op)
      .Case<EncodingLayoutDenseOp, EncodingLayoutAssumeDenseOp>(
          [&](auto) { return make("encoding.layout.dense", b.getDictionaryAttr({})); })
      .Case([&](EncodingLayoutStridedOp o) {
        if (!o.getStrides().empty())
          return EncodingAttr();
        return make("encoding.layout.strided",
                    b.getDictionaryAttr(b.getNamedAttr("strides", o.getStaticStridesAttr())));
      })
      .Case([](EncodingDefineOp o) { return completeDefine(o); })
      .Case([](EncodingAssumeSpecOp o) { return o.getSpec(); })
      .Default([](Operation *) { return EncodingAttr(); });
}

static void setStrides(LayoutInfo &info, SmallVector<OpFoldResult> strides) {
  info.kind = LayoutInfo::Strided;
  info.rank = strides.size();
  info.strides = std::move(strides);
}

LayoutInfo getLayoutInfo(Attribute layout) {
  LayoutInfo info;
  auto encoding = dyn_cast_or_null<EncodingAttr>(layout);
  if (encoding && encoding.getFamily() == "encoding.storage") {
    info = getLayoutInfo(encoding.getParams().get("layout"));
    info.schema = dyn_cast_or_null<EncodingAttr>(encoding.getParams().get("schema"));
    info.isEncoded = true;
    return info;
  }
  if (isDenseLayout(layout)) {
    info.kind = LayoutInfo::Dense;
    return info;
  }
  if (std::optional<ArrayRef<int64_t>> strides = getStaticStrides(layout)) {
    Builder b(layout.getContext());
    setStrides(info, llvm::map_to_vector(*strides, [&](int64_t stride) {
                 return OpFoldResult(b.getI64IntegerAttr(stride));
               }));
  }
  return info;
}

/// A storage encoding whose parts are values.
static LayoutInfo getStorageInfo(EncodingDefineOp op) {
  LayoutInfo info = getLayoutInfo(Attribute(op.getSpec()));
  for (auto [key, value] : llvm::zip(op.getKeys().getAsRange<StringAttr>(), op.getParams())) {
    if (!isa<EncodingType>(value.getType()))
      continue;
    if (key == "schema") {
      info.schema = getKnownEncoding(value);
    } else if (key == "layout") {
      LayoutInfo layout = getLayoutInfo(value);
      layout.schema = info.schema;
      layout.isEncoded = true;
      info = layout;
    }
  }
  return info;
}

LayoutInfo getLayoutInfo(Value layout) {
  if (EncodingAttr known = getKnownEncoding(layout))
    return getLayoutInfo(Attribute(known));
  LayoutInfo info;
  Value behind = stripPromises(layout);
  if (auto strided = behind.getDefiningOp<EncodingLayoutStridedOp>())
    setStrides(info, strided.getMixedStrides());
  auto define = behind.getDefiningOp<EncodingDefineOp>();
  if (define && define.getSpec().getFamily() == "encoding.storage")
    info = getStorageInfo(define);
  if (auto promise = layout.getDefiningOp<EncodingLayoutAssumeStridedOp>()) {
    info.kind = LayoutInfo::Strided;
    info.rank = promise.getRank();
  }
  return info;
}

LayoutInfo getViewLayout(Value view) {
  Attribute layout = getTypeLayout(view.getType());
  if (!isa_and_nonnull<DynamicLayoutAttr>(layout))
    return getLayoutInfo(layout);
  SmallVector<Value> dims = getDynamicDims(view);
  if (dims.size() != countSlots(view.getType()) || !isa<EncodingType>(dims.back().getType()))
    return {};
  return getLayoutInfo(dims.back());
}

Type getScalarOfFormat(StringRef format, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(format)
      .Case("f64", b.getF64Type())
      .Case("f32", b.getF32Type())
      .Case("f16", b.getF16Type())
      .Case("bf16", b.getBF16Type())
      .Case("f8e4m3fn", Float8E4M3FNType::get(context))
      .Case("f8e5m2", Float8E5M2Type::get(context))
      .Cases({"i32", "u32"}, b.getI32Type())
      .Cases({"i16", "u16"}, b.getIntegerType(16))
      .Cases({"i8", "u8", "quant_i8"}, b.getI8Type())
      .Cases({"i1", "u1"}, b.getI1Type())
      .Default(Type());
}

LogicalResult verifyTypeLayout(Operation *op, Type type, ValueRange dims) {
  if (std::optional<EncodingProblem> problem = checkTypeEncoding(type))
    return emitCoded(op, problem->code, problem->message);
  if (!isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type)) || dims.empty())
    return success();
  auto encoding = dyn_cast<EncodingType>(dims.back().getType());
  bool isView = isa<ViewType>(type);
  EncodingRole role = encoding ? encoding.getRole() : EncodingRole::transform;
  if (role == EncodingRole::transform || (isView && role == EncodingRole::schema))
    return emitCoded(op, DiagCode::EncodingAxis, "the layout of ")
           << type << " has type " << dims.back().getType()
           << ", but it has to be a layout or a storage encoding";
  LayoutInfo info = getLayoutInfo(dims.back());
  size_t rank = cast<ShapedType>(type).getShape().size();
  if (!info.rank || *info.rank == rank)
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::ShapeMismatch, "a layout of ");
  diag << counted(*info.rank, "stride") << " for a type of " << counted(rank, "dimension");
  diag.attachNote(dims.back().getLoc()) << "the layout is defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static ParseResult parseStrideList(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &strides,
                                   DenseI64ArrayAttr &staticStrides) {
  SmallVector<int64_t> values;
  auto parseStride = [&](bool required) -> OptionalParseResult {
    UnresolvedOperand operand;
    OptionalParseResult isValue = parser.parseOptionalOperand(operand);
    if (isValue.has_value()) {
      strides.push_back(operand);
      values.push_back(ShapedType::kDynamic);
      return isValue;
    }
    SMLoc loc = parser.getCurrentLocation();
    int64_t literal;
    OptionalParseResult isLiteral = parser.parseOptionalInteger(literal);
    if (!isLiteral.has_value() && required)
      return ParseResult(text(parser).emitCoded(loc, DiagCode::ParseExpectedToken,
                                                "expected a stride: a value or a number"));
    if (!isLiteral.has_value() || failed(*isLiteral))
      return isLiteral;
    if (literal < 0)
      return ParseResult(
          text(parser).emitCoded(loc, DiagCode::EncodingParamValue, "a stride cannot be negative"));
    values.push_back(literal);
    return isLiteral;
  };
  OptionalParseResult next = parseStride(/*required=*/false);
  while (next.has_value() && succeeded(*next) && succeeded(parser.parseOptionalComma()))
    next = parseStride(/*required=*/true);
  staticStrides = parser.getBuilder().getDenseI64ArrayAttr(values);
  return next.has_value() ? *next : ParseResult(success());
}

static void printStrideList(OpAsmPrinter &printer, Operation *op, OperandRange strides,
                            DenseI64ArrayAttr staticStrides) {
  printIndexList(printer, op, strides, staticStrides);
}

SmallVector<OpFoldResult> EncodingLayoutStridedOp::getMixedStrides() {
  Builder b(getContext());
  auto next = getStrides().begin();
  return llvm::map_to_vector(getStaticStrides(), [&](int64_t stride) -> OpFoldResult {
    if (ShapedType::isDynamic(stride))
      return *next++;
    return b.getI64IntegerAttr(stride);
  });
}

LogicalResult EncodingLayoutStridedOp::verify() {
  size_t dynamic = llvm::count(getStaticStrides(), ShapedType::kDynamic);
  if (dynamic != getStrides().size())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getStrides().size(), "stride value") << " for " << counted(dynamic, "place")
           << " in the list of strides";
  for (int64_t stride : getStaticStrides())
    if (!ShapedType::isDynamic(stride) && stride < 0)
      return emitCoded(*this, DiagCode::EncodingParamValue, "a stride cannot be negative");
  return success();
}

/// Constants become literals.
OpFoldResult EncodingLayoutStridedOp::fold(FoldAdaptor adaptor) {
  SmallVector<int64_t> literals(getStaticStrides());
  SmallVector<Value> values;
  unsigned next = 0;
  for (int64_t &literal : literals) {
    if (!ShapedType::isDynamic(literal))
      continue;
    auto known = dyn_cast_or_null<IntegerAttr>(adaptor.getStrides()[next]);
    if (known && known.getValue().isNonNegative())
      literal = known.getValue().getSExtValue();
    else
      values.push_back(getStrides()[next]);
    ++next;
  }
  if (values.size() == getStrides().size())
    return {};
  getStridesMutable().assign(values);
  setStaticStrides(literals);
  return getResult();
}

OpFoldResult EncodingLayoutAssumeDenseOp::fold(FoldAdaptor) {
  EncodingAttr known = getKnownEncoding(getInput());
  return known && isDenseLayout(known) ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult EncodingLayoutAssumeStridedOp::verify() {
  int64_t rank = getRank();
  if (rank >= 0 && rank <= 255)
    return success();
  return emitCoded(*this, DiagCode::StructureValue, "the rank of a layout is ")
         << rank << ", but it has to be a number from 0 to 255";
}

OpFoldResult EncodingLayoutAssumeStridedOp::fold(FoldAdaptor) {
  LayoutInfo info = getLayoutInfo(getInput());
  bool known = info.kind == LayoutInfo::Strided && info.rank == getRank();
  return known ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Definitions and tests
//===----------------------------------------------------------------------===//

static LogicalResult verifyComplete(Operation *op, EncodingAttr spec,
                                    ArrayRef<StringRef> dynamic = {}) {
  if (std::optional<EncodingProblem> problem = checkCompleteEncoding(spec, dynamic))
    return emitCoded(op, problem->code, problem->message);
  return success();
}

/// The role of `spec` is that of `type`, unless the type has none.
static LogicalResult verifyRole(Operation *op, EncodingAttr spec, Type type, DiagCode code) {
  EncodingRole role = cast<EncodingType>(type).getRole();
  EncodingRole own = getEncodingRole(spec);
  if (role == own || role == EncodingRole::any)
    return success();
  return emitCoded(op, code, "'#")
         << spec.getFamily().getValue() << "' is an encoding<" << stringifyEncodingRole(own)
         << ">, but the type here is " << type;
}

/// A parameter of `define` that is a value.
static LogicalResult verifyValueParameter(EncodingDefineOp op, StringRef key, Type type) {
  EncodingAttr spec = op.getSpec();
  StringRef family = spec.getFamily().getValue();
  if (spec.getParams().contains(key))
    return emitCoded(op, DiagCode::EncodingTwice, "parameter '")
           << key << "' of '#" << family << "' is given both statically and as a value";
  auto known = getValueParameters(spec);
  auto param = llvm::find_if(known, [&](auto &p) { return p.first == key; });
  if (param == known.end()) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::EncodingUnknown, "'#");
    diag << family << "' has no parameter '" << key << "' that may be a value";
    std::vector<std::string> names;
    for (auto &[name, role] : known)
      names.push_back(name.str());
    return diag << didYouMean(key, names);
  }
  auto encoding = dyn_cast<EncodingType>(type);
  if (encoding && encoding.getRole() == param->second)
    return success();
  return emitCoded(op, DiagCode::EncodingParamType, "parameter '")
         << key << "' of '#" << family << "' has type " << type << ", but it has to be encoding<"
         << stringifyEncodingRole(param->second) << ">";
}

LogicalResult EncodingDefineOp::verify() {
  if (getKeys().size() != getParams().size())
    return emitCoded(*this, DiagCode::StructureVariadic, "")
           << counted(getParams().size(), "value") << " for "
           << counted(getKeys().size(), "parameter name");
  SmallVector<StringRef> dynamic;
  for (auto [key, value] : llvm::zip(getKeys().getAsRange<StringAttr>(), getParams())) {
    if (failed(verifyValueParameter(*this, key.getValue(), value.getType())))
      return failure();
    dynamic.push_back(key.getValue());
  }
  if (failed(verifyComplete(*this, getSpec(), dynamic)))
    return failure();
  return verifyRole(*this, getSpec(), getType(), DiagCode::EncodingRoleMismatch);
}

LogicalResult EncodingAssumeSpecOp::verify() {
  if (failed(verifyComplete(*this, getSpec())))
    return failure();
  return verifyRole(*this, getSpec(), getType(), DiagCode::EncodingRoleMismatch);
}

OpFoldResult EncodingAssumeSpecOp::fold(FoldAdaptor) {
  EncodingAttr known = getKnownEncoding(getInput());
  bool same = known && normalizeEncoding(known) == normalizeEncoding(getSpec());
  return same ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult EncodingIsaOp::verify() {
  if (failed(verifyComplete(*this, getSpec())))
    return failure();
  return verifyRole(*this, getSpec(), getInput().getType(), DiagCode::EncodingIsa);
}

OpFoldResult EncodingIsaOp::fold(FoldAdaptor) {
  EncodingAttr known = getKnownEncoding(getInput());
  if (!known)
    return {};
  return BoolAttr::get(getContext(), normalizeEncoding(known) == normalizeEncoding(getSpec()));
}

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

static ParseResult parseSchemaMatch(OpAsmParser &parser, StringAttr &format, StringAttr &packing,
                                    StringAttr &affine) {
  auto parseProperty = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key, word;
    // A match without any property is the verifier's to refuse.
    if (failed(parser.parseOptionalKeyword(&key)))
      return format || packing || affine ? parser.parseKeyword(&key) : ParseResult(success());
    StringAttr *property = llvm::StringSwitch<StringAttr *>(key)
                               .Case("element_format", &format)
                               .Case("payload_packing", &packing)
                               .Case("affine", &affine)
                               .Default(nullptr);
    if (!property)
      return text(parser).emitCoded(loc, DiagCode::ParseUnknownEnum, "a match has no property '")
             << key << "'; the properties are element_format, payload_packing and affine";
    if (*property)
      return text(parser).emitCoded(loc, DiagCode::ParseRepeatedParameter, "property '")
             << key << "' is given twice";
    if (parser.parseEqual())
      return failure();
    SMLoc wordLoc = parser.getCurrentLocation();
    ArrayRef<llvm::StringLiteral> words = property == &format    ? numericFormats().drop_front()
                                          : property == &packing ? payloadPackings()
                                                                 : affinePolicies();
    if (failed(parser.parseOptionalKeyword(&word)) || !llvm::is_contained(words, word))
      return text(parser).emitCoded(wordLoc, DiagCode::ParseUnknownEnum, "expected one of ")
             << listWords(words) << (word.empty() ? "" : ", got '") << word
             << (word.empty() ? "" : "'");
    *property = parser.getBuilder().getStringAttr(word);
    return success();
  };
  do {
    if (parseProperty())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

static void printSchemaMatch(OpAsmPrinter &printer, Operation *, StringAttr format,
                             StringAttr packing, StringAttr affine) {
  bool first = true;
  auto print = [&](StringRef key, StringAttr word) {
    if (!word)
      return;
    printer << (first ? "" : ", ") << key << " = " << word.getValue();
    first = false;
  };
  print("element_format", format);
  print("payload_packing", packing);
  print("affine", affine);
}

template <typename Match> static LogicalResult verifyMatch(Match op) {
  if (!op.getElementFormat() && !op.getPayloadPacking() && !op.getAffine())
    return emitCoded(op, DiagCode::EncodingEmptyMatch, "'")
           << getTextName(op)
           << "' needs at least one of element_format, payload_packing and affine";
  auto verifyWord = [&](StringRef key, std::optional<StringRef> word,
                        ArrayRef<llvm::StringLiteral> words) -> LogicalResult {
    if (!word || llvm::is_contained(words, *word))
      return success();
    return emitCoded(op, DiagCode::EncodingParamValue, "'")
           << key << "' is one of " << listWords(words) << ", not '" << *word << "'";
  };
  return success(
      succeeded(verifyWord("element_format", op.getElementFormat(), numericFormats())) &&
      succeeded(verifyWord("payload_packing", op.getPayloadPacking(), payloadPackings())) &&
      succeeded(verifyWord("affine", op.getAffine(), affinePolicies())));
}

LogicalResult EncodingMatchesOp::verify() { return verifyMatch(*this); }
LogicalResult EncodingAssumeMatchOp::verify() { return verifyMatch(*this); }

/// What is known of one property of `schema`: from its encoding or from promises.
static std::optional<StringRef>
knownProperty(Value schema, StringRef SchemaInfo::*member,
              std::optional<StringRef> (EncodingAssumeMatchOp::*get)()) {
  if (std::optional<SchemaInfo> info = describeSchema(getKnownEncoding(schema)))
    return (*info).*member;
  for (unsigned i = 0; i < kMaxPromises; ++i) {
    auto assume = schema.getDefiningOp<EncodingAssumeMatchOp>();
    if (!assume)
      break;
    if (std::optional<StringRef> word = (assume.*get)())
      return word;
    schema = assume.getInput();
  }
  return std::nullopt;
}

OpFoldResult EncodingMatchesOp::fold(FoldAdaptor) {
  bool all = true;
  auto test = [&](std::optional<StringRef> wanted, std::optional<StringRef> known) {
    if (!wanted)
      return true;
    all &= known.has_value();
    return !known || *known == *wanted;
  };
  using Assume = EncodingAssumeMatchOp;
  bool matches =
      test(getElementFormat(),
           knownProperty(getInput(), &SchemaInfo::elementFormat, &Assume::getElementFormat)) &
      test(getPayloadPacking(),
           knownProperty(getInput(), &SchemaInfo::payloadPacking, &Assume::getPayloadPacking)) &
      test(getAffine(), knownProperty(getInput(), &SchemaInfo::affine, &Assume::getAffine));
  if (matches && !all)
    return {};
  return BoolAttr::get(getContext(), matches);
}

} // namespace loom
