//===- Messages.h - What diagnostics point at and how they name it -*- C++ -*-===//
//
// An operation remembers the place of its name, not those of its operands and attributes: they
// would double the memory of a program. Where a diagnostic is about a part of a statement, its
// location says which token that is, and the token is looked up in the text of the file when the
// diagnostic is shown. Without the text, as for bytecode, or where the statement does not have the
// token (the compiler has changed the operation), the place is that of the operation.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_MESSAGES_H
#define LOOM_IR_MESSAGES_H

#include "loom/IR/Loom.h"

namespace loom {

//===----------------------------------------------------------------------===//
// Places inside of statements; for diagnostics only, never for operations
//===----------------------------------------------------------------------===//

/// The operand `number` of `op` in the text.
mlir::Location atOperand(mlir::Operation *op, unsigned number);
/// The first use of `value` as an operand of `op`; the place of `op` when it is none.
mlir::Location atOperand(mlir::Operation *op, mlir::Value value);
/// The use of the symbol `@name` in the statement of `op`.
mlir::Location atSymbol(mlir::Operation *op, llvm::StringRef name);
/// An occurrence of `word` in the statement of `op`, and the literal behind one: `word(literal)`.
mlir::Location atWord(mlir::Operation *op, llvm::StringRef word, unsigned occurrence = 0);
mlir::Location atLiteral(mlir::Operation *op, llvm::StringRef word);
/// The key of the entry `key = ...` in the statement of `op`.
mlir::Location atKey(mlir::Operation *op, llvm::StringRef key);
/// The brackets behind the operand `number` of `op`.
mlir::Location atIndices(mlir::Operation *op, unsigned number);
/// Whether `op`, a terminator, is one that the author left out: it has the place of its owner.
bool isLeftOut(mlir::Operation *op);
/// The closing brace behind `block`, or the label of the block that follows it.
mlir::Location atEndOf(mlir::Block &block);

/// The place in `text`, the source of its file, that `location` stands for; nothing when
/// `location` is none of the above or its token is not there. `begin` is where the place of the
/// operation is.
std::optional<size_t> findToken(mlir::Location location, llvm::StringRef text, size_t begin);

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// `%name`, or the number of a constant without one; empty when there is nothing to call it.
std::string spellValue(mlir::Value value);
/// `'%name'`, or "argument 2" for a value without a name: number `i` of what `what` calls one.
std::string spellPassed(mlir::Value value, llvm::StringRef what, size_t i);
/// ", which is %left": what fills a slot, where there is a name for it; empty otherwise.
std::string whichIs(mlir::Value filler);
/// The type of `value` as its author writes it: `tensor<[%count]xf32>`.
std::string spellType(mlir::Value value);
/// The same for the type of an operand or result of `op`.
std::string spellType(mlir::Operation *op, mlir::Type type);

} // namespace loom

#endif // LOOM_IR_MESSAGES_H
