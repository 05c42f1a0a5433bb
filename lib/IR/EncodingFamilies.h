//===- EncodingFamilies.h - The table behind Encodings.h --------*- C++ -*-===//
#ifndef LOOM_LIB_IR_ENCODINGFAMILIES_H
#define LOOM_LIB_IR_ENCODINGFAMILIES_H

#include "loom/IR/Encodings.h"

namespace loom {

/// A fixed record with the operand that it describes.
struct RecordFamily {
  EncodingRecord record;
  llvm::StringLiteral elementFormat, packing, scaleFormat, secondaryFormat, topology;
  int64_t group;
  llvm::StringLiteral affine;
  int64_t scaleOperands;
  llvm::ArrayRef<llvm::StringLiteral> needs;
};

/// Scale operands that have a key.
constexpr int64_t kMaxScales = 8;

/// Null when `family` is no fixed record.
const RecordFamily *findRecord(llvm::StringRef family);
/// The format whose short name `family` is; empty for others.
llvm::StringRef getShortFormat(llvm::StringRef family);
llvm::ArrayRef<llvm::StringLiteral> roundingPolicies();

/// The value of a parameter: a number, a word.
std::optional<int64_t> asInteger(mlir::Attribute value);
llvm::StringRef asWord(mlir::Attribute value, llvm::StringRef otherwise = "none");

} // namespace loom

#endif // LOOM_LIB_IR_ENCODINGFAMILIES_H
