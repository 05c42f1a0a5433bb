//===- ToolContext.cpp - What every tool over modules begins with ---------===//
#include "loom/ToolSupport/ToolContext.h"
#include "loom/IR/Loom.h"
#include "loom/Support/FileIO.h"
#include "loom/Text/Text.h"

namespace loom {
using namespace mlir;

static DialectRegistry languageRegistry() {
  DialectRegistry registry;
  registerLoomDialects(registry);
  return registry;
}

ToolContext::ToolContext(StringRef tool)
    : tool(tool.str()), mlirContext(languageRegistry(), MLIRContext::Threading::DISABLED),
      engine(&mlirContext, llvm::errs()) {
  // Only this call takes the locks out of the tables of types and attributes.
  mlirContext.disableMultithreading();
  mlirContext.loadAllAvailableDialects();
}

void ToolContext::error(const Twine &message) {
  llvm::errs() << tool << ": error: " << message << '\n';
}

OwningOpRef<ModuleOp> ToolContext::load(StringRef path, InputFormat format) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInput(path);
  if (!buffer) {
    error(llvm::toString(buffer.takeError()));
    return {};
  }
  return loadModule((*buffer)->getMemBufferRef(), &mlirContext, engine, format);
}

FailureOr<std::string> ToolContext::serialize(ModuleOp module, bool asBytecode) {
  if (!asBytecode)
    return printSourceText(module);
  std::string bytes;
  if (failed(writeBytecode(module, bytes))) {
    error("the module cannot be written as bytecode");
    return failure();
  }
  return bytes;
}

LogicalResult ToolContext::write(StringRef path, StringRef contents) {
  if (llvm::Error problem = writeOutput(path, contents)) {
    error(llvm::toString(std::move(problem)));
    return failure();
  }
  return success();
}

InputFormat parseInputFormat(StringRef spelling) {
  if (spelling == "text")
    return InputFormat::Text;
  return spelling == "auto" ? InputFormat::Auto : InputFormat::Bytecode;
}

} // namespace loom
