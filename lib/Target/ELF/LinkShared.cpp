//===- LinkShared.cpp - lld in this process -------------------------------===//
#include "loom/Target/ELF/LinkShared.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace loom::elf {
namespace {

/// Hides every registered option while it lives. lld resets all options that it can find to their
/// defaults; those that it cannot find keep their values.
class ScopedHiddenOptions {
public:
  ScopedHiddenOptions() { exchange(); }
  ScopedHiddenOptions(const ScopedHiddenOptions &) = delete;
  ScopedHiddenOptions &operator=(const ScopedHiddenOptions &) = delete;
  ~ScopedHiddenOptions() { exchange(); }

private:
  void exchange() {
    std::swap(cl::getRegisteredOptions(), topLevel);
    std::swap(cl::getRegisteredOptions(cl::SubCommand::getAll()), all);
  }
  DenseMap<StringRef, cl::Option *> topLevel, all;
};

/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(Descriptor &&other) : fd(std::exchange(other.fd, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Descriptor() { reset(); }

  void reset() {
    if (fd >= 0)
      ::close(std::exchange(fd, -1));
  }
  int get() const { return fd; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};

Error systemError(const char *what) {
  int code = errno;
  return createStringError(std::error_code(code, std::generic_category()), "%s: %s", what,
                           sys::StrError(code).c_str());
}

Expected<Descriptor> memoryFile(ArrayRef<char> bytes) {
  Descriptor file(::memfd_create("loom-object", MFD_CLOEXEC));
  if (file.get() < 0)
    return systemError("cannot create a file in memory");
  while (!bytes.empty()) {
    ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError("cannot write a file in memory");
    bytes = bytes.drop_front(written);
  }
  return file;
}

void drain(int fd, std::vector<char> &out) {
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    out.insert(out.end(), buffer, buffer + count);
  }
}

} // namespace

Expected<std::vector<char>> linkShared(ArrayRef<char> object, ArrayRef<const char *> flags) {
  Expected<Descriptor> input = memoryFile(object);
  if (!input)
    return input.takeError();
  // lld writes through a temporary file and a rename to everything but a special file, so that the
  // output has to be a pipe; it is written in one piece, hence the thread.
  int ends[2];
  if (::pipe(ends))
    return systemError("cannot create a pipe");
  Descriptor readEnd(ends[0]), writeEnd(ends[1]);
  std::vector<char> result;
  std::thread reader([&] { drain(readEnd.get(), result); });

  std::string inputPath = input->path(), outputPath = writeEnd.path(), messages;
  raw_string_ostream messageStream(messages);
  SmallVector<const char *> arguments = {"ld.lld", "-shared", "--threads=1"};
  append_range(arguments, flags);
  arguments.append({inputPath.c_str(), "-o", outputPath.c_str()});
  lld::Result status;
  {
    ScopedHiddenOptions hidden;
    status = lld::lldMain(arguments, messageStream, messageStream, {{lld::Gnu, &lld::elf::link}});
  }
  writeEnd.reset();
  reader.join();
  if (status.retCode != 0 || !status.canRunAgain)
    return createStringError("linking the shared object failed: " + messages);
  return result;
}

} // namespace loom::elf
