//===- ParserTypes.cpp - Types of the language ----------------------------===//
#include "Parser.h"
#include "loom/IR/Encodings.h"
#include "loom/IR/Messages.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

/// A type has at most this many dimensions (the limit of layouts and packed forms).
static constexpr size_t kMaxRank = 15;

void Parser::registerTypeWords() {
  Builder &b = builder;
  scalarTypes = {
      {"index", b.getIndexType()},
      {"offset", OffsetType::get(context)},
      {"i1", b.getI1Type()},
      {"i8", b.getIntegerType(8)},
      {"i16", b.getIntegerType(16)},
      {"i32", b.getI32Type()},
      {"i64", b.getI64Type()},
      {"f8E4M3", Float8E4M3FNType::get(context)},
      {"f8E5M2", Float8E5M2Type::get(context)},
      {"f16", b.getF16Type()},
      {"bf16", b.getBF16Type()},
      {"f32", b.getF32Type()},
      {"f64", b.getF64Type()},
  };
  wordTypes = {
      {"buffer", BufferType::get(context)},
      {"kernel.async.token", AsyncTokenType::get(context)},
      {"kernel.async.group", AsyncGroupType::get(context)},
      {"kernel.tensor.lds.descriptor", TensorLdsDescriptorType::get(context)},
      {"kernel.barrier.phase", BarrierPhaseType::get(context)},
      {"check.entropy", EntropyType::get(context)},
  };
}

static const std::string kTypeNames[] = {"index",
                                         "offset",
                                         "buffer",
                                         "view",
                                         "vector",
                                         "tensor",
                                         "tile",
                                         "pool",
                                         "i1",
                                         "i8",
                                         "i16",
                                         "i32",
                                         "i64",
                                         "f8E4M3",
                                         "f8E5M2",
                                         "f16",
                                         "bf16",
                                         "f32",
                                         "f64",
                                         "reg",
                                         "encoding",
                                         "func.ref",
                                         "low.storage",
                                         "kernel.async.token",
                                         "kernel.async.group",
                                         "kernel.barrier.phase",
                                         "check.entropy",
                                         "spirv.cooperative_matrix"};

/// What may have been meant by an unknown type, also by the names of other languages.
static std::string suggestType(StringRef name) {
  static constexpr std::pair<StringLiteral, StringLiteral> others[] = {
      {"int", "i32"},     {"int32_t", "i32"}, {"si32", "i32"},       {"ui32", "i32"},
      {"u32", "i32"},     {"s32", "i32"},     {"uint", "i32"},       {"long", "i64"},
      {"int64_t", "i64"}, {"si64", "i64"},    {"ui64", "i64"},       {"u64", "i64"},
      {"short", "i16"},   {"u16", "i16"},     {"ui16", "i16"},       {"char", "i8"},
      {"u8", "i8"},       {"ui8", "i8"},      {"byte", "i8"},        {"bool", "i1"},
      {"float", "f32"},   {"double", "f64"},  {"half", "f16"},       {"bfloat", "bf16"},
      {"memref", "view"}, {"ptr", "buffer"},  {"pointer", "buffer"}, {"size_t", "index"},
      {"usize", "index"}};
  for (auto [other, meant] : others)
    if (name == other)
      return ("; did you mean '" + meant + "'?").str();
  return didYouMean(name, kTypeNames);
}

ParseResult Parser::parseTextType(Type &type, SmallVectorImpl<UnresolvedOperand> *dims) {
  if (dims)
    return parseTypeWithDims(type, *dims);
  SmallVector<UnresolvedOperand> spelled;
  SMLoc loc = getCurrentLocation();
  if (parseTypeWithDims(type, spelled))
    return failure();
  if (!spelled.empty())
    spelledTypes.push_back({type, loc, std::move(spelled)});
  return success();
}

ParseResult Parser::parseTypeWithDims(Type &type, SmallVectorImpl<UnresolvedOperand> &dims) {
  SMLoc loc = getCurrentLocation();
  if (rest().starts_with("("))
    return parseFunctionType(type, dims);
  StringRef name = word(".");
  if (name.empty())
    return emitExpected("a type");
  if ((type = scalarTypes.lookup(name)) || (type = wordTypes.lookup(name)))
    return success();
  if (name == "view" || name == "vector" || name == "tensor" || name == "tile") {
    if (parseShapedType(name, loc, type, dims))
      return failure();
    if (countSlots(type))
      writtenTypes.push_back({type, StringRef(loc.getPointer(), cursor - loc.getPointer())});
    return success();
  }
  if (name == "encoding")
    return parseEncodingType(type);
  if (name == "pool")
    return parsePoolType(type, dims);
  if (name == "reg")
    return parseRegisterType(type);
  if (name == "low.storage")
    return parseStorageType(type);
  if (name == "func.ref")
    return parseFuncRefType(type);
  if (name == "spirv.cooperative_matrix")
    return parseMatrixType(type);
  return emitCoded(loc, DiagCode::ParseUnknownType, "unknown type '")
         << name << "'" << suggestType(name);
}

