//===- loom-lsp-server.cpp - Programs in an editor ------------------------===//
//
// Speaks the Language Server Protocol on standard input and output; docs/editors/README.md says how
// an editor starts it.
//
//===----------------------------------------------------------------------===//
#include "IdleInput.h"
#include "Server.h"
#include "loom/Support/CommandLine.h"

using namespace loom;

static llvm::lsp::Logger::Level logLevel(llvm::StringRef name) {
  if (name == "debug")
    return llvm::lsp::Logger::Level::Debug;
  return name == "info" ? llvm::lsp::Logger::Level::Info : llvm::lsp::Logger::Level::Error;
}

int main(int argc, char **argv) {
  std::string log = "error";
  bool standardStreams = true;
  CommandLine commandLine("loom-lsp-server",
                          "Answers an editor's questions about programs, in the Language Server "
                          "Protocol on standard input and output.");
  commandLine.option("log", log, "what is written on standard error", {"error", "info", "debug"});
  commandLine.flag("stdio", standardStreams,
                   "talk on standard input and output, as always; some editors pass the flag");
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  if (!standardStreams) {
    llvm::errs() << "loom-lsp-server: error: --stdio=false: there is no other way to talk\n";
    return 1;
  }
  llvm::lsp::Logger::setLogLevel(logLevel(log));

  lsp::Server *server = nullptr;
  auto input = std::make_unique<lsp::IdleInput>(/*descriptor=*/0, [&] { server->publishStale(); });
  llvm::lsp::JSONTransport transport(std::move(input), llvm::outs());
  lsp::Server session(transport);
  server = &session;
  return session.run() ? 0 : 1;
}
