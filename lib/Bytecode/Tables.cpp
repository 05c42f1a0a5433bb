//===- Tables.cpp - Reading the types and attributes of a .loombc file ----===//
#include "Tables.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/IR/BuiltinDialect.h"
#include "llvm/Support/SaveAndRestore.h"

namespace loom::bytecode {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

InFlightDiagnostic TableReader::emitError(const Twine &message) const {
  InFlightDiagnostic diag =
      emitCoded(loc, DiagCode::BytecodeFormat, "the bytecode file is damaged: " + message);
  if (std::exchange(reported, true))
    suppress(diag); // follows from the first
  return diag;
}

LogicalResult TableReader::damaged(const Twine &message) const {
  emitError(message);
  return failure();
}

//===----------------------------------------------------------------------===//
// What dialects and operations read
//===----------------------------------------------------------------------===//

uint64_t TableReader::getBytecodeVersion() const { return mlir::bytecode::kVersion; }

LogicalResult TableReader::readAttribute(Attribute &result) {
  uint64_t number;
  if (!in.readVarInt(number) || number >= attributes.size())
    return damaged("an attribute is missing");
  result = attributes[number];
  return success();
}

LogicalResult TableReader::readOptionalAttribute(Attribute &result) {
  uint64_t number;
  if (!in.readVarInt(number) || number > attributes.size())
    return damaged("an attribute is missing");
  result = number ? attributes[number - 1] : Attribute();
  return success();
}

LogicalResult TableReader::readType(Type &result) {
  uint64_t number;
  if (!in.readVarInt(number) || number >= types.size())
    return damaged("a type is missing");
  result = types[number];
  return success();
}

LogicalResult TableReader::readVarInt(uint64_t &result) {
  if (!in.readVarInt(result))
    return truncated();
  return result <= largest ? success() : damaged("a number is too large");
}

LogicalResult TableReader::readSignedVarInt(int64_t &result) {
  return in.readSignedVarInt(result) ? success() : truncated();
}

FailureOr<APInt> TableReader::readAPIntWithKnownWidth(unsigned width) {
  if (width <= 64) {
    int64_t value = 0;
    if (!in.readSignedVarInt(value))
      emitError("it ends too early");
    return APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  }
  SmallVector<uint64_t> words(std::min<size_t>(llvm::divideCeil(width, 64), in.left()));
  for (uint64_t &word : words)
    if (!in.readVarInt(word))
      emitError("it ends too early");
  if (words.size() < llvm::divideCeil(width, 64)) {
    emitError("it ends too early");
    words = {0};
  }
  return APInt(width, words);
}

FailureOr<APFloat> TableReader::readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) {
  return APFloat(semantics, *readAPIntWithKnownWidth(APFloat::getSizeInBits(semantics)));
}

LogicalResult TableReader::readString(StringRef &result) {
  return in.readString(result) ? success() : truncated();
}

LogicalResult TableReader::readBlob(ArrayRef<char> &result) {
  StringRef bytes;
  if (!in.readString(bytes))
    return truncated();
  result = ArrayRef(bytes.data(), bytes.size());
  return success();
}

LogicalResult TableReader::readBool(bool &result) {
  uint64_t value;
  if (!in.readVarInt(value) || value > 1)
    return damaged("a truth value is neither true nor false");
  result = value;
  return success();
}

FailureOr<AsmDialectResourceHandle> TableReader::readResourceHandle() {
  return damaged("it refers to resources");
}

LogicalResult TableReader::readWithin(llvm::function_ref<LogicalResult()> read) {
  StringRef part;
  if (!in.readString(part))
    return truncated();
  Bytes behind = std::exchange(in, Bytes(part));
  LogicalResult result = read();
  if (failed(result))
    return failure();
  if (in.left())
    return damaged("a part of it is longer than what it holds");
  in = behind;
  return success();
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

/// What the builtin dialect does not look at when it reads its own.
static bool isSound(Attribute attribute) {
  if (auto array = dyn_cast<DenseArrayAttr>(attribute)) {
    Type element = array.getElementType();
    uint64_t size = array.getSize(), bytes = array.getRawData().size();
    return element.isIntOrFloat() && size <= bytes &&
           size * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) == bytes;
  }
  return true;
}

