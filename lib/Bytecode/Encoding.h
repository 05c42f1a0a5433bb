//===- Encoding.h - The payload of a .loombc file ---------------*- C++ -*-===//
//
// Numbers are LEB128; signed ones are zigzagged first. A string is its length and its bytes; a list
// is its length and its elements. An optional number is 0 for none, else the number plus one. The
// payload is, in this order:
//
//   dialects   list of strings
//   names      list of strings, the full names of operations
//   entries    list of types and attributes: EntryKind + 4 * dialect, then a string of bytes: what
//              the dialect's BytecodeDialectInterface writes, or the textual form where it has
//              none. Types and attributes are numbered apart, in order; an entry refers to earlier
//              ones only.
//   forms      list of what statements have in common, each a string of bytes: name, number of
//              operands, of successors, of regions, optional list of result types (none when there
//              are more than kMaxFormResults), optional dictionary of attributes, and the
//              properties as the operation's BytecodeOpInterface writes them, or as one optional
//              attribute
//   module     one statement
//
// A statement is a form, a location, the result types that its form does not list, regions,
// operands and successors. Regions stand before operands, so that the users of a value are linked
// to it in the same order as by the parser of the text. A region is a list of blocks, a block a
// list of arguments (type, location) and a list of statements.
//
// Values are numbered as they are read: arguments of a block before its statements, results of a
// statement after what is in its regions; behind an operation that is isolated from above the
// numbers continue where they were before its regions. An operand is the distance back to its
// value; for a value that is still to come, 0 and the distance ahead. A successor is the position
// of a block in its region.
//
// A location is 4 * name + LocationKind, where `name` is an optional attribute, and then for
// Attribute: nothing, `name` is the location itself; for the others what is new: the file (InFile),
// the dictionary of comments (InFile: optional; Commented), then the difference of the line to that
// of the location before, and the column.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_BYTECODE_ENCODING_H
#define LOOM_LIB_BYTECODE_ENCODING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace loom::bytecode {

enum class EntryKind : unsigned { Attribute, Type, AttributeText, TypeText };
enum class LocationKind : unsigned { Attribute, Plain, Commented, InFile };

/// So many results an operation has at most whose types its form lists: a few bytes of a damaged
/// file can then not ask for many values.
inline constexpr unsigned kMaxFormResults = 8;
/// Regions within regions; the text allows a hundred in one function, inlining adds them up.
inline constexpr unsigned kMaxNesting = 400;

/// Appends the payload with `module` to `out`; reports what has no form in it.
mlir::LogicalResult writePayload(mlir::ModuleOp module, std::string &out);

/// The module of a payload. Reports at `loc` and returns null when it is damaged.
mlir::OwningOpRef<mlir::ModuleOp> readPayload(llvm::StringRef payload, mlir::Location loc);

} // namespace loom::bytecode

#endif // LOOM_LIB_BYTECODE_ENCODING_H
