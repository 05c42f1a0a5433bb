//===- Npy.cpp - Arrays in files of NumPy ---------------------------------===//
//
// Files are written through POSIX: write, fsync and rename.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Npy.h"
#include "NpyHeader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace loom::runtime {

StringRef npyDescription(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
  case ElementType::Index:
    return "<i8";
  case ElementType::Offset:
    return "<u8";
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return "|V1";
  case ElementType::F16:
    return "<f2";
  case ElementType::BF16:
    return "<V2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  }
  llvm_unreachable("covered switch");
}

static Error fileError(StringRef path, const Twine &rest) {
  return createStringError("'" + path + "' " + rest);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether elements that a file describes this way are those of `type`; `isSwapped` says whether
/// their bytes are in the other order.
static bool describes(StringRef description, ElementType type, bool &isSwapped) {
  StringRef wanted = npyDescription(type).drop_front();
  if (description.size() < 2 || !StringRef("<>=|").contains(description.front()))
    return false;
  isSwapped = description.front() == '>' && elementBytes(type) > 1;
  StringRef kind = description.drop_front();
  if (kind == wanted)
    return true;
  // An integer of the language has no sign.
  bool isInteger = !isFloat(type) && type != ElementType::I1;
  return isInteger && kind.size() == 2 && StringRef("iu").contains(kind[0]) && kind[1] == wanted[1];
}

static void swapBytes(Tensor &tensor) {
  unsigned size = elementBytes(tensor.type());
  for (uint8_t *at = tensor.data(), *end = at + tensor.byteSize(); at != end; at += size)
    std::reverse(at, at + size);
}

/// Refuses arrays that are not what `tensor` is.
static Error checkHeader(StringRef path, const NpyHeader &header, const Tensor &tensor,
                         bool &isSwapped) {
  ElementType type = tensor.type();
  if (!describes(header.description, type, isSwapped))
    return fileError(path, "has elements of the type '" + header.description +
                               "'; those of the tensor are " + stringifyElementType(type) +
                               ", which is '" + npyDescription(type) + "'");
  if (ArrayRef(header.shape) != tensor.shape())
    return fileError(path, "has the shape " + stringifyNpyShape(header.shape) +
                               "; the tensor has " + stringifyNpyShape(tensor.shape()));
  // With at most one extent above 1 both orders are the same.
  if (header.fortranOrder && count_if(header.shape, [](int64_t n) { return n != 1; }) > 1)
    return fileError(path, "is in Fortran order; a tensor is read in C order "
                           "(numpy.ascontiguousarray)");
  return Error::success();
}

Error readNpy(StringRef path, Tensor &tensor) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path + "': " + buffer.getError().message());
  StringRef contents = (*buffer)->getBuffer();
  Expected<NpyHeader> header = parseNpyHeader(contents);
  if (!header)
    return fileError(path, toString(header.takeError()));
  bool isSwapped = false;
  if (Error error = checkHeader(path, *header, tensor, isSwapped))
    return error;
  StringRef data = contents.drop_front(header->dataOffset);
  if (data.size() != tensor.byteSize())
    return fileError(path, "has " + Twine(data.size()) + " bytes of elements; the shape " +
                               stringifyNpyShape(header->shape) + " takes " +
                               Twine(tensor.byteSize()));
  std::memcpy(tensor.data(), data.data(), data.size());
  if (isSwapped)
    swapBytes(tensor);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// While this exists, a write of this thread beyond the limit on the size of files fails with EFBIG
/// and raises no SIGXFSZ, whatever the process does about the signal.
class FileSizeSignalBlock {
public:
  FileSizeSignalBlock() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    isBlocked = pthread_sigmask(SIG_BLOCK, &signals, &previous) == 0;
  }
  ~FileSizeSignalBlock() {
    if (!isBlocked)
      return;
    // A signal that arrived meanwhile is taken, or it would be delivered now.
    sigset_t pending;
    timespec now = {0, 0};
    if (!sigismember(&previous, SIGXFSZ) && sigpending(&pending) == 0 &&
        sigismember(&pending, SIGXFSZ))
      sigtimedwait(&signals, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }

private:
  sigset_t signals, previous;
  bool isBlocked;
};

} // namespace

static std::error_code lastError() { return std::error_code(errno, std::generic_category()); }

static std::error_code writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return lastError();
    bytes = bytes.drop_front(static_cast<size_t>(written));
  }
  return {};
}

static std::error_code writeArray(int file, const Tensor &tensor) {
  FileSizeSignalBlock block;
  std::string header = makeNpyHeader(npyDescription(tensor.type()), tensor.shape());
  std::error_code error = writeAll(file, header);
  if (!error)
    error = writeAll(file, StringRef(reinterpret_cast<const char *>(tensor.data()),
                                     static_cast<size_t>(tensor.byteSize())));
  if (!error && ::fsync(file) != 0)
    error = lastError();
  return error;
}

/// Makes the new name last beyond a crash of the machine, as far as the file system can.
static void syncFolder(const Twine &folder) {
  int handle = ::open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0)
    return;
  ::fsync(handle);
  ::close(handle);
}

/// Writes to a device or a pipe, which no other file can take the place of.
static std::error_code writeDirectly(StringRef path, const Tensor &tensor) {
  int file;
  if (std::error_code error = sys::fs::openFileForWrite(path, file, sys::fs::CD_OpenExisting))
    return error;
  std::error_code error = writeArray(file, tensor);
  ::close(file);
  // What cannot be flushed to a disk has nothing to flush.
  return error == std::errc::invalid_argument ? std::error_code() : error;
}

Error writeNpy(StringRef path, const Tensor &tensor) {
  auto fail = [&](const Twine &reason) {
    return createStringError("cannot write '" + path + "': " + reason);
  };
  if (sys::fs::is_directory(path))
    return fail("it is a folder");
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status);
  if (exists && !sys::fs::is_regular_file(status)) {
    std::error_code error = writeDirectly(path, tensor);
    return error ? fail(error.message()) : Error::success();
  }
  // A symbolic link is written through.
  SmallString<256> destination(path);
  if (exists && sys::fs::real_path(path, destination))
    destination = path;
  StringRef folder = sys::path::parent_path(destination);
  if (folder.empty())
    folder = ".";
  if (std::error_code error = sys::fs::create_directories(folder))
    return fail(error.message());
  SmallString<256> model(folder);
  sys::path::append(model, "." + sys::path::filename(destination) + ".%%%%%%.tmp");
  Expected<sys::fs::TempFile> temporary = sys::fs::TempFile::create(model);
  if (!temporary)
    return fail(toString(temporary.takeError()));
  std::error_code error = writeArray(temporary->FD, tensor);
  if (!error && exists)
    error = sys::fs::setPermissions(temporary->FD, status.permissions());
  if (error) {
    consumeError(temporary->discard());
    return fail(error.message());
  }
  if (Error failure = temporary->keep(destination)) {
    std::string reason = toString(std::move(failure));
    consumeError(temporary->discard());
    return fail(reason);
  }
  syncFolder(folder);
  return Error::success();
}

} // namespace loom::runtime
