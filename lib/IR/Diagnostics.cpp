//===- Diagnostics.cpp - Diagnostic codes and how they are shown ----------===//
#include "loom/IR/Diagnostics.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/Messages.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"

namespace loom {
using namespace mlir;

ArrayRef<DiagCodeInfo> diagnosticCodes() {
  static const DiagCodeInfo table[] = {
#define LOOM_CODE(name, domain, number, meaning) {#name, domain, number, meaning},
      LOOM_DIAGNOSTIC_CODES(LOOM_CODE)
#undef LOOM_CODE
  };
  return table;
}

std::string stringifyCode(DiagCode code) {
  const DiagCodeInfo &info = diagnosticCodes()[static_cast<unsigned>(code)];
  std::string text;
  llvm::raw_string_ostream(text) << info.domain << '/' << llvm::format("%03u", info.number);
  return text;
}

/// The code travels in the metadata of the diagnostic, so that whatever is streamed into it later
/// still stands before the code.
static InFlightDiagnostic withCode(InFlightDiagnostic diag, DiagCode code) {
  if (Diagnostic *underlying = diag.getUnderlyingDiagnostic())
    underlying->getMetadata().push_back(
        DiagnosticArgument(static_cast<unsigned long>(static_cast<unsigned>(code))));
  return diag;
}

InFlightDiagnostic emitCoded(Operation *op, DiagCode code, const Twine &message) {
  return withCode(mlir::emitError(op->getLoc(), message), code);
}

InFlightDiagnostic emitCoded(Location loc, DiagCode code, const Twine &message) {
  return withCode(mlir::emitError(loc, message), code);
}

/// Stands in the metadata in place of a code.
static constexpr unsigned kSuppressed = ~0u;

void suppress(InFlightDiagnostic &diag) {
  if (Diagnostic *underlying = diag.getUnderlyingDiagnostic()) {
    underlying->getMetadata().clear();
    underlying->getMetadata().push_back(DiagnosticArgument(kSuppressed));
  }
}

static bool isSuppressed(Diagnostic &diag) {
  return llvm::any_of(diag.getMetadata(), [](DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned &&
           argument.getAsUnsigned() == kSuppressed;
  });
}

//===----------------------------------------------------------------------===//
// Showing
//===----------------------------------------------------------------------===//

static std::string withoutPrefix(StringRef text) {
  // A type that MLIR names by its class, alone in an argument.
  static constexpr std::pair<StringLiteral, StringLiteral> typeNames[] = {
      {"builtin.index", "index"},
      {"builtin.integer", "an integer such as i32"},
      {"builtin.vector", "vector"},
      {"loom.async_group", "kernel.async.group"},
      {"loom.async_token", "kernel.async.token"},
      {"loom.barrier_phase", "kernel.barrier.phase"},
      {"loom.buffer", "buffer"},
      {"loom.cooperative_matrix", "spirv.cooperative_matrix"},
      {"loom.encoding", "encoding"},
      {"loom.entropy", "check.entropy"},
      {"loom.func_ref", "func.ref"},
      {"loom.low_storage", "low.storage"},
      {"loom.offset", "offset"},
      {"loom.pool", "pool"},
      {"loom.reg", "reg"},
      {"loom.tensor", "tensor"},
      {"loom.tensor_lds_descriptor", "kernel.tensor.lds.descriptor"},
      {"loom.tile", "tile"},
      {"loom.vector", "vector"},
      {"loom.view", "view"}};
  for (auto [className, name] : typeNames)
    if (text == className)
      return name.str();
  if (text == "expected valid '@'-identifier for symbol name")
    return "expected a symbol such as @name";
  std::string result;
  for (size_t pos; (pos = text.find("loom_")) != StringRef::npos;) {
    result += text.take_front(pos);
    text = text.drop_front(pos + 5);
  }
  return result + text.str();
}

/// The message as the language speaks: types in their bare spelling, op names without prefix.
static std::string renderMessage(Diagnostic &diag) {
  std::string message;
  llvm::raw_string_ostream os(message);
  for (DiagnosticArgument &argument : diag.getArguments()) {
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      os << stringifyType(argument.getAsType());
    else if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String)
      os << withoutPrefix(argument.getAsString());
    else
      argument.print(os);
  }
  for (DiagnosticArgument &argument : diag.getMetadata())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned)
      os << " [" << stringifyCode(static_cast<DiagCode>(argument.getAsUnsigned())) << ']';
  return message;
}

/// How many columns of a terminal `text` takes; a byte that is no character, and a character that
/// does not print, takes one.
static unsigned displayWidth(StringRef text) {
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : width;
}

