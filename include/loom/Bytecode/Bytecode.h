//===- Bytecode.h - The .loombc container -----------------------*- C++ -*-===//
//
// A container around a program in binary form (lib/Bytecode/Encoding.h). Everything in the header
// is checked before a byte of the payload is read, and the payload is not trusted either, so a
// damaged or foreign file is an error message and nothing else.
//
//   bytes  0..7   magic "LOOMBC\r\n"
//          8..11  format version, little-endian
//         12..15  length of the producer string
//         16..23  length of the payload
//         24..31  xxh3 hash of producer and payload
//         32..    producer, payload
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BYTECODE_BYTECODE_H
#define LOOM_BYTECODE_BYTECODE_H

#include "loom/IR/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace loom {

/// Changes with every change of the payload or of the dialects that old bytes cannot be read with.
inline constexpr uint32_t kBytecodeVersion = 3;

/// True when `bytes` begin like a Loom bytecode file, whether or not the rest is sound.
bool isBytecode(llvm::StringRef bytes);

/// Appends the container with `module` to `bytes`, the same for the same module. Reports what
/// bytecode cannot hold: operations of unknown dialects, resources.
mlir::LogicalResult writeBytecode(mlir::ModuleOp module, std::string &bytes);

/// Reads a container. Reports at `buffer`'s name and returns null for anything but a sound file of
/// this version.
mlir::OwningOpRef<mlir::ModuleOp> readBytecode(llvm::MemoryBufferRef buffer,
                                               mlir::MLIRContext *context);

/// How the bytes of an input are to be read.
enum class InputFormat { Auto, Text, Bytecode };

/// Reads text or bytecode and verifies it. Registers text with `diagnostics`, for carets. Null
/// after reporting when the program is not sound.
mlir::OwningOpRef<mlir::ModuleOp> loadModule(llvm::MemoryBufferRef buffer,
                                             mlir::MLIRContext *context,
                                             DiagnosticEngineScope &diagnostics,
                                             InputFormat format = InputFormat::Auto);

} // namespace loom

#endif // LOOM_BYTECODE_BYTECODE_H
