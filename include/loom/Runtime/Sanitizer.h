//===- Sanitizer.h - Checks inside of kernels and their reports -*- C++ -*-===//
//
// What `--sanitizer` asks for, and what a device tells about a launch. The fields of an event are
// those that the pattern of `check.expect.event` names (spec/ops-program.md, 11.5).
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_RUNTIME_SANITIZER_H
#define LOOM_RUNTIME_SANITIZER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace loom::runtime {

/// What happens when a check inside of a kernel fails.
enum class SanitizerReporting {
  Default,    ///< reported; whether the launch goes on is the device's choice
  Trap,       ///< reported, and the launch ends there
  ReportOnly, ///< reported, and the launch goes on as if nothing had happened
};

/// Which checks kernels are instrumented with.
struct SanitizerOptions {
  bool access = false;    ///< reads and writes outside of a view or buffer
  bool value = false;     ///< assumptions and promised facts
  bool operation = false; ///< operations without a value: division by zero, shifts too wide
  bool race = false;      ///< unsynchronized conflicts of work-items
  SanitizerReporting reporting = SanitizerReporting::Default;

  bool any() const { return access || value || operation || race; }
};

/// `none`, `all` or words with `|` between them: access, value, operation, race, and by runtime
/// family asan (access), ubsan (value and operation) and tsan (race). The error names the word.
llvm::Expected<SanitizerOptions> parseSanitizers(llvm::StringRef text);
/// `default`, `trap` or `report-only`.
llvm::Expected<SanitizerReporting> parseSanitizerReporting(llvm::StringRef text);
/// "access|value", "none"; what parseSanitizers reads back.
std::string stringifySanitizers(const SanitizerOptions &options);

/// Something that a device reports about a launch.
struct Event {
  enum class Kind { DriverFailure, AsanReport, UbsanReport, TsanReport, Printf, HostCall };
  enum class Severity { Trace, Info, Warning, Error, Fatal };
  using Field = std::variant<uint64_t, bool, std::string>;

  Kind kind = Kind::DriverFailure;
  Severity severity = Severity::Error;
  /// A sentence for people, without a place.
  std::string message;
  /// Where in the source it happened; an empty file is unknown.
  std::string file;
  unsigned line = 0, column = 0;
  /// Everything else that is known, by the key that a pattern uses: "function", "operation",
  /// "export", "site_id", "asan.access", "tsan.memory". A key that is absent is unknown and matches
  /// nothing.
  std::vector<std::pair<std::string, Field>> fields;
};
/// "asan_report", "error".
llvm::StringRef stringifyEventKind(Event::Kind kind);
llvm::StringRef stringifySeverity(Event::Severity severity);

/// What was reported, in order. A device may have to drop events when there are too many.
struct EventLog {
  std::vector<Event> events;
  uint64_t dropped = 0;

  void append(EventLog other);
};

} // namespace loom::runtime

#endif // LOOM_RUNTIME_SANITIZER_H
