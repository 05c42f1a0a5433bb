//===- text_fuzz.cpp - Any bytes as a program -----------------------------===//
//
// Whatever the bytes are: reading them reports errors or gives a module. A module that verifies
// prints to text that reads back to the same text, and goes through bytecode unchanged.
//
//===----------------------------------------------------------------------===//
#include "fuzz.h"
#include "loom/Text/Text.h"

using namespace loom;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzContext fuzz;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto module = parseSourceText(text, "fuzz.loom", fuzz.context());
  if (!module || mlir::failed(verifyModule(*module)))
    return 0;
  std::string printed = printSourceText(*module);
  fuzz.expectSameProgram(*module, printed);
  return 0;
}
