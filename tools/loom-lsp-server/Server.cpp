//===- Server.cpp - The protocol around the features ----------------------===//
#include "Server.h"
#include "loom/LSP/OpDocs.h"

using namespace llvm;

namespace loom::lsp {

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static bool fromJSON(const json::Value &value, DocumentParams &result, json::Path path) {
  json::ObjectMapper map(value, path);
  const json::Object *object = value.getAsObject();
  if (!map || !object)
    return false;
  const json::Value *document = object->get("textDocument");
  if (!document) {
    path.field("textDocument").report("missing value");
    return false;
  }
  json::ObjectMapper inner(*document, path.field("textDocument"));
  return inner && inner.map("uri", result.uri);
}

static bool fromJSON(const json::Value &value, PositionParams &result, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && fromJSON(value, static_cast<DocumentParams &>(result), path) &&
         map.map("position", result.position);
}

static bool fromJSON(const json::Value &value, ReferenceParams &result, json::Path path) {
  if (!fromJSON(value, static_cast<PositionParams &>(result), path))
    return false;
  if (const json::Object *context = value.getAsObject()->getObject("context"))
    result.withDefinitions = context->getBoolean("includeDeclaration").value_or(false);
  return true;
}

static bool fromJSON(const json::Value &value, ItemParams &result, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  result.item = *object;
  return true;
}

static bool fromJSON(const json::Value &value, OpenParams &result, json::Path path) {
  if (!fromJSON(value, static_cast<DocumentParams &>(result), path))
    return false;
  json::ObjectMapper inner(*value.getAsObject()->get("textDocument"), path.field("textDocument"));
  return inner && inner.map("text", result.text) && inner.mapOptional("version", result.version);
}

static bool fromJSON(const json::Value &value, ChangeParams &result, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !fromJSON(value, static_cast<DocumentParams &>(result), path))
    return false;
  json::ObjectMapper inner(*value.getAsObject()->get("textDocument"), path.field("textDocument"));
  return inner && inner.mapOptional("version", result.version) &&
         map.map("contentChanges", result.changes);
}

//===----------------------------------------------------------------------===//
// The session
//===----------------------------------------------------------------------===//

Server::Server(llvm::lsp::JSONTransport &transport)
    : transport(transport), handler(transport),
      sendDiagnostics(
          handler.outgoingNotification<json::Value>("textDocument/publishDiagnostics")) {
  handler.method("initialize", this, &Server::onInitialize);
  handler.notification("initialized", this, &Server::onInitialized);
  handler.method("shutdown", this, &Server::onShutdown);
  handler.notification("textDocument/didOpen", this, &Server::onOpen);
  handler.notification("textDocument/didChange", this, &Server::onChange);
  handler.notification("textDocument/didClose", this, &Server::onClose);
  handler.method("textDocument/definition", this, &Server::onDefinition);
  handler.method("textDocument/references", this, &Server::onReferences);
  handler.method("textDocument/hover", this, &Server::onHover);
  handler.method("textDocument/completion", this, &Server::onCompletion);
  handler.method("completionItem/resolve", this, &Server::onResolveItem);
  handler.method("textDocument/formatting", this, &Server::onFormatting);
}

bool Server::run() {
  if (llvm::Error error = transport.run(handler)) {
    llvm::consumeError(std::move(error)); // always the same, whatever ended the input
    llvm::lsp::Logger::error("the input ended before the client said goodbye");
    return false;
  }
  return shutdownRequested;
}

void Server::onInitialize(const llvm::lsp::NoParams &, Reply reply) {
  json::Object sync{{"openClose", true},
                    {"change", static_cast<int>(llvm::lsp::TextDocumentSyncKind::Incremental)}};
  json::Object capabilities{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", std::move(sync)},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"hoverProvider", true},
      {"documentFormattingProvider", true},
      {"completionProvider",
       json::Object{{"triggerCharacters", {".", "%", "@"}}, {"resolveProvider", true}}}};
  json::Object info{{"name", "loom-lsp-server"}, {"version", LOOM_VERSION}};
  reply(json::Object{{"serverInfo", std::move(info)}, {"capabilities", std::move(capabilities)}});
}

void Server::onShutdown(const llvm::lsp::NoParams &, Reply reply) {
  shutdownRequested = true;
  reply(nullptr);
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

void Server::onOpen(const OpenParams &params) {
  workspace.open(params.uri, params.text, params.version);
  stale.insert(params.uri);
}

void Server::onChange(const ChangeParams &params) {
  if (Document *document = workspace.find(params.uri)) {
    document->change(params.changes, params.version);
    stale.insert(params.uri);
  }
}

void Server::onClose(const DocumentParams &params) {
  workspace.close(params.uri);
  stale.erase(params.uri);
  publish(params.uri, {}, std::nullopt);
}

void Server::publishStale() {
  for (const auto &[uri, document] : workspace.documents())
    if (stale.erase(uri))
      publish(uri, diagnostics(document), document.version());
}

void Server::publish(StringRef uri, ArrayRef<Diagnostic> found, std::optional<int64_t> version) {
  json::Array list;
  for (const Diagnostic &diagnostic : found)
    list.push_back(diagnostic);
  json::Object params{{"uri", uri}, {"diagnostics", std::move(list)}};
  if (version)
    params["version"] = *version;
  sendDiagnostics(std::move(params));
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

template <typename Fn> void Server::answer(StringRef uri, Reply reply, Fn compute) {
  const Document *document = workspace.find(uri);
  if (!document)
    return reply(make_error<llvm::lsp::LSPError>(("the document is not open: " + uri).str(),
                                                 llvm::lsp::ErrorCode::InvalidParams));
  reply(json::Value(compute(*document)));
}

void Server::onDefinition(const PositionParams &params, Reply reply) {
  answer(params.uri, std::move(reply), [&](const Document &document) {
    return findDefinitions(workspace, document, params.position);
  });
}

void Server::onReferences(const ReferenceParams &params, Reply reply) {
  answer(params.uri, std::move(reply), [&](const Document &document) {
    return findReferences(workspace, document, params.position, params.withDefinitions);
  });
}

void Server::onHover(const PositionParams &params, Reply reply) {
  answer(params.uri, std::move(reply),
         [&](const Document &document) { return hover(workspace, document, params.position); });
}

void Server::onCompletion(const PositionParams &params, Reply reply) {
  answer(params.uri, std::move(reply),
         [&](const Document &document) { return complete(workspace, document, params.position); });
}

void Server::onResolveItem(const ItemParams &params, Reply reply) {
  json::Object item = params.item;
  std::optional<StringRef> label = item.getString("label");
  if (const OpDoc *doc = label ? findOpDoc(*label) : nullptr)
    item["documentation"] =
        llvm::lsp::MarkupContent{llvm::lsp::MarkupKind::Markdown, doc->description.str()};
  reply(std::move(item));
}

void Server::onFormatting(const DocumentParams &params, Reply reply) {
  answer(params.uri, std::move(reply), [&](const Document &document) { return format(document); });
}

} // namespace loom::lsp
