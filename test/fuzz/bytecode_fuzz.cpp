//===- bytecode_fuzz.cpp - Any bytes as a bytecode file -------------------===//
//
// Whatever the bytes are: reading them reports one error or gives a module. A module that verifies
// can be printed and read back.
//
//===----------------------------------------------------------------------===//
#include "fuzz.h"
#include "loom/Text/Text.h"

using namespace loom;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzContext fuzz;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto module = readBytecode(llvm::MemoryBufferRef(bytes, "fuzz.loombc"), fuzz.context());
  if (!module || mlir::failed(verifyModule(*module)))
    return 0;
  std::string printed = printSourceText(*module);
  fuzz.expectSameProgram(*module, printed);
  return 0;
}
