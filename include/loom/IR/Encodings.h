//===- Encodings.h - Families of static encodings ---------------*- C++ -*-===//
//
// The one table of encoding families (`#encoding.layout.strided`, `#encoding.f16`, `#ggml.q4_0`),
// their roles, their parameters and the words these take. Nothing here allocates IR except the
// functions that return an attribute.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_ENCODINGS_H
#define LOOM_IR_ENCODINGS_H

#include "loom/IR/AsmSupport.h"

namespace loom {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The numeric formats, `none` first.
llvm::ArrayRef<llvm::StringLiteral> numericFormats();
llvm::ArrayRef<llvm::StringLiteral> payloadPackings();
llvm::ArrayRef<llvm::StringLiteral> affinePolicies();
/// The keys of auxiliary operands (`scale`, `zero_point`, ...).
llvm::ArrayRef<llvm::StringLiteral> auxiliaryKeys();
bool isAuxiliaryKey(llvm::StringRef key);
/// "a, b, c": for messages.
std::string listWords(llvm::ArrayRef<llvm::StringLiteral> words);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// A rule of encodings that is broken.
struct EncodingProblem {
  DiagCode code;
  std::string message;
  llvm::StringRef param; ///< the parameter in question; empty for the family
};

/// The role of the family of `encoding`; `any` when there is no such family.
EncodingRole getEncodingRole(EncodingAttr encoding);

/// Checks the family [PARSE/008] and the parameters that are given: their names [ENCODING/008],
/// values [ENCODING/010], nested roles [ENCODING/011] and what excludes each other [ENCODING/014].
std::optional<EncodingProblem> checkEncoding(EncodingAttr encoding);
/// Also asks for required parameters [ENCODING/007]; those in `dynamic` are given as values.
std::optional<EncodingProblem> checkCompleteEncoding(EncodingAttr encoding,
                                                     llvm::ArrayRef<llvm::StringRef> dynamic = {});
/// Checks the static layout or encoding that `type` carries, if it does: complete, of a role that
/// suits the type [ENCODING/001], of its rank [SHAPE/001].
std::optional<EncodingProblem> checkTypeEncoding(mlir::Type type);
/// Names of parameters that may be values, with the role of these.
llvm::ArrayRef<std::pair<llvm::StringLiteral, EncodingRole>>
getValueParameters(EncodingAttr encoding);

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// One spelling for encodings that mean the same: short names of schemas become
/// `#encoding.operand`, parameters that equal their defaults are dropped.
EncodingAttr normalizeEncoding(EncodingAttr encoding);

/// A block of bytes of a fixed form (`#ggml.q4_0`). Sizes in elements and bytes.
struct EncodingRecord {
  llvm::StringLiteral family;
  unsigned elements, bytes, alignment;
};

/// What a schema says, with defaults filled in. Words are those of the tables, `none` where nothing
/// is said.
struct SchemaInfo {
  llvm::StringRef elementFormat, payloadPacking, affine, codebook, sparsity;
  llvm::StringRef scaleFormat, secondaryScaleFormat, scaleTopology;
  llvm::SmallVector<llvm::StringRef> rounding; ///< empty for none; in the order of the table
  int64_t payloadElements = 1, payloadRegisters = 0, scaleOperands = 0;
  llvm::SmallVector<int64_t> scaleGroupShape; ///< rank one for `scale_group_elements`
  bool zeroScaleFallback = false;
  const EncodingRecord *record = nullptr; ///< of a fixed record
};
/// Nothing unless `encoding` is a complete schema.
std::optional<SchemaInfo> describeSchema(EncodingAttr encoding);

/// The auxiliary operands that decoding and encoding with a schema need, in the order of
/// auxiliaryKeys(). Those of a fixed record stand in the record, so that an operation which reads
/// whole records supplies them itself. Empty when `schema` is no complete schema.
llvm::SmallVector<llvm::StringRef> requiredAuxiliaryKeys(EncodingAttr schema);

/// Whether a layout in a type is row-major without gaps: none, or `#encoding.layout.dense`.
bool isDenseLayout(mlir::Attribute layout);
/// The strides of a layout in a type, in elements: of `#encoding.layout.strided`, alone or in a
/// storage encoding; nothing for other layouts.
std::optional<llvm::ArrayRef<int64_t>> getStaticStrides(mlir::Attribute layout);
/// How many elements of storage a view or tensor reaches from its first element, when its shape and
/// layout say so: zero for an empty one.
std::optional<int64_t> getElementSpan(mlir::ShapedType type);

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

/// `#family<...>` or an alias, as part of an operation.
ParseResult parseEncodingSpec(OpAsmParser &parser, EncodingAttr &spec);
void printEncodingSpec(OpAsmPrinter &printer, mlir::Operation *, EncodingAttr spec);

/// ` {key = %value : type, ...}`, keys sorted; left out when empty. `keys` holds strings, one per
/// operand. Printed with the blank before it: the format says `` `` custom<OperandDict> ``.
ParseResult parseOperandDict(OpAsmParser &parser, llvm::SmallVectorImpl<UnresolvedOperand> &values,
                             llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &keys);
void printOperandDict(OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange values,
                      mlir::TypeRange types, mlir::ArrayAttr keys);

} // namespace loom

#endif // LOOM_IR_ENCODINGS_H