/// The caret below a line that llvm::SourceMgr has shown without one, because not all of it is
/// ASCII. `column` counts bytes, from 1.
static void printCaret(raw_ostream &os, StringRef line, unsigned column) {
  StringRef before = line.take_front(column ? column - 1 : 0);
  unsigned bytes = 0, width = 0;
  while (!before.empty()) {
    StringRef run = before.take_until([](char c) { return c == '\t'; });
    before = before.drop_front(run.size());
    bytes += run.size();
    width += displayWidth(run);
    if (before.consume_front("\t")) {
      // SourceMgr fills up to a multiple of eight bytes.
      constexpr unsigned kTabStop = 8;
      unsigned spaces = kTabStop - bytes % kTabStop;
      bytes += spaces;
      width += spaces;
    }
  }
  os.indent(width) << "^\n";
}

struct DiagnosticEngineScope::State {
  MLIRContext *context;
  llvm::raw_ostream &os;
  llvm::SourceMgr sources;
  llvm::StringMap<unsigned> buffers;
  std::vector<ShownDiagnostic> shown;
  llvm::StringSet<> told; ///< places with what was said there
  unsigned errors = 0;
  DiagnosticEngine::HandlerID handler = 0;

  State(MLIRContext *context, llvm::raw_ostream &os) : context(context), os(os) {}

  void print(const ShownDiagnostic &diag) {
    static const llvm::SourceMgr::DiagKind kinds[] = {
        llvm::SourceMgr::DK_Note, llvm::SourceMgr::DK_Warning, llvm::SourceMgr::DK_Error,
        llvm::SourceMgr::DK_Remark};
    llvm::SourceMgr::DiagKind kind = kinds[static_cast<unsigned>(diag.severity)];
    llvm::SMLoc loc;
    auto buffer = buffers.find(diag.file);
    if (buffer != buffers.end())
      loc = sources.FindLocForLineAndColumn(buffer->second, diag.line, diag.column);
    if (loc.isValid()) {
      llvm::SMDiagnostic shown = sources.GetMessage(loc, kind, diag.message);
      sources.PrintMessage(os, shown, /*ShowColors=*/false);
      if (!llvm::isASCII(shown.getLineContents()))
        printCaret(os, shown.getLineContents(), diag.column);
      return;
    }
    // Without the text of the file, as for bytecode, there is a place but no line to show.
    static const StringRef words[] = {"note: ", "warning: ", "error: ", "remark: "};
    if (!diag.file.empty())
      os << diag.file << ':' << diag.line << ':' << diag.column << ": ";
    os << words[static_cast<unsigned>(diag.severity)] << diag.message << '\n';
  }

  static std::string keyOf(const ShownDiagnostic &diag) {
    return (Twine(diag.file) + ":" + Twine(diag.line) + ":" + Twine(diag.column) + ":" +
            diag.message)
        .str();
  }

  /// Moves `shown` to the token of the statement that `location` is about.
  void refine(ShownDiagnostic &shown, Location location) {
    auto buffer = buffers.find(shown.file);
    if (buffer == buffers.end())
      return;
    llvm::SMLoc loc = sources.FindLocForLineAndColumn(buffer->second, shown.line, shown.column);
    StringRef text = sources.getMemoryBuffer(buffer->second)->getBuffer();
    std::optional<size_t> token =
        loc.isValid() ? findToken(location, text, loc.getPointer() - text.begin()) : std::nullopt;
    if (token)
      std::tie(shown.line, shown.column) = sources.getLineAndColumn(
          llvm::SMLoc::getFromPointer(text.begin() + *token), buffer->second);
  }

  ShownDiagnostic render(Diagnostic &diag) {
    ShownDiagnostic result;
    result.severity = diag.getSeverity();
    result.message = renderMessage(diag);
    if (FileLineColLoc file = getFileLoc(diag.getLocation())) {
      result.file = file.getFilename().str();
      result.line = file.getLine();
      result.column = file.getColumn();
      refine(result, diag.getLocation());
    }
    return result;
  }

  void handle(Diagnostic &diag) {
    if (isSuppressed(diag))
      return;
    ShownDiagnostic result = render(diag);
    // What the compiler wrote several times, as it unrolls, is one mistake of the author.
    if (!result.file.empty() && !told.insert(keyOf(result)).second)
      return;
    if (result.severity == DiagnosticSeverity::Error)
      ++errors;
    print(result);
    for (Diagnostic &note : diag.getNotes()) {
      result.notes.push_back(render(note));
      print(result.notes.back());
    }
    shown.push_back(std::move(result));
  }
};

DiagnosticEngineScope::DiagnosticEngineScope(MLIRContext *context, llvm::raw_ostream &os)
    : state(std::make_unique<State>(context, os)) {
  context->printOpOnDiagnostic(false);
  state->handler = context->getDiagEngine().registerHandler(
      [s = state.get()](Diagnostic &diag) { s->handle(diag); });
}

DiagnosticEngineScope::~DiagnosticEngineScope() {
  state->context->getDiagEngine().eraseHandler(state->handler);
}

void DiagnosticEngineScope::addSource(StringRef file, StringRef text) {
  state->buffers[file] = state->sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, file), llvm::SMLoc());
}

unsigned DiagnosticEngineScope::errorCount() const { return state->errors; }

const std::vector<ShownDiagnostic> &DiagnosticEngineScope::diagnostics() const {
  return state->shown;
}

} // namespace loom
