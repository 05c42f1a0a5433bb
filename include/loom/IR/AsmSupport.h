//===- AsmSupport.h - What assembly formats of Loom ops can use -*- C++ -*-===//
//
// ODS formats of the dialects are driven by loom::Parser and loom::Printer (include/loom/Text),
// never by MLIR's. The functions below are the `custom<...>` directives of those formats.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_ASMSUPPORT_H
#define LOOM_IR_ASMSUPPORT_H

#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include <functional>

namespace loom {

using UnresolvedOperand = mlir::OpAsmParser::UnresolvedOperand;

/// What Loom's parser can do beyond OpAsmParser.
class TextParser : public mlir::OpAsmParser {
public:
  /// Parses a type. Values of dynamic extents (`[%n]`) are appended to `dims`; where `dims` is null
  /// such an extent is refused.
  virtual mlir::ParseResult parseTextType(mlir::Type &type,
                                          llvm::SmallVectorImpl<UnresolvedOperand> *dims) = 0;
  /// The value of that name in scope, or null; reports nothing.
  virtual mlir::Value lookup(const UnresolvedOperand &operand) = 0;
  /// An error with a code.
  virtual mlir::InFlightDiagnostic emitCoded(llvm::SMLoc loc, DiagCode code,
                                             const llvm::Twine &message) = 0;
  /// A word of letters, digits, `_`, `.` and `-`, as target rows have.
  virtual mlir::ParseResult parseDashedWord(llvm::StringRef &word) = 0;
  /// The float whose digits stand at `loc`, rounded once; nothing when there are no such digits.
  virtual std::optional<llvm::APFloat> readFloat(llvm::SMLoc loc,
                                                 const llvm::fltSemantics &semantics) = 0;
  /// `@name` with dots.
  virtual mlir::ParseResult parseSymbolRef(mlir::FlatSymbolRefAttr &symbol) = 0;
  /// `#family<key = value>` or an alias of the module.
  virtual mlir::ParseResult parseEncoding(EncodingAttr &encoding) = 0;
  /// `{key = value, ...}`, when the text goes on with a brace. Values of enum keys become enum
  /// attributes. Reports a key twice, too many entries, and too deep nesting.
  virtual mlir::ParseResult parseOptionalDict(mlir::NamedAttrList &entries) = 0;

  /// What fills the type of an argument of the region that is parsed next: names of other arguments
  /// or of values outside.
  virtual void declareDims(const UnresolvedOperand &argument,
                           llvm::ArrayRef<UnresolvedOperand> dims) = 0;

