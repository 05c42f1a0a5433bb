//===- NpyHeader.h - The dictionary in front of an array --------*- C++ -*-===//
#ifndef LOOM_LIB_RUNTIME_NPYHEADER_H
#define LOOM_LIB_RUNTIME_NPYHEADER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace loom::runtime {

struct NpyHeader {
  std::string description; ///< "<f4"
  bool fortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
  size_t dataOffset = 0; ///< where the elements begin in the file
};

/// Reads the header of the file with these contents. The error is the end of a sentence that begins
/// with the file: "is no array of NumPy: ...".
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef contents);

/// The bytes before the elements of a file of version 1.0, padded so that elements are aligned to
/// 64 bytes.
std::string makeNpyHeader(llvm::StringRef description, llvm::ArrayRef<int64_t> shape);

/// "(3, 4)", "(5,)", "()".
std::string stringifyNpyShape(llvm::ArrayRef<int64_t> shape);

} // namespace loom::runtime

#endif // LOOM_LIB_RUNTIME_NPYHEADER_H
