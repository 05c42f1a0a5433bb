//===- Tables.h - Types and attributes of a .loombc file --------*- C++ -*-===//
//
// Nothing of the payload is believed: every number is compared with what there is, every count with
// the bytes that are left. So reading ends, and takes memory in proportion to the payload.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_BYTECODE_TABLES_H
#define LOOM_LIB_BYTECODE_TABLES_H

#include "Encoding.h"
#include "loom/IR/Diagnostics.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include <vector>

namespace loom::bytecode {

/// What is left of a stretch of bytes.
struct Bytes {
  const char *cursor = nullptr, *end = nullptr;

  explicit Bytes(llvm::StringRef bytes) : cursor(bytes.begin()), end(bytes.end()) {}

  size_t left() const { return end - cursor; }

  /// False at the end of the bytes and for numbers beyond 64 bits.
  bool readVarInt(uint64_t &result) {
    if (LLVM_LIKELY(cursor != end && static_cast<uint8_t>(*cursor) < 0x80)) {
      result = static_cast<uint8_t>(*cursor++);
      return true;
    }
    result = 0;
    for (unsigned shift = 0; cursor != end && shift < 64; shift += 7) {
      uint64_t byte = static_cast<uint8_t>(*cursor++);
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return shift < 63 || byte <= 1;
    }
    return false;
  }
  bool readSignedVarInt(int64_t &result) {
    uint64_t value;
    if (!readVarInt(value))
      return false;
    result = static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1));
    return true;
  }
  /// The number of elements of a list, each of which is one byte at least.
  bool readCount(uint64_t &result) { return readVarInt(result) && result <= left(); }
  bool readString(llvm::StringRef &result) {
    uint64_t size;
    if (!readCount(size))
      return false;
    result = llvm::StringRef(cursor, size);
    cursor += size;
    return true;
  }
};

/// The types and attributes of a payload, and what dialects and operations read theirs with. Each
/// failure has been reported; what follows from the first one is not shown.
class TableReader final : public mlir::DialectBytecodeReader {
public:
  /// `in` is what is left of the payload; others read from it, too.
  TableReader(Bytes &in, mlir::Location loc) : in(in), loc(loc) {}

  mlir::LogicalResult readDialects();
  mlir::LogicalResult readEntries();

  /// Calls `read` on a string of bytes, of which it has to use all.
  mlir::LogicalResult readWithin(llvm::function_ref<mlir::LogicalResult()> read);

  /// Whether an error has been reported.
  bool hasReported() const { return reported; }
  mlir::LogicalResult damaged(const llvm::Twine &message) const;
  mlir::LogicalResult truncated() const { return damaged("it ends too early"); }

  /// The attribute with a number that was read; null when there is none.
  mlir::Attribute getAttribute(uint64_t number) const {
    return number < attributes.size() ? attributes[number] : mlir::Attribute();
  }

  mlir::InFlightDiagnostic emitError(const llvm::Twine &message = {}) const override;
  mlir::MLIRContext *getContext() const override { return loc.getContext(); }
  uint64_t getBytecodeVersion() const override;
  mlir::FailureOr<const mlir::DialectVersion *> getDialectVersion(llvm::StringRef) const override {
    return mlir::failure();
  }

  using DialectBytecodeReader::readAttribute;
  using DialectBytecodeReader::readOptionalAttribute;
  using DialectBytecodeReader::readType;
  mlir::LogicalResult readAttribute(mlir::Attribute &result) override;
  mlir::LogicalResult readOptionalAttribute(mlir::Attribute &result) override;
  mlir::LogicalResult readType(mlir::Type &result) override;
  mlir::LogicalResult readVarInt(uint64_t &result) override;
  mlir::LogicalResult readSignedVarInt(int64_t &result) override;
  // These give a number in any case: the builtin dialect takes it without looking for failure.
  mlir::FailureOr<llvm::APInt> readAPIntWithKnownWidth(unsigned width) override;
  mlir::FailureOr<llvm::APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) override;
  mlir::LogicalResult readString(llvm::StringRef &result) override;
  mlir::LogicalResult readBlob(llvm::ArrayRef<char> &result) override;
  mlir::LogicalResult readBool(bool &result) override;

private:
  mlir::FailureOr<mlir::AsmDialectResourceHandle> readResourceHandle() override;
  mlir::LogicalResult readEntry(EntryKind kind, const mlir::BytecodeDialectInterface *dialect);

  Bytes &in;
  mlir::Location loc;
  mutable bool reported = false;
  uint64_t largest = UINT64_MAX;                                ///< number that readVarInt may give
  std::vector<const mlir::BytecodeDialectInterface *> dialects; ///< null: without binary forms
  std::vector<mlir::Attribute> attributes;
  std::vector<mlir::Type> types;
};

} // namespace loom::bytecode

#endif // LOOM_LIB_BYTECODE_TABLES_H
