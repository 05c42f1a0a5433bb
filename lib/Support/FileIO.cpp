//===- FileIO.cpp - Reading inputs, writing outputs whole -----------------===//
#include "loom/Support/FileIO.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace loom {

bool isStandardStream(StringRef path) { return path.empty() || path == "-"; }

std::string inputName(StringRef path) { return isStandardStream(path) ? "<stdin>" : path.str(); }

std::string outputName(StringRef path) { return isStandardStream(path) ? "<stdout>" : path.str(); }

static Error fileError(StringRef verb, const std::string &name, const Twine &reason) {
  return createStringError(inconvertibleErrorCode(),
                           "cannot " + verb + " '" + name + "': " + reason);
}

Expected<std::unique_ptr<MemoryBuffer>> readInput(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      isStandardStream(path) ? MemoryBuffer::getSTDIN() : MemoryBuffer::getFile(path);
  if (!buffer)
    return fileError("read", inputName(path), buffer.getError().message());
  return std::move(*buffer);
}

AtomicOutput::AtomicOutput(StringRef path)
    : path(path), bytes(std::make_unique<SmallVector<char, 0>>()),
      writer(std::make_unique<raw_svector_ostream>(*bytes)) {}

Expected<AtomicOutput> AtomicOutput::open(StringRef path) {
  if (isStandardStream(path))
    return AtomicOutput(path);
  if (sys::fs::is_directory(path))
    return fileError("write", outputName(path), "it is a folder");
  StringRef folder = sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!sys::fs::is_directory(folder))
    return fileError("write", outputName(path), "there is no folder '" + folder + "'");
  bool exists = sys::fs::exists(path);
  if (std::error_code error = sys::fs::access(exists ? path : folder, sys::fs::AccessMode::Write))
    return fileError("write", outputName(path), error.message());
  return AtomicOutput(path);
}

Error AtomicOutput::commit() {
  assert(writer && "an output is committed once");
  writer.reset();
  if (isStandardStream(path)) {
    outs().write(bytes->data(), bytes->size());
    outs().flush();
    if (!outs().has_error())
      return Error::success();
    std::error_code error = outs().error();
    outs().clear_error();
    return fileError("write", outputName(path), error.message());
  }
  SmallString<256> destination(path);
  sys::fs::file_status status;
  if (!sys::fs::status(path, status)) {
    if (!sys::fs::is_regular_file(status))
      return commitDirectly(path);
    if (sys::fs::real_path(path, destination))
      destination = path;
  }
  return commitByRename(destination);
}

/// Hands the bytes to `file` and reports the first error of writing and closing.
static std::error_code writeAndClose(int file, ArrayRef<char> bytes) {
  raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

Error AtomicOutput::commitDirectly(StringRef destination) {
  int file;
  std::error_code error = sys::fs::openFileForWrite(destination, file, sys::fs::CD_OpenExisting);
  if (!error)
    error = writeAndClose(file, *bytes);
  return error ? fileError("write", outputName(path), error.message()) : Error::success();
}

Error AtomicOutput::commitByRename(StringRef destination) {
  SmallString<256> model(sys::path::parent_path(destination));
  sys::path::append(model, "." + sys::path::filename(destination) + ".%%%%%%.tmp");
  Expected<sys::fs::TempFile> temporary = sys::fs::TempFile::create(model);
  if (!temporary)
    return fileError("write", outputName(path), toString(temporary.takeError()));

  auto fail = [&](std::error_code error) {
    consumeError(temporary->discard());
    return fileError("write", outputName(path), error.message());
  };
  // The descriptor stays with the temporary file, which renames and closes it.
  raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
  stream.write(bytes->data(), bytes->size());
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  if (error)
    return fail(error);
  if (ErrorOr<sys::fs::perms> permissions = sys::fs::getPermissions(destination))
    if ((error = sys::fs::setPermissions(temporary->FD, *permissions)))
      return fail(error);
  if (Error failure = temporary->keep(destination)) {
    consumeError(temporary->discard());
    return fileError("write", outputName(path), toString(std::move(failure)));
  }
  return Error::success();
}

Error writeOutput(StringRef path, StringRef contents) {
  Expected<AtomicOutput> output = AtomicOutput::open(path);
  if (!output)
    return output.takeError();
  output->stream() << contents;
  return output->commit();
}

} // namespace loom