//===----------------------------------------------------------------------===//
// Shaped types
//===----------------------------------------------------------------------===//

ParseResult Parser::parseExtent(int64_t &extent, SmallVectorImpl<UnresolvedOperand> &dims) {
  SMLoc loc = getCurrentLocation();
  if (succeeded(optionalPunctuation("["))) {
    if (parseOperand(dims.emplace_back()) || punctuation("]"))
      return failure();
    extent = ShapedType::kDynamic;
    return success();
  }
  // Hexadecimal is off here: `0xf32` is the extent 0 of f32.
  StringRef digits = rest().take_while(llvm::isDigit);
  if (digits.empty())
    return emitExpected("an extent");
  if (digits.getAsInteger(10, extent))
    return emitCoded(loc, DiagCode::TypeAttribute, "the extent is too large");
  cursor += digits.size();
  return success();
}

ParseResult Parser::parseShapedType(StringRef name, SMLoc loc, Type &type,
                                    SmallVectorImpl<UnresolvedOperand> &dims) {
  SmallVector<int64_t> shape;
  Type element;
  if (punctuation("<"))
    return failure();
  while (rest().starts_with("[") || (cursor != end && llvm::isDigit(*cursor))) {
    SMLoc dimLoc = getCurrentLocation();
    if (parseExtent(shape.emplace_back(), dims) || punctuation("x"))
      return failure();
    if (shape.size() > kMaxRank)
      return emitCoded(dimLoc, DiagCode::TypeResult, "a type has at most 15 dimensions");
  }
  SMLoc elementLoc = getCurrentLocation();
  StringRef elementName = word();
  if (elementName.empty() &&
      (rest().starts_with("?") || rest().starts_with("%") || rest().starts_with("-")))
    return emitExpected("an extent, which is a number or a value in brackets such as [%count]");
  if (elementName.empty())
    return emitExpected("an element type");
  if (!(element = scalarTypes.lookup(elementName)))
    return emitCoded(elementLoc, DiagCode::ParseUnknownType, "expected an element type, got '")
           << elementName << "'"
           << (llvm::is_contained(kTypeNames, elementName) ? std::string()
                                                           : suggestType(elementName));
  if (name == "vector") {
    if (rest().starts_with(","))
      return emitCoded(getCurrentLocation(), DiagCode::ParseExpectedToken,
                       "a vector has no layout or encoding");
    if (shape.empty())
      return emitCoded(loc, DiagCode::TypeResult, "a vector has at least one dimension");
    type = VectorType::get(context, shape, element);
    return punctuation(">");
  }
  Attribute layout;
  uint64_t alignment = 0;
  SMLoc layoutLoc = loc;
  if (parseAttachments(name, element, layout, layoutLoc, alignment, dims) || punctuation(">"))
    return failure();
  if (name == "view")
    type = ViewType::get(context, shape, element, layout, alignment);
  else if (name == "tile")
    type = TileType::get(context, shape, element, layout);
  else
    type = TensorType::get(context, shape, element, layout);
  if (std::optional<EncodingProblem> problem = checkTypeEncoding(type))
    return emitCoded(layoutLoc, problem->code, problem->message);
  return success();
}

