//===- Sanitizer.cpp - Checks inside of kernels and their reports ---------===//
#include "loom/Runtime/Sanitizer.h"
#include "llvm/ADT/StringExtras.h"
#include <iterator>

using namespace llvm;

namespace loom::runtime {

/// Switches on what `word` stands for; false when it is no word of the flag.
static bool enable(StringRef word, SanitizerOptions &options) {
  bool all = word == "all", ubsan = word == "ubsan";
  bool access = all || word == "access" || word == "asan";
  bool value = all || ubsan || word == "value";
  bool operation = all || ubsan || word == "operation";
  bool race = all || word == "race" || word == "tsan";
  options.access |= access;
  options.value |= value;
  options.operation |= operation;
  options.race |= race;
  return access || value || operation || race;
}

Expected<SanitizerOptions> parseSanitizers(StringRef text) {
  SanitizerOptions options;
  if (text.empty() || text == "none")
    return options;
  SmallVector<StringRef> words;
  text.split(words, '|');
  for (StringRef word : words)
    if (!enable(word.trim(), options))
      return createStringError("there is no sanitizer '" + word +
                               "'; they are none, access, value, operation, race, asan, ubsan, "
                               "tsan and all, with '|' between several");
  return options;
}

Expected<SanitizerReporting> parseSanitizerReporting(StringRef text) {
  if (text == "default" || text.empty())
    return SanitizerReporting::Default;
  if (text == "trap")
    return SanitizerReporting::Trap;
  if (text == "report-only")
    return SanitizerReporting::ReportOnly;
  return createStringError("a sanitizer reports as default, trap or report-only, not '" + text +
                           "'");
}

std::string stringifySanitizers(const SanitizerOptions &options) {
  SmallVector<StringRef> words;
  for (auto [isOn, word] :
       {std::pair(options.access, "access"), std::pair(options.value, "value"),
        std::pair(options.operation, "operation"), std::pair(options.race, "race")})
    if (isOn)
      words.push_back(word);
  return words.empty() ? "none" : join(words, "|");
}

StringRef stringifyEventKind(Event::Kind kind) {
  static constexpr StringRef words[] = {"driver_failure", "asan_report", "ubsan_report",
                                        "tsan_report",    "printf",      "host_call"};
  return words[static_cast<unsigned>(kind)];
}

StringRef stringifySeverity(Event::Severity severity) {
  static constexpr StringRef words[] = {"trace", "info", "warning", "error", "fatal"};
  return words[static_cast<unsigned>(severity)];
}

void EventLog::append(EventLog other) {
  events.insert(events.end(), std::make_move_iterator(other.events.begin()),
                std::make_move_iterator(other.events.end()));
  dropped += other.dropped;
}

} // namespace loom::runtime