/// Whether the builtin dialect, whose attributes begin with a number of their kind, would now read
/// elements of a tensor: of those it does not compare the size with the type's. They come as text.
static bool isElementsCode(uint64_t code) {
  constexpr uint64_t kDenseResource = 16, kDenseArray = 17, kSparse = 20;
  return code >= kDenseResource && code <= kSparse && code != kDenseArray;
}

/// Of the builtin types those that programs have, and their attributes: not all of the others can
/// be printed in a message.
static bool isSound(Type type) {
  if (!isa<BuiltinDialect>(type.getDialect()))
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= IntegerType::kMaxWidth;
  return isa<IndexType, FloatType, FunctionType, VectorType, NoneType, RankedTensorType>(type);
}

LogicalResult TableReader::readDialects() {
  uint64_t count;
  if (!in.readCount(count))
    return truncated();
  for (uint64_t i = 0; i < count; ++i) {
    StringRef name;
    if (!in.readString(name))
      return truncated();
    Dialect *dialect = getContext()->getOrLoadDialect(name);
    if (!dialect)
      return damaged("there is no dialect '" + name + "'");
    dialects.push_back(dyn_cast<BytecodeDialectInterface>(dialect));
  }
  return success();
}

LogicalResult TableReader::readEntries() {
  uint64_t count;
  if (!in.readCount(count))
    return truncated();
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t head;
    if (!in.readVarInt(head) || head / 4 >= dialects.size())
      return damaged("the dialect of a type or attribute is missing");
    if (failed(readWithin(
            [&] { return readEntry(static_cast<EntryKind>(head % 4), dialects[head / 4]); })))
      return failure();
  }
  return success();
}

LogicalResult TableReader::readEntry(EntryKind kind, const BytecodeDialectInterface *dialect) {
  bool isType = kind == EntryKind::Type || kind == EntryKind::TypeText;
  Type type;
  Attribute attribute;
  if (kind == EntryKind::AttributeText || kind == EntryKind::TypeText) {
    StringRef text(in.cursor, in.left());
    in.cursor = in.end;
    if (text.empty() || text.contains('\0'))
      return damaged("the text of a type or attribute is none");
    // What MLIR's parser says about it would speak of a text that nobody wrote.
    ScopedDiagnosticHandler quiet(getContext(), [](Diagnostic &) { return success(); });
    if (isType)
      type = parseType(text, getContext());
    else
      attribute = parseAttribute(text, getContext());
  } else if (dialect) {
    // The builtin dialect makes room for as many elements as a list announces. Its other numbers,
    // widths of integers and lines of files, stay below this.
    constexpr uint64_t kMaxBuiltinNumber = 1 << 24;
    llvm::SaveAndRestore limited(largest);
    if (isa<BuiltinDialect>(dialect->getDialect()))
      largest = std::max<uint64_t>(in.left(), kMaxBuiltinNumber);
    uint64_t code = 0;
    if (Bytes ahead = in; !isType && isa<BuiltinDialect>(dialect->getDialect()) &&
                          ahead.readVarInt(code) && isElementsCode(code))
      return damaged("an attribute is not in the form that it has in bytecode");
    if (isType)
      type = dialect->readType(*this);
    else
      attribute = dialect->readAttribute(*this);
  }
  if (reported)
    return failure();
  if (type && isSound(type))
    types.push_back(type);
  else if (attribute && isSound(attribute))
    attributes.push_back(attribute);
  else
    return damaged("a type or attribute cannot be read");
  return success();
}

} // namespace loom::bytecode