  /// Says which operation a statement that begins with `word` is, when the language's own names do
  /// not apply: its internal name ("loom_low.op"), or an empty string to leave it to them.
  using StatementNames = std::function<llvm::StringRef(llvm::StringRef word)>;
  /// Parses a region of several blocks whose statements are named by `names`; so are those of
  /// regions inside of it.
  virtual mlir::ParseResult parseNamedRegion(mlir::Region &region,
                                             llvm::ArrayRef<mlir::OpAsmParser::Argument> arguments,
                                             StatementNames names) = 0;
  /// Reports a name that is not defined here, with near matches.
  virtual mlir::InFlightDiagnostic emitUndefined(const UnresolvedOperand &operand) = 0;
  /// Whether the next token stands on another line than the last one.
  virtual bool onNewLine() = 0;
  /// The word with which the current statement names its operation.
  virtual llvm::StringRef getStatementWord() = 0;
};

inline TextParser &text(mlir::AsmParser &parser) { return static_cast<TextParser &>(parser); }

/// The spelling of `type`; `dims` are the values of its dynamic extents, printed with `printer`.
void printTextType(mlir::OpAsmPrinter &printer, mlir::Type type, mlir::ValueRange dims = {});
/// The same, where the values have no names yet: `printDim` writes the one of a slot.
void printTextType(mlir::OpAsmPrinter &printer, mlir::Type type,
                   llvm::function_ref<void(unsigned)> printDim);
/// The spelling of an attribute: literals, strings, symbols, enum words, arrays, dictionaries with
/// sorted keys, `#family<key = value>`.
void printTextAttribute(llvm::raw_ostream &os, mlir::Attribute attribute);
/// The spelling of a type without values: a dynamic extent appears as `[?]`. For messages.
std::string stringifyType(mlir::Type type);
void printTextType(llvm::raw_ostream &os, mlir::Type type,
                   llvm::function_ref<void(unsigned)> printDim);
/// "1 value", "2 values": for messages.
std::string counted(size_t count, llvm::StringRef noun);
/// Shortest spelling that reads back as the same value, integers with all digits; always with `.`
/// or exponent or a word.
void printFloatLiteral(llvm::raw_ostream &os, const llvm::APFloat &value);
/// An integer, float, `true`, `false`, `inf`, `nan` literal: I64 IntegerAttr, F64 FloatAttr or
/// BoolAttr, not yet of the type it is meant for.
mlir::ParseResult parseLiteral(mlir::OpAsmParser &parser, mlir::Attribute &literal);
void printLiteral(llvm::raw_ostream &os, mlir::Attribute literal);
/// Converts a literal to an attribute of exactly `type`; reports at `loc` and fails when it does
/// not suit. `emit` makes the error.
mlir::FailureOr<mlir::TypedAttr>
convertLiteral(mlir::Attribute literal, mlir::Type type,
               llvm::function_ref<mlir::InFlightDiagnostic(const llvm::Twine &)> emit);

//===----------------------------------------------------------------------===//
// Directives. Pairs of parseX and printX, named as in the formats.
//===----------------------------------------------------------------------===//

using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;

// Every enum whose cases are words of the text.
#define LOOM_TEXT_ENUMS(LOOM_ENUM)                                                                 \
  LOOM_ENUM(IntPredicate)                                                                          \
  LOOM_ENUM(FloatPredicate)                                                                        \
  LOOM_ENUM(CombiningKind)                                                                         \
  LOOM_ENUM(AtomicKind)                                                                            \
  LOOM_ENUM(ClampMode)                                                                             \
  LOOM_ENUM(GeluVariant)                                                                           \
  LOOM_ENUM(Dimension)                                                                             \
  LOOM_ENUM(UnrollSchedule)                                                                        \
  LOOM_ENUM(MemorySpace)                                                                           \
  LOOM_ENUM(SyncScope)                                                                             \
  LOOM_ENUM(Ordering)                                                                              \
  LOOM_ENUM(CacheScope)                                                                            \
  LOOM_ENUM(CacheTemporal)                                                                         \
  LOOM_ENUM(PrefetchIntent)                                                                        \
  LOOM_ENUM(PrefetchLocality)                                                                      \
  LOOM_ENUM(AccessKind)                                                                            \
  LOOM_ENUM(ShuffleMode)                                                                           \
  LOOM_ENUM(ScanMode)                                                                              \
  LOOM_ENUM(ScanDirection)                                                                         \
  LOOM_ENUM(AsyncDirection)                                                                        \
  LOOM_ENUM(Dot4IKind)                                                                             \
  LOOM_ENUM(Dot8I4Kind)                                                                            \
  LOOM_ENUM(Dot4F8Kind)                                                                            \
  LOOM_ENUM(FragmentRole)                                                                          \
  LOOM_ENUM(QuantizeNan)                                                                           \
  LOOM_ENUM(QuantizeTie)                                                                           \
  LOOM_ENUM(SequenceKind)                                                                          \
  LOOM_ENUM(NanPolicy)                                                                             \
  LOOM_ENUM(WriteMode)

#define LOOM_ENUM_DIRECTIVE(Enum)                                                                  \
  ParseResult parse##Enum(OpAsmParser &parser, Enum##Attr &attr);                                  \
  void print##Enum(OpAsmPrinter &printer, mlir::Operation *, Enum##Attr attr);
LOOM_TEXT_ENUMS(LOOM_ENUM_DIRECTIVE)
#undef LOOM_ENUM_DIRECTIVE

/// The value of the entry `key = <word at the cursor>` of an attribute dictionary, where `key` is
/// one whose values are words of an enum (`ordering`, `scope`, `direction`, ...): nothing for other
/// keys. Reports an unknown word.
std::optional<mlir::FailureOr<mlir::Attribute>> parseEnumEntry(OpAsmParser &parser,
                                                               llvm::StringRef key);

/// `<contract|nnan>`, left out when empty.
ParseResult parseFastMath(OpAsmParser &parser, FastMathFlagsAttr &attr);
void printFastMath(OpAsmPrinter &printer, mlir::Operation *, FastMathFlagsAttr attr);
/// `<nsw|nuw>`, left out when empty.
ParseResult parseOverflow(OpAsmParser &parser, OverflowFlagsAttr &attr);
void printOverflow(OpAsmPrinter &printer, mlir::Operation *, OverflowFlagsAttr attr);
/// `<addf>` or `<addf, reassoc|contract>`.
ParseResult parseReduceKind(OpAsmParser &parser, CombiningKindAttr &kind,
                            FastMathFlagsAttr &fastmath);
void printReduceKind(OpAsmPrinter &printer, mlir::Operation *, CombiningKindAttr kind,
                     FastMathFlagsAttr fastmath);
/// `<ordered>` or `<ordered, nnan>`.
ParseResult parseClampKind(OpAsmParser &parser, ClampModeAttr &mode, FastMathFlagsAttr &fastmath);
void printClampKind(OpAsmPrinter &printer, mlir::Operation *, ClampModeAttr mode,
                    FastMathFlagsAttr fastmath);
/// `<tanh>` or `<tanh, afn>`.
ParseResult parseGeluKind(OpAsmParser &parser, GeluVariantAttr &variant,
                          FastMathFlagsAttr &fastmath);
void printGeluKind(OpAsmPrinter &printer, mlir::Operation *, GeluVariantAttr variant,
                   FastMathFlagsAttr fastmath);
/// `<volatile>`, and `<linear>` after address linearization; left out when not set.
ParseResult parseAccess(OpAsmParser &parser, mlir::UnitAttr &linear, mlir::UnitAttr &isVolatile);
void printAccess(OpAsmPrinter &printer, mlir::Operation *, mlir::UnitAttr linear,
                 mlir::UnitAttr isVolatile);

/// `3 : index`: literal and type of a configuration value.
ParseResult parseTypedLiteral(OpAsmParser &parser, mlir::Attribute &value, mlir::TypeAttr &type);
void printTypedLiteral(OpAsmPrinter &printer, mlir::Operation *, mlir::Attribute value,
                       mlir::TypeAttr type);
ParseResult parseIndexLiteral(OpAsmParser &parser, mlir::IntegerAttr &value);
void printIndexLiteral(OpAsmPrinter &printer, mlir::Operation *, mlir::IntegerAttr value);
ParseResult parseScalarLiteral(OpAsmParser &parser, mlir::TypedAttr &value, mlir::Type &type);
void printScalarLiteral(OpAsmPrinter &printer, mlir::Operation *, mlir::TypedAttr value,
                        mlir::Type type);
/// `0.0 : vector<4xf32>`: the literal has the element type; `dims` fill the extents that are
/// values.
ParseResult parseSplatLiteral(OpAsmParser &parser, mlir::TypedAttr &value, mlir::Type &type,
                              llvm::SmallVectorImpl<UnresolvedOperand> &dims);
void printSplatLiteral(OpAsmPrinter &printer, mlir::Operation *, mlir::TypedAttr value,
                       mlir::Type type, mlir::OperandRange dims);
ParseResult parseLiteral(OpAsmParser &parser, mlir::Attribute &value);
void printLiteral(OpAsmPrinter &printer, mlir::Operation *, mlir::Attribute value);

/// A type whose dynamic extents the operation itself owns.
ParseResult parseDefinedType(OpAsmParser &parser, mlir::Type &type,
                             llvm::SmallVectorImpl<UnresolvedOperand> &dims);
void printDefinedType(OpAsmPrinter &printer, mlir::Operation *, mlir::Type type,
                      mlir::OperandRange dims);
/// The same for a type whose layout may be a value: `dimTypes` are the types of all of them.
ParseResult parseDefinedType(OpAsmParser &parser, mlir::Type &type,
                             llvm::SmallVectorImpl<UnresolvedOperand> &dims,
                             llvm::SmallVectorImpl<mlir::Type> &dimTypes);
void printDefinedType(OpAsmPrinter &printer, mlir::Operation *, mlir::Type type,
                      mlir::OperandRange dims, mlir::TypeRange dimTypes);
/// A type without dynamic extents.
ParseResult parseTextType(OpAsmParser &parser, mlir::Type &type);
void printTextType(OpAsmPrinter &printer, mlir::Operation *, mlir::Type type);
/// The type of an operand, its dynamic extents spelled as where it was defined.
ParseResult parseUseType(OpAsmParser &parser, mlir::Type &type, const UnresolvedOperand &operand);
void printUseType(OpAsmPrinter &printer, mlir::Operation *, mlir::Type type, mlir::Value operand);
ParseResult parseUseTypes(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types,
                          llvm::ArrayRef<UnresolvedOperand> operands);
void printUseTypes(OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange types,
                   mlir::OperandRange operands);
/// `[%row, 3, %lane]` without the brackets: literals and values mixed. A value is marked in
/// `staticIndices` by ShapedType::kDynamic.
ParseResult parseIndexList(OpAsmParser &parser, llvm::SmallVectorImpl<UnresolvedOperand> &indices,
                           mlir::DenseI64ArrayAttr &staticIndices);
void printIndexList(OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange indices,
                    mlir::DenseI64ArrayAttr staticIndices);
/// A type that two values share.
ParseResult parseSameAsResult(OpAsmParser &parser, mlir::Type &type, mlir::Type &resultType);
void printSameAsResult(OpAsmPrinter &printer, mlir::Operation *, mlir::Type type, mlir::Type);
/// An operand whose type the text does not repeat: it is looked up.
ParseResult parseSeedOperand(OpAsmParser &parser, UnresolvedOperand &operand, mlir::Type &type);
void printSeedOperand(OpAsmPrinter &printer, mlir::Operation *, mlir::Value operand, mlir::Type);
/// `[range(%n, 0, 64)]` over the operands of an assume; values that are not operands follow in
/// `others`.
ParseResult parseAssumePredicates(OpAsmParser &parser, llvm::ArrayRef<UnresolvedOperand> inputs,
                                  llvm::SmallVectorImpl<UnresolvedOperand> &others,
                                  llvm::SmallVectorImpl<mlir::Type> &otherTypes,
                                  mlir::ArrayAttr &predicates);
void printAssumePredicates(OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange inputs,
                           mlir::OperandRange others, mlir::TypeRange otherTypes,
                           mlir::ArrayAttr predicates);
/// A row of a target table: `gfx11-generic`.
ParseResult parseTargetRow(OpAsmParser &parser, mlir::StringAttr &row);
void printTargetRow(OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr row);

} // namespace loom

#endif // LOOM_IR_ASMSUPPORT_H
