//===- CommandLine.h - The flags of every tool ------------------*- C++ -*-===//
//
// One description of a tool's flags, from which parsing, `--help`, the reference pages, the
// completions of shells and the man pages follow. All tools behave alike:
//
//  - Flags are written `--name=value` (`--name value` is understood too), `-` and `_` in a name are
//    the same, and flags and inputs may be mixed. `--` ends the flags.
//  - A boolean flag is `--name`, `--name=true` or `--name=false`.
//  - A list flag is repeated, once for each value; every other flag keeps its last value.
//  - Whatever is not understood is an error on standard error with the nearest spellings and no
//    effect: variables are assigned only when the whole command line is good.
//  - `--help`, `--version` and the hidden `--print-flags=markdown|bash|zsh|fish|man` print on
//    standard output.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_SUPPORT_COMMANDLINE_H
#define LOOM_SUPPORT_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loom {

/// What the help and the reference pages say about one flag.
struct FlagInfo {
  std::string name;         ///< without the leading `--`
  std::string valueForm;    ///< `PATH`, `text|bc`; empty for a boolean flag
  std::string defaultValue; ///< empty when there is none
  std::string help;         ///< one sentence, or the reason of a refused flag
  bool repeatable = false;
  bool refused = false;
  /// Values that a shell can complete: the words of `valueForm` without placeholders (those are in
  /// capitals) and without the values that this build refuses; `true` and `false` for a boolean.
  std::vector<std::string> choices;

  bool isBoolean() const { return valueForm.empty() && !refused; }
  /// Whether the value names a file or a folder: a placeholder says so.
  bool takesPath() const;
};

class CommandLine {
public:
  /// `summary` is one sentence that says what the tool does.
  CommandLine(llvm::StringRef tool, llvm::StringRef summary);
  ~CommandLine();
  CommandLine(const CommandLine &) = delete;
  CommandLine &operator=(const CommandLine &) = delete;

  // Each of these binds a flag to a variable that outlives `parse` and holds the default. Names are
  // written with `-`. An empty value is a value: `--output=` is standard output.

  void flag(llvm::StringRef name, bool &value, llvm::StringRef help);

  /// A text value, one of `choices` if there are any (the default need not be among them).
  void option(llvm::StringRef name, std::string &value, llvm::StringRef help,
              llvm::ArrayRef<llvm::StringRef> choices = {}, llvm::StringRef valueName = "VALUE");

  /// A decimal integer from `min` to `max`.
  void integer(llvm::StringRef name, int64_t &value, int64_t min, int64_t max,
               llvm::StringRef help);

  void list(llvm::StringRef name, std::vector<std::string> &values, llvm::StringRef help,
            llvm::StringRef valueName = "VALUE");

  /// The arguments that are not flags, at least `min` and at most `max` of them; `form` is how the
  /// usage line writes them.
  void positionals(std::vector<std::string> &values, unsigned min, unsigned max,
                   llvm::StringRef form, llvm::StringRef help);

  /// A flag of the toolchain that this build does not have. Using it is an error that prints
  /// `sentence`, so that nobody takes it for a spelling mistake.
  void refused(llvm::StringRef name, llvm::StringRef sentence);

  /// The same for a single value of a flag that was declared before.
  void refusedValue(llvm::StringRef name, llvm::StringRef value, llvm::StringRef sentence);

  /// Exit status of a bad command line: 1 unless this says otherwise.
  void setErrorStatus(int status) { errorStatus = status; }

  /// Returns nothing when the tool should go on, else the status to exit with.
  std::optional<int> parse(int argc, const char *const *argv, llvm::raw_ostream &out = llvm::outs(),
                           llvm::raw_ostream &err = llvm::errs());

  /// Whether the command line that was parsed has the flag, be it with its default.
  bool isGiven(llvm::StringRef name) const;

  /// Every flag in the order of declaration, `help` and `version` first.
  std::vector<FlagInfo> flags() const;

  void printHelp(llvm::raw_ostream &os) const;
  /// The flags as a Markdown table.
  void printMarkdown(llvm::raw_ostream &os) const;
  // Completions of names, choices and paths for three shells: a file to source for bash (4 or
  // newer), the function `_<tool>` for zsh's fpath, a file for fish. Refused flags are left out.
  void printBashCompletion(llvm::raw_ostream &os) const;
  void printZshCompletion(llvm::raw_ostream &os) const;
  void printFishCompletion(llvm::raw_ostream &os) const;
  /// A page of section 1 in the macros of man(7). It has no date, so that it is the same on each
  /// build.
  void printManPage(llvm::raw_ostream &os) const;

private:
  struct Flag;
  struct Parsed;

  Flag &declare(llvm::StringRef name, llvm::StringRef help);
  Flag *find(llvm::StringRef name);
  std::string checkArguments(int argc, const char *const *argv, Parsed &parsed);
  std::string checkFlag(llvm::StringRef argument, llvm::StringRef next, Parsed &parsed);
  std::string checkValues(const Flag &flag, llvm::ArrayRef<std::string> values) const;
  std::string collect(Parsed &parsed);
  std::string unknownFlag(llvm::StringRef spelling) const;
  void printTable(llvm::raw_ostream &os) const;
  /// Words that the first argument can be, such as `show`.
  std::vector<std::string> commands() const;

  std::string tool, summary, positionalForm, positionalHelp;
  std::vector<std::unique_ptr<Flag>> table;
  std::vector<std::string> *positionalValues = nullptr;
  unsigned minPositionals = 0, maxPositionals = 0;
  int errorStatus = 1;
  bool helpWanted = false, versionWanted = false;
  std::string printFlags;
};

} // namespace loom

#endif // LOOM_SUPPORT_COMMANDLINE_H
