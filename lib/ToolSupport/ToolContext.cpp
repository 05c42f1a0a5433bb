//===- ToolContext.cpp - What every tool over modules begins with ---------===//
#include "loom/ToolSupport/ToolContext.h"
#include "loom/IR/Loom.h"
#include "loom/Support/FileIO.h"
#include "loom/Target/TargetProfile.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/StringExtras.h"

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

std::string describeUnknownTarget(StringRef spelling, ArrayRef<std::string> suggestions) {
  std::string message = "unknown target '" + spelling.str() + "'; ";
  if (!suggestions.empty())
    return message + "did you mean " + llvm::join(suggestions, ", ");
  static constexpr TargetFamily families[] = {TargetFamily::AMDGPU, TargetFamily::X86};
  bool namesFamily = llvm::any_of(families, [&](TargetFamily family) {
    return spelling.split(':').first == stringifyFamily(family);
  });
  std::vector<std::string> known;
  for (TargetFamily family : families)
    if (!namesFamily || spelling.split(':').first == stringifyFamily(family))
      for (const TargetProfile &profile : targetProfiles(family))
        known.push_back((stringifyFamily(family) + ":" + profile.key).str());
  return message + "the targets are " + llvm::join(known, ", ");
}

InputFormat parseInputFormat(StringRef spelling) {
  if (spelling == "text")
    return InputFormat::Text;
  return spelling == "auto" ? InputFormat::Auto : InputFormat::Bytecode;
}

} // namespace loom
