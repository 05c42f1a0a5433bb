//===- IdleInput.cpp - Messages, and when there are none ------------------===//
#include "IdleInput.h"
#include <cerrno>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace loom::lsp {

/// Headers and messages that are longer come from something that is no editor.
static constexpr size_t kMaxHeader = 4096, kMaxMessage = size_t(1) << 30;

bool IdleInput::isQuiet() const {
  pollfd request{descriptor, POLLIN, 0};
  return poll(&request, 1, /*timeout=*/0) == 0;
}

bool IdleInput::fill() {
  if (isQuiet())
    idle();
  char chunk[65536];
  ssize_t count;
  do
    count = read(descriptor, chunk, sizeof(chunk));
  while (count < 0 && errno == EINTR);
  if (count > 0) {
    buffer.append(chunk, count);
    return true;
  }
  ended = true;
  failed = count < 0;
  return false;
}

LogicalResult IdleInput::fail(StringRef message) {
  llvm::lsp::Logger::error("{0}", message);
  ended = true; // where the next message begins is not known
  return failure();
}

LogicalResult IdleInput::readLine(std::string &line) {
  size_t end;
  while ((end = buffer.find('\n')) == std::string::npos && buffer.size() <= kMaxHeader)
    if (!fill())
      return failure();
  if (end > kMaxHeader) // also when there is none
    return fail("a header of a message is too long");
  line = StringRef(buffer).take_front(end).rtrim('\r').str();
  buffer.erase(0, end + 1);
  return success();
}

LogicalResult IdleInput::readStandardMessage(std::string &json) {
  std::optional<size_t> length;
  for (std::string line; succeeded(readLine(line));) {
    StringRef header = line;
    if (header.empty() && length) {
      while (buffer.size() < *length)
        if (!fill())
          return failure();
      json = buffer.substr(0, *length);
      buffer.erase(0, *length);
      return success();
    }
    size_t value;
    if (!header.consume_front_insensitive("content-length:"))
      continue; // the other header says what is always so
    if (header.trim().getAsInteger(10, value) || value > kMaxMessage)
      return fail("the length of a message is no number that makes sense");
    length = value;
  }
  return failure();
}

} // namespace loom::lsp
