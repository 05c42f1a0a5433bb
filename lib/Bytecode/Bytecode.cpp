//===- Bytecode.cpp - The .loombc container -------------------------------===//
#include "loom/Bytecode/Bytecode.h"
#include "Encoding.h"
#include "loom/IR/Loom.h"
#include "loom/Text/Text.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

namespace loom {
using namespace mlir;

static constexpr llvm::StringLiteral kMagic("LOOMBC\r\n");
static constexpr size_t kHeaderSize = 32;
static constexpr llvm::StringLiteral kProducer("loom 0.1.0, MLIR 22.1");

bool isBytecode(StringRef bytes) { return bytes.starts_with(kMagic); }

static uint64_t hashOf(StringRef body) {
  return llvm::xxh3_64bits(ArrayRef<uint8_t>(body.bytes_begin(), body.size()));
}

LogicalResult writeBytecode(ModuleOp module, std::string &bytes) {
  std::string body = kProducer.str();
  if (failed(bytecode::writePayload(module, body)))
    return failure();
  char header[kHeaderSize];
  memcpy(header, kMagic.data(), kMagic.size());
  llvm::support::endian::write32le(header + 8, kBytecodeVersion);
  llvm::support::endian::write32le(header + 12, kProducer.size());
  llvm::support::endian::write64le(header + 16, body.size() - kProducer.size());
  llvm::support::endian::write64le(header + 24, hashOf(body));
  bytes.append(header, kHeaderSize);
  bytes += body;
  return success();
}

/// The payload of a sound container, or an error at the file.
static FailureOr<StringRef> openContainer(llvm::MemoryBufferRef buffer, Location loc) {
  StringRef bytes = buffer.getBuffer();
  auto refuse = [&](const Twine &reason) {
    emitCoded(loc, DiagCode::BytecodeFormat, reason);
    return failure();
  };
  if (!isBytecode(bytes))
    return refuse("this is not a Loom bytecode file");
  if (bytes.size() < kHeaderSize)
    return refuse("the bytecode file is truncated: its header is incomplete");
  uint32_t version = llvm::support::endian::read32le(bytes.data() + 8);
  uint64_t producerSize = llvm::support::endian::read32le(bytes.data() + 12);
  uint64_t payloadSize = llvm::support::endian::read64le(bytes.data() + 16);
  uint64_t hash = llvm::support::endian::read64le(bytes.data() + 24);
  StringRef body = bytes.drop_front(kHeaderSize);
  if (version != kBytecodeVersion)
    return refuse("the bytecode file has format version " + Twine(version) +
                  ", this tool reads version " + Twine(kBytecodeVersion) +
                  "; make it anew from its sources with loom-link --to=bc");
  if (producerSize > body.size() || payloadSize > body.size() - producerSize)
    return refuse("the bytecode file is truncated: " + Twine(body.size()) +
                  " bytes follow the header, it announces " + Twine(producerSize) + " and " +
                  Twine(payloadSize));
  if (payloadSize < body.size() - producerSize)
    return refuse("the bytecode file has bytes after its end");
  if (hashOf(body) != hash)
    return refuse("the bytecode file is damaged: its contents do not match their hash");
  if (body.take_front(producerSize) != kProducer)
    return refuse("the bytecode file was written by '" + body.take_front(producerSize) +
                  "', this is '" + kProducer +
                  "'; make it anew from its sources with loom-link --to=bc");
  return body.drop_front(producerSize);
}

OwningOpRef<ModuleOp> readBytecode(llvm::MemoryBufferRef buffer, MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, buffer.getBufferIdentifier(), 1, 1);
  FailureOr<StringRef> payload = openContainer(buffer, loc);
  if (failed(payload))
    return {};
  return bytecode::readPayload(*payload, loc);
}

OwningOpRef<ModuleOp> loadModule(llvm::MemoryBufferRef buffer, MLIRContext *context,
                                 DiagnosticEngineScope &diagnostics, InputFormat format) {
  bool bytecode = format == InputFormat::Bytecode ||
                  (format == InputFormat::Auto && isBytecode(buffer.getBuffer()));
  OwningOpRef<ModuleOp> module;
  if (!bytecode && isBytecode(buffer.getBuffer())) {
    emitCoded(FileLineColLoc::get(context, buffer.getBufferIdentifier(), 1, 1),
              DiagCode::BytecodeFormat, "this is bytecode, not text; --from=bc reads it");
    return {};
  }
  if (bytecode) {
    module = readBytecode(buffer, context);
  } else {
    diagnostics.addSource(buffer.getBufferIdentifier(), buffer.getBuffer());
    module = parseSourceText(buffer.getBuffer(), buffer.getBufferIdentifier(), context);
  }
  if (!module || failed(verifyModule(*module)))
    return {};
  return module;
}

} // namespace loom
