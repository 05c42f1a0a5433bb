//===- Server.h - The protocol around the features --------------*- C++ -*-===//
#ifndef LOOM_TOOLS_LSP_SERVER_H
#define LOOM_TOOLS_LSP_SERVER_H

#include "loom/LSP/Features.h"
#include "llvm/Support/LSP/Transport.h"
#include <set>

namespace loom::lsp {

// Parameters of requests and notifications. The URI stays the client's string, so that texts that
// were never saved have one too.

struct DocumentParams {
  std::string uri;
};
struct PositionParams : DocumentParams {
  Position position;
};
struct ReferenceParams : PositionParams {
  bool withDefinitions = false;
};
/// An item of a completion, as it was sent.
struct ItemParams {
  llvm::json::Object item;
};
struct OpenParams : DocumentParams {
  std::string text;
  int64_t version = 0;
};
struct ChangeParams : DocumentParams {
  int64_t version = 0;
  std::vector<llvm::lsp::TextDocumentContentChangeEvent> changes;
};

class Server {
public:
  /// Answers over `transport` until the client says goodbye.
  Server(llvm::lsp::JSONTransport &transport);
  Server(const Server &) = delete;

  /// Runs to the end of the session; false when it did not end as the protocol asks for.
  bool run();
  /// Analyses the documents that changed and publishes their diagnostics. Called when nothing else
  /// is to do.
  void publishStale();

private:
  using Reply = llvm::lsp::Callback<llvm::json::Value>;

  void onInitialize(const llvm::lsp::NoParams &, Reply reply);
  void onInitialized(const llvm::lsp::NoParams &) {}
  void onShutdown(const llvm::lsp::NoParams &, Reply reply);
  void onOpen(const OpenParams &params);
  void onChange(const ChangeParams &params);
  void onClose(const DocumentParams &params);
  void onDefinition(const PositionParams &params, Reply reply);
  void onReferences(const ReferenceParams &params, Reply reply);
  void onHover(const PositionParams &params, Reply reply);
  void onCompletion(const PositionParams &params, Reply reply);
  void onResolveItem(const ItemParams &params, Reply reply);
  void onFormatting(const DocumentParams &params, Reply reply);

  /// Answers with what `compute` makes of the document, or with an error when it is not open.
  template <typename Fn> void answer(llvm::StringRef uri, Reply reply, Fn compute);
  void publish(llvm::StringRef uri, llvm::ArrayRef<Diagnostic> found,
               std::optional<int64_t> version);

  Workspace workspace;
  llvm::lsp::JSONTransport &transport;
  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<llvm::json::Value> sendDiagnostics;
  /// Documents whose diagnostics the client does not have yet.
  std::set<std::string, std::less<>> stale;
  bool shutdownRequested = false;
};

} // namespace loom::lsp

#endif // LOOM_TOOLS_LSP_SERVER_H
