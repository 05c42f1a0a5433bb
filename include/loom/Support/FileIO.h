//===- FileIO.h - Reading inputs, writing outputs whole ---------*- C++ -*-===//
//
// The file conventions of every tool: a path of `-` or the empty string is standard input or
// standard output, and an output file is either complete or as it was before.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_SUPPORT_FILEIO_H
#define LOOM_SUPPORT_FILEIO_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace loom {

/// Whether `path` names a standard stream: `-` or nothing.
bool isStandardStream(llvm::StringRef path);

/// The name that messages use for `path`: itself, `<stdin>` or `<stdout>`.
std::string inputName(llvm::StringRef path);
std::string outputName(llvm::StringRef path);

/// Reads all of a file or of standard input. The buffer ends in a null byte behind its contents and
/// its identifier is inputName(path). The error says which file could not be read and why.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInput(llvm::StringRef path);

/// One output of a tool. Bytes are collected in memory; `commit` puts them into a temporary file in
/// the folder of the destination and renames it, so that nobody ever sees half of an output and
/// a failure leaves the destination as it was. A destination that is a symbolic link is written
/// through the link, an existing file keeps its permissions, and devices and pipes are written
/// directly. Destroying an output without `commit` writes nothing.
class AtomicOutput {
public:
  /// Fails at once, before any work is spent, when the destination is a folder, lies in a folder
  /// that does not exist, or cannot be written by this user.
  static llvm::Expected<AtomicOutput> open(llvm::StringRef path);

  AtomicOutput(AtomicOutput &&) = default;
  AtomicOutput &operator=(AtomicOutput &&) = default;

  /// Where to write; valid until `commit`.
  llvm::raw_pwrite_stream &stream() { return *writer; }

  /// Writes everything out. To be called once.
  llvm::Error commit();

private:
  explicit AtomicOutput(llvm::StringRef path);

  llvm::Error commitDirectly(llvm::StringRef destination);
  llvm::Error commitByRename(llvm::StringRef destination);

  std::string path;
  std::unique_ptr<llvm::SmallVector<char, 0>> bytes;
  std::unique_ptr<llvm::raw_svector_ostream> writer;
};

/// Opens, writes and commits in one step.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef contents);

} // namespace loom

#endif // LOOM_SUPPORT_FILEIO_H
