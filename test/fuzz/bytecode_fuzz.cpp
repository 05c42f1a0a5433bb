//===- bytecode_fuzz.cpp - Any bytes as a bytecode file -------------------===//
//
// Whatever the bytes are: reading them reports one error or gives a module, and a module that
// verifies can be printed and written again. A second reading is told that lengths and hash are
// those of the bytes, since few inputs would get past them. What a tool wrote reads back to the
// same program; bytes that were changed may hold what has no text, names of values and the like.
//
//===----------------------------------------------------------------------===//
#include "fuzz.h"
#include "loom/Text/Text.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace loom;

static void read(FuzzContext &fuzz, llvm::StringRef bytes, bool isSealed) {
  auto module = readBytecode(llvm::MemoryBufferRef(bytes, "fuzz.loombc"), fuzz.context());
  if (!module || mlir::failed(verifyModule(*module)))
    return;
  std::string printed = printSourceText(*module);
  if (!isSealed)
    return fuzz.expectSameProgram(*module, printed);
  std::string again;
  if (mlir::failed(writeBytecode(*module, again)))
    return;
  if (!readBytecode(llvm::MemoryBufferRef(again, "fuzz.loombc"), fuzz.context()))
    fuzz.fail("bytecode does not read back", printed);
}

/// `bytes` with the length of the payload and the hash that they ought to have; see Bytecode.h.
static std::string seal(llvm::StringRef bytes) {
  constexpr size_t kHeaderSize = 32;
  std::string sealed = bytes.str();
  llvm::StringRef body = llvm::StringRef(sealed).drop_front(kHeaderSize);
  uint64_t producer = llvm::support::endian::read32le(sealed.data() + 12);
  llvm::support::endian::write64le(sealed.data() + 16,
                                   body.size() - std::min(producer, body.size()));
  llvm::support::endian::write64le(sealed.data() + 24, llvm::xxh3_64bits(body));
  return sealed;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzContext fuzz;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  read(fuzz, bytes, /*isSealed=*/false);
  if (isBytecode(bytes) && size >= 32)
    read(fuzz, seal(bytes), /*isSealed=*/true);
  return 0;
}
