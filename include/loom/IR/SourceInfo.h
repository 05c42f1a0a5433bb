//===- SourceInfo.h - Author's names and comments in locations --*- C++ -*-===//
//
// The location of an operation or block argument that was read from text is one SourceLocAttr
// (LoomBase.td): its place, the name of the value, and what else the author wrote besides the
// program: names of several results, comments, labels of blocks. It survives cloning, inlining and
// bytecode.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_SOURCEINFO_H
#define LOOM_IR_SOURCEINFO_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace loom {

/// A comment inside a statement: behind `token` tokens of the part `segment` of it, where part 0
/// ends at the statement's first region and part i begins behind region i - 1.
struct InnerComment {
  unsigned segment, token;
  bool ownLine; ///< it stands on a line of its own
  llvm::StringRef text;
};

/// Comments and blank lines around one operation. An empty string in `leading` or `after` is a
/// blank line.
struct SourceInfo {
  llvm::SmallVector<llvm::StringRef, 2> names; ///< of the results, without `%`
  llvm::SmallVector<llvm::StringRef, 2> leading;
  llvm::StringRef trailing; ///< comment on the line of the operation's end
  /// Comments at the end of a region of the operation, before its closing brace: region, text.
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>, 2> regionEnd;
  /// Comments behind the opening brace of a region, on its line: region, text.
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>, 2> regionBegin;
  /// Labels of the blocks of a region but the first, without `^`: region, label.
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>, 2> blockNames;
  /// Comments behind the operation and before a block label, or at the end of the file.
  llvm::SmallVector<llvm::StringRef, 2> after;
  llvm::SmallVector<InnerComment, 0> inside;

  bool empty() const { return names.empty() && hasNamesOnly(); }
  bool hasNamesOnly() const {
    return leading.empty() && trailing.empty() && regionEnd.empty() && regionBegin.empty() &&
           blockNames.empty() && after.empty() && inside.empty();
  }
};

/// What `location` says about the author's text; empty for synthesized operations.
SourceInfo getSourceInfo(mlir::Location location);
/// `location` with `info` in place of what it had.
mlir::Location setSourceInfo(mlir::Location location, const SourceInfo &info);

/// A place in a file, with the name of the value that is defined there (empty for none).
mlir::Location makeSourceLoc(mlir::StringAttr file, unsigned line, unsigned column,
                             llvm::StringRef name = {});

/// The author's name of a value without `%`; empty when it has none.
llvm::StringRef getValueName(mlir::Value value);
/// A location for an operation made from `op` whose results are called after `name`.
mlir::Location nameLoc(mlir::Location location, llvm::ArrayRef<llvm::StringRef> names);
/// `location` without names and comments, for operations that the compiler makes.
mlir::Location stripSourceInfo(mlir::Location location);

/// The file, line and column at the bottom of `location`, if there is one.
mlir::FileLineColLoc getFileLoc(mlir::Location location);

} // namespace loom

#endif // LOOM_IR_SOURCEINFO_H
