//===- ToolContext.h - What every tool over modules begins with -*- C++ -*-===//
#ifndef LOOM_TOOLSUPPORT_TOOLCONTEXT_H
#define LOOM_TOOLSUPPORT_TOOLCONTEXT_H

#include "loom/Bytecode/Bytecode.h"
#include "loom/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <string>

namespace loom {

/// A context with the dialects of the language, and diagnostics that go to standard error. MLIR's
/// threads stay off: tools are run many at a time by build systems.
class ToolContext {
public:
  explicit ToolContext(llvm::StringRef tool);

  mlir::MLIRContext &context() { return mlirContext; }
  DiagnosticEngineScope &diagnostics() { return engine; }

  /// Reads and verifies one input, text or bytecode; `-` is standard input. Null after reporting.
  mlir::OwningOpRef<mlir::ModuleOp> load(llvm::StringRef path,
                                         InputFormat format = InputFormat::Auto);

  /// The module as text or bytecode. Fails after reporting.
  mlir::FailureOr<std::string> serialize(mlir::ModuleOp module, bool asBytecode);

  /// Writes an output whole. Fails after reporting.
  mlir::LogicalResult write(llvm::StringRef path, llvm::StringRef contents);

  /// `tool: error: message` on standard error.
  void error(const llvm::Twine &message);

private:
  std::string tool;
  mlir::MLIRContext mlirContext;
  DiagnosticEngineScope engine;
};

/// What a tool says of a `--target` that does not exist: the nearest spellings, else all of the
/// family that it names, else all.
std::string describeUnknownTarget(llvm::StringRef spelling,
                                  llvm::ArrayRef<std::string> suggestions);

/// "auto", "text", "bc" or "bytecode" as the flags spell them.
InputFormat parseInputFormat(llvm::StringRef spelling);
inline constexpr llvm::StringRef kInputFormats[] = {"auto", "text", "bc", "bytecode"};
inline constexpr llvm::StringRef kOutputFormats[] = {"text", "bc", "bytecode"};

} // namespace loom

#endif // LOOM_TOOLSUPPORT_TOOLCONTEXT_H