/// `, %layout` or `, #encoding.layout.dense`, then `, align(2)` for a view.
ParseResult Parser::parseAttachments(StringRef name, Type element, Attribute &layout,
                                     SMLoc &layoutLoc, uint64_t &alignment,
                                     SmallVectorImpl<UnresolvedOperand> &dims) {
  while (succeeded(optionalPunctuation(","))) {
    SMLoc loc = getCurrentLocation();
    if (alignment)
      return emitCoded(loc, DiagCode::ParseExpectedToken, "nothing follows align(...) in a type");
    if (rest().starts_with("%") || rest().starts_with("#")) {
      if (layout)
        return emitCoded(loc, DiagCode::ParseExpectedToken, "a type has one layout or encoding");
      if (rest().starts_with("%")) {
        if (parseOperand(dims.emplace_back()))
          return failure();
        layout = DynamicLayoutAttr::get(context);
        continue;
      }
      EncodingAttr encoding;
      if (parseEncoding(encoding))
        return failure();
      layout = encoding;
      layoutLoc = loc;
      continue;
    }
    if (name != "view" || failed(parseOptionalKeyword("align")))
      return emitExpected(name == "view" ? "a layout or align(...)" : "an encoding");
    SMLoc valueLoc;
    int64_t bytes;
    if (punctuation("("))
      return failure();
    valueLoc = getCurrentLocation();
    if (parseInteger(bytes) || punctuation(")"))
      return failure();
    if (bytes <= 0 || !llvm::isPowerOf2_64(bytes))
      return emitCoded(valueLoc, DiagCode::StructureValue,
                       "an alignment is a positive power of two");
    int64_t natural = isPayloadScalar(element) ? getElementBytes(element) : 8;
    if (bytes > natural)
      return emitCoded(valueLoc, DiagCode::StructureValue, "the alignment of an element of type ")
             << stringifyType(element) << " is at most " << natural;
    if (bytes == natural)
      return success(); // the natural alignment is not spelled
    alignment = bytes;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

ParseResult Parser::parseFunctionType(Type &type, SmallVectorImpl<UnresolvedOperand> &dims) {
  SmallVector<Type> inputs, results;
  auto parseList = [&](SmallVectorImpl<Type> &types) {
    return parseCommaSeparatedList(Delimiter::Paren,
                                   [&] { return parseTypeWithDims(types.emplace_back(), dims); });
  };
  if (typeDepth > 32)
    return emitCoded(getCurrentLocation(), DiagCode::ParseNesting, "types are nested too deeply");
  ++typeDepth;
  bool bad = parseList(inputs) || punctuation("->") || parseList(results);
  --typeDepth;
  if (bad)
    return failure();
  type = FunctionType::get(context, inputs, results);
  return success();
}

ParseResult Parser::parseEncodingType(Type &type) {
  uint32_t role = 0;
  if (succeeded(optionalPunctuation("<"))) {
    SMLoc loc = getCurrentLocation();
    StringRef spelled = word();
    auto known = symbolizeEncodingRole(spelled);
    if (!known || *known == EncodingRole::any)
      return emitCoded(loc, DiagCode::ParseUnknownEnum,
                       "expected one of layout, schema, storage, transform");
    role = static_cast<uint32_t>(*known);
    if (punctuation(">"))
      return failure();
  }
  type = EncodingType::get(context, role);
  return success();
}

ParseResult Parser::parsePoolType(Type &type, SmallVectorImpl<UnresolvedOperand> &dims) {
  int64_t size;
  if (punctuation("<") || parseExtent(size, dims) || punctuation(">"))
    return failure();
  type = PoolType::get(context, size);
  return success();
}

ParseResult Parser::parseRegisterType(Type &type) {
  if (punctuation("<"))
    return failure();
  SMLoc loc = getCurrentLocation();
  StringRef key = word(".");
  if (key.empty() || !key.contains('.'))
    return emitCoded(loc, DiagCode::ParseExpectedToken,
                     "expected a register class such as amdgpu.vgpr");
  uint64_t units = 1;
  SMLoc unitsLoc = getCurrentLocation();
  if (rest().starts_with("x")) {
    ++cursor;
    StringRef digits = rest().take_while(llvm::isDigit);
    if (digits.empty() || digits.getAsInteger(10, units) || units == 0 || units > UINT32_MAX)
      return emitCoded(unitsLoc, DiagCode::StructureValue,
                       "expected a positive number of registers behind 'x'");
    cursor += digits.size();
  }
  Type valueType;
  if (succeeded(optionalPunctuation(":")) && parseTextType(valueType, nullptr))
    return failure();
  type = RegisterType::get(context, builder.getStringAttr(key), static_cast<uint32_t>(units),
                           valueType);
  return punctuation(">");
}

ParseResult Parser::parseStorageType(Type &type) {
  if (punctuation("<"))
    return failure();
  SMLoc loc = getCurrentLocation();
  auto space = symbolizeStorageSpace(word());
  if (!space)
    return emitCoded(loc, DiagCode::ParseUnknownEnum,
                     "expected one of stack, scratch, private, workgroup");
  type = StorageType::get(context, static_cast<uint32_t>(*space));
  return punctuation(">");
}

ParseResult Parser::parseFuncRefType(Type &type) {
  if (punctuation("<"))
    return failure();
  bool yieldable = succeeded(parseOptionalKeyword("yieldable"));
  SmallVector<UnresolvedOperand> dims;
  Type signature;
  SMLoc loc = getCurrentLocation();
  if (parseFunctionType(signature, dims))
    return failure();
  if (!dims.empty())
    return emitCoded(loc, DiagCode::ParseUnsupported,
                     "a function reference has no extents that are values");
  type = FuncRefType::get(context, yieldable, cast<FunctionType>(signature));
  return punctuation(">");
}

ParseResult Parser::parseMatrixType(Type &type) {
  int64_t extents[2];
  SmallVector<UnresolvedOperand> dims;
  if (punctuation("<"))
    return failure();
  for (int64_t &extent : extents) {
    SMLoc loc = getCurrentLocation();
    if (parseExtent(extent, dims) || punctuation("x"))
      return failure();
    if (extent <= 0 || extent > UINT32_MAX)
      return emitCoded(loc, DiagCode::StructureValue,
                       "an extent of a cooperative matrix is a positive number");
  }
  SMLoc loc = getCurrentLocation();
  auto component = symbolizeMatrixComponent(word());
  if (!component)
    return emitCoded(loc, DiagCode::ParseUnknownEnum,
                     "expected one of f16, f32, f64, bf16, s8 to s64, u8 to u64");
  if (punctuation(","))
    return failure();
  loc = getCurrentLocation();
  auto scope = symbolizeMatrixScope(word());
  if (!scope)
    return emitCoded(loc, DiagCode::ParseUnknownEnum,
                     "expected one of cross_device, device, workgroup, subgroup, invocation, "
                     "queue_family, shader_call");
  if (punctuation(","))
    return failure();
  loc = getCurrentLocation();
  auto use = symbolizeMatrixUse(word());
  if (!use)
    return emitCoded(loc, DiagCode::ParseUnknownEnum,
                     "expected one of matrix_a, matrix_b, matrix_accumulator");
  type = CooperativeMatrixType::get(context, static_cast<uint32_t>(extents[0]),
                                    static_cast<uint32_t>(extents[1]),
                                    static_cast<uint32_t>(*component),
                                    static_cast<uint32_t>(*scope), static_cast<uint32_t>(*use));
  return punctuation(">");
}

//===----------------------------------------------------------------------===//
// Types of OpAsmParser
//===----------------------------------------------------------------------===//

OptionalParseResult Parser::parseOptionalType(Type &type) {
  StringRef next = rest();
  if (next.empty() || !(llvm::isAlpha(next[0]) || next[0] == '_'))
    return std::nullopt;
  return OptionalParseResult(parseType(type));
}

ParseResult Parser::parseArrowTypeList(SmallVectorImpl<Type> &types) {
  return failure(parseArrow() || parseCommaSeparatedList(Delimiter::Paren, [&] {
                   return parseType(types.emplace_back());
                 }));
}

ParseResult Parser::parseOptionalArrowTypeList(SmallVectorImpl<Type> &types) {
  if (!rest().starts_with("->"))
    return success();
  return parseArrowTypeList(types);
}

ParseResult Parser::parseColonType(Type &type) { return failure(parseColon() || parseType(type)); }

ParseResult Parser::parseColonTypeList(SmallVectorImpl<Type> &types) {
  return failure(parseColon() || parseCommaSeparatedList(Delimiter::None, [&] {
                   return parseType(types.emplace_back());
                 }));
}

ParseResult Parser::parseOptionalColonTypeList(SmallVectorImpl<Type> &types) {
  if (!rest().starts_with(":"))
    return success();
  return parseColonTypeList(types);
}

ParseResult Parser::parseDimensionList(SmallVectorImpl<int64_t> &, bool, bool) {
  return foreign("a dimension list");
}

//===----------------------------------------------------------------------===//
// Agreement of spelled extents with values
//===----------------------------------------------------------------------===//

std::string Parser::spellWritten(Type type) {
  for (auto [written, spelling] : llvm::reverse(writtenTypes))
    if (written == type && !spelling.contains('\n'))
      return spelling.str();
  return stringifyType(type);
}

ParseResult Parser::checkSpelledTypes(Operation *op) {
  // Types stand in the text in the order of operands, then results; an annotation that several
  // values share belongs to the first of them.
  TypedValues values(op);
  for (const SpelledType &spelled : spelledTypes) {
    Value value = values.next(spelled.type);
    if (!value)
      continue;
    SmallVector<Value> defined = getDynamicDims(value);
    for (auto [i, dim] : llvm::enumerate(spelled.dims)) {
      const Definition *definition = find(dim.name);
      if (!definition)
        return emitUndefined(dim);
      if (!definition->value || i >= defined.size()) {
        silent |= !definition->value;
        continue;
      }
      noteUse(dim, definition->value);
      if (isSameExtent(defined[i], definition->value))
        continue;
      InFlightDiagnostic diag = emitCoded(dim.location, DiagCode::TypeMismatch, "'")
                                << dim.name << "' is not the extent or layout that '"
                                << spellValue(value) << "' was defined with" << whichIs(defined[i]);
      diag.attachNote(value.getLoc()) << "the value is defined here";
      return diag;
    }
  }
  return success();
}

} // namespace loom
