//===- IdleInput.h - Messages, and when there are none ----------*- C++ -*-===//
#ifndef LOOM_TOOLS_LSP_IDLEINPUT_H
#define LOOM_TOOLS_LSP_IDLEINPUT_H

#include "llvm/Support/LSP/Transport.h"
#include <functional>

namespace loom::lsp {

/// Reads messages with their `Content-Length` headers from a file descriptor. Before it waits for
/// more, it calls `idle`: work that can wait is done when everything that has arrived is handled,
/// so that of many changes in a row only the last one costs a parse.
class IdleInput final : public llvm::lsp::JSONTransportInput {
public:
  IdleInput(int descriptor, std::function<void()> idle)
      : descriptor(descriptor), idle(std::move(idle)) {}

  bool hasError() const override { return failed; }
  bool isEndOfInput() const override { return ended; }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  /// The form with separators is for tests by hand, which Loom does not have.
  llvm::LogicalResult readDelimitedMessage(std::string &) override { return llvm::failure(); }

private:
  bool isQuiet() const;
  /// Appends what has arrived to `buffer`; false at the end of the input.
  bool fill();
  /// Takes one header line without its end. Fails at the end of the input.
  llvm::LogicalResult readLine(std::string &line);
  llvm::LogicalResult fail(llvm::StringRef message);

  int descriptor;
  std::function<void()> idle;
  std::string buffer;
  bool failed = false, ended = false;
};

} // namespace loom::lsp

#endif // LOOM_TOOLS_LSP_IDLEINPUT_H
