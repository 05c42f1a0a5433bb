//===- Messages.cpp - What is said of a kernel that ran -------------------===//
#include "loom/Dialect/Kernel/Messages.h"
#include "loom/IR/SourceInfo.h"

namespace loom {
using namespace mlir;

std::string placeText(Location location) {
  FileLineColLoc file = getFileLoc(location);
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
          Twine(file.getColumn()) + ": ")
      .str();
}

Operation *findOnlyOp(KernelDefOp kernel, llvm::function_ref<bool(Operation *)> predicate) {
  Operation *found = nullptr;
  unsigned count = 0;
  kernel.getBody().walk([&](Operation *op) {
    if (predicate(op)) {
      found = op;
      ++count;
    }
  });
  return count == 1 ? found : nullptr;
}

std::string byteText(KernelDefOp kernel, unsigned argument, int64_t at, uint64_t size) {
  StringRef author = getValueName(kernel.getBody().getArgument(argument));
  std::string name = author.empty() ? "argument " + std::to_string(argument) : "%" + author.str();
  std::string bytes = " of the " + std::to_string(size) + " bytes of " + name;
  return at < 0 ? ", " + std::to_string(-at) + " bytes in front" + bytes
                : ", at byte " + std::to_string(at) + bytes;
}

} // namespace loom
