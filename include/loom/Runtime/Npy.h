//===- Npy.h - Arrays in files of NumPy -------------------------*- C++ -*-===//
//
// The format is that of NumPy's documentation (numpy.lib.format, versions 1.0, 2.0 and 3.0): a
// magic string, a version, the length of the header, the header as the literal of a Python
// dictionary, and the elements. NumPy has no bf16 and no 8-bit floats: they are stored as raw
// bytes, V2 and V1, as the package ml_dtypes does.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_NPY_H
#define LOOM_RUNTIME_NPY_H

#include "loom/Runtime/Tensor.h"

namespace loom::runtime {

/// The `descr` that elements of `type` are written with: "<f4", "|i1", "<V2".
llvm::StringRef npyDescription(ElementType type);

/// Reads the array of a file into `tensor`, whose shape and element type it has to have: the width
/// and kind of its elements, where an integer may be unsigned and of either byte order. Refused
/// with a sentence that begins with the path: a file that is no array or ends too early or too
/// late, another element type or shape, Fortran order. `tensor` is unchanged then, but for its
/// contents when reading itself fails.
llvm::Error readNpy(llvm::StringRef path, Tensor &tensor);

/// Writes `tensor` as version 1.0 in C order. The bytes go to a temporary file in the folder of
/// `path`, reach the disk, and only then get the name: whoever looks sees the whole file or what
/// was there before. A limit on the size of files is an error like a full disk, and the temporary
/// file is gone after it; only a process that is killed leaves it behind. Folders that are missing
/// are made.
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_NPY_H
