//===- CommandLine.cpp - The flags of every tool --------------------------===//
//
// CLI11 collects the values; the rules that all tools share are applied before it (spelling of
// names, unknown and refused flags, missing values) and after it (types and ranges of the values).
// CLI11 reports errors by exceptions, which stay inside of `collect`.
//
//===----------------------------------------------------------------------===//
#include "loom/Support/CommandLine.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <CLI/CLI.hpp>
#include <algorithm>

using namespace llvm;

namespace loom {

struct CommandLine::Flag {
  enum class Kind { Boolean, Text, Integer, List, Refused };

  Kind kind = Kind::Text;
  FlagInfo info;
  bool hidden = false, given = false;
  std::vector<std::string> choices;
  std::vector<std::pair<std::string, std::string>> refusedValues; ///< value and sentence
  int64_t min = 0, max = 0;

  bool *boolean = nullptr;
  std::string *text = nullptr;
  int64_t *integer = nullptr;
  std::vector<std::string> *list = nullptr;

  bool takesValue() const { return kind != Kind::Boolean && kind != Kind::Refused; }

  /// Stores values that have been checked.
  void assign(ArrayRef<std::string> values) const {
    switch (kind) {
    case Kind::Boolean:
      *boolean = values.back() == "true";
      break;
    case Kind::Text:
      *text = values.back();
      break;
    case Kind::Integer:
      StringRef(values.back()).getAsInteger(10, *integer);
      break;
    case Kind::List:
      list->assign(values.begin(), values.end());
      break;
    case Kind::Refused:
      break;
    }
  }
};

/// The command line on its way: arguments for CLI11, then the values of each flag.
struct CommandLine::Parsed {
  std::vector<std::string> arguments;
  std::vector<std::string> positionals;
  std::vector<std::vector<std::string>> values; ///< by position in the table
};

static std::string withDashes(StringRef name) {
  std::string spelled = name.str();
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  return spelled;
}

/// Whether an argument is a flag; a negative number is none where a value is expected.
static bool looksLikeFlag(StringRef argument) {
  return argument.size() > 1 && argument.front() == '-' && !isDigit(argument[1]);
}

CommandLine::CommandLine(StringRef tool, StringRef summary) : tool(tool), summary(summary) {
  flag("help", helpWanted, "Print this help and exit.");
  flag("version", versionWanted, "Print the versions of Loom and LLVM and exit.");
  option("print-flags", printFlags, "Print the flags in another form and exit.",
         {"markdown", "bash", "zsh", "fish", "man"});
  table.back()->hidden = true;
}

CommandLine::~CommandLine() = default;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

CommandLine::Flag &CommandLine::declare(StringRef name, StringRef help) {
  assert(!find(name) && "a flag is declared once");
  table.push_back(std::make_unique<Flag>());
  Flag &flag = *table.back();
  flag.info.name = name.str();
  flag.info.help = help.str();
  return flag;
}

CommandLine::Flag *CommandLine::find(StringRef name) {
  auto found = llvm::find_if(table, [&](const auto &flag) { return flag->info.name == name; });
  return found == table.end() ? nullptr : found->get();
}

bool CommandLine::isGiven(StringRef name) const {
  return llvm::any_of(table,
                      [&](const auto &flag) { return flag->info.name == name && flag->given; });
}

void CommandLine::flag(StringRef name, bool &value, StringRef help) {
  Flag &flag = declare(name, help);
  flag.kind = Flag::Kind::Boolean;
  flag.boolean = &value;
  flag.info.defaultValue = value ? "true" : "false";
}

void CommandLine::option(StringRef name, std::string &value, StringRef help,
                         ArrayRef<StringRef> choices, StringRef valueName) {
  Flag &flag = declare(name, help);
  flag.text = &value;
  for (StringRef choice : choices)
    flag.choices.push_back(choice.str());
  flag.info.valueForm = choices.empty() ? valueName.str() : llvm::join(choices, "|");
  flag.info.defaultValue = value;
}

void CommandLine::integer(StringRef name, int64_t &value, int64_t min, int64_t max,
                          StringRef help) {
  Flag &flag = declare(name, help);
  flag.kind = Flag::Kind::Integer;
  flag.integer = &value;
  flag.min = min;
  flag.max = max;
  flag.info.valueForm = "N";
  flag.info.defaultValue = std::to_string(value);
}

void CommandLine::list(StringRef name, std::vector<std::string> &values, StringRef help,
                       StringRef valueName) {
  Flag &flag = declare(name, help);
  flag.kind = Flag::Kind::List;
  flag.list = &values;
  flag.info.valueForm = valueName.str();
  flag.info.repeatable = true;
}

void CommandLine::positionals(std::vector<std::string> &values, unsigned min, unsigned max,
                              StringRef form, StringRef help) {
  positionalValues = &values;
  minPositionals = min;
  maxPositionals = max;
  positionalForm = form.str();
  positionalHelp = help.str();
}

void CommandLine::refused(StringRef name, StringRef sentence) {
  Flag &flag = declare(name, sentence);
  flag.kind = Flag::Kind::Refused;
  flag.info.refused = true;
}

void CommandLine::refusedValue(StringRef name, StringRef value, StringRef sentence) {
  Flag *flag = find(name);
  assert(flag && "the flag is declared before its refused values");
  flag->refusedValues.push_back({value.str(), sentence.str()});
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

std::string CommandLine::unknownFlag(StringRef spelling) const {
  std::vector<std::string> known;
  for (const auto &flag : table)
    if (!flag->hidden)
      known.push_back("--" + flag->info.name);
  return ("unknown flag '" + spelling + "'" + didYouMean(spelling, known) + " (--help lists all)")
      .str();
}

/// Checks the name of one flag and that it has a value; passes it on in the form that CLI11 reads
/// without guessing. `next` is the argument behind it.
std::string CommandLine::checkFlag(StringRef argument, StringRef next, Parsed &parsed) {
  size_t equals = argument.find('=');
  bool hasValue = equals != StringRef::npos;
  StringRef spelling = argument.take_front(equals);
  StringRef value = hasValue ? argument.drop_front(equals + 1) : StringRef();
  Flag *flag = spelling == "-h" ? find("help") : find(withDashes(StringRef(spelling).ltrim('-')));
  if (!flag || (spelling != "-h" && !spelling.starts_with("--")))
    return unknownFlag(spelling);
  std::string name = "--" + flag->info.name;
  if (flag->info.refused)
    return name + ": " + flag->info.help;
  if (!flag->takesValue()) {
    if (hasValue && value != "true" && value != "false")
      return (name + " is true or false, not '" + value + "'").str();
    parsed.arguments.push_back(hasValue ? (name + "=" + value).str() : name);
    return "";
  }
  // `--name=` is an empty value, which CLI11 takes for a missing one unless it stands alone.
  parsed.arguments.push_back(name);
  if (hasValue)
    parsed.arguments.push_back(value.str());
  else if (!next.data() || looksLikeFlag(next))
    return name + " needs a value: " + name + "=" + flag->info.valueForm;
  return "";
}

std::string CommandLine::checkArguments(int argc, const char *const *argv, Parsed &parsed) {
  bool flagsEnded = false;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (!flagsEnded && argument == "--") {
      flagsEnded = true;
    } else if (flagsEnded || argument.size() < 2 || argument.front() != '-') {
      parsed.positionals.push_back(argument.str());
    } else {
      size_t before = parsed.arguments.size();
      std::string problem =
          checkFlag(argument, i + 1 < argc ? StringRef(argv[i + 1]) : StringRef(), parsed);
      if (!problem.empty())
        return problem;
      // A name that stands alone and wants a value takes the next argument.
      bool standsAlone = parsed.arguments.size() == before + 1 && !argument.contains('=');
      if (standsAlone && find(StringRef(parsed.arguments.back()).drop_front(2))->takesValue())
        parsed.arguments.push_back(argv[++i]);
    }
  }
  return "";
}

std::string CommandLine::collect(Parsed &parsed) {
  CLI::App app(summary, tool);
  app.set_help_flag();
  std::vector<CLI::Option *> options;
  for (const auto &flag : table) {
    std::string name = "--" + flag->info.name;
    if (!flag->takesValue())
      options.push_back(app.add_flag(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
    else
      options.push_back(app.add_option(name)
                            ->type_size(1)
                            ->expected(1)
                            ->allow_extra_args(false)
                            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  }
  try {
    // CLI11 takes the arguments in reverse.
    app.parse(std::vector<std::string>(parsed.arguments.rbegin(), parsed.arguments.rend()));
  } catch (const CLI::ParseError &error) {
    return error.what();
  }
  for (CLI::Option *option : options)
    parsed.values.push_back(option->results());
  return "";
}

std::string CommandLine::checkValues(const Flag &flag, ArrayRef<std::string> values) const {
  std::string name = "--" + flag.info.name;
  for (const std::string &value : values) {
    for (const auto &[refusedValue, sentence] : flag.refusedValues)
      if (value == refusedValue)
        return name + "=" + value + ": " + sentence;
    if (!flag.choices.empty() && !is_contained(flag.choices, value))
      return name + ": unknown value '" + value + "' (" + llvm::join(flag.choices, ", ") + ")" +
             didYouMean(value, flag.choices);
    int64_t number;
    if (flag.kind != Flag::Kind::Integer)
      continue;
    if (StringRef(value).getAsInteger(10, number))
      return name + ": '" + value + "' is not an integer";
    if (number < flag.min || number > flag.max)
      return name + ": " + value + " is not between " + std::to_string(flag.min) + " and " +
             std::to_string(flag.max);
  }
  return "";
}

std::optional<int> CommandLine::parse(int argc, const char *const *argv, raw_ostream &out,
                                      raw_ostream &err) {
  auto fail = [&](const std::string &problem) {
    err << tool << ": error: " << problem << "\n";
    return errorStatus;
  };
  Parsed parsed;
  std::string problem = checkArguments(argc, argv, parsed);
  if (problem.empty())
    problem = collect(parsed);
  for (size_t i = 0; problem.empty() && i != table.size(); ++i)
    problem = checkValues(*table[i], parsed.values[i]);
  if (!problem.empty())
    return fail(problem);

  for (size_t i = 0; i != table.size(); ++i)
    if (!parsed.values[i].empty()) {
      table[i]->assign(parsed.values[i]);
      table[i]->given = true;
    }
  if (helpWanted)
    return printHelp(out), 0;
  if (versionWanted) {
    out << tool << " " << LOOM_VERSION << " (LLVM " << LLVM_VERSION_STRING << ")\n";
    return 0;
  }
  if (!printFlags.empty())
    return printTable(out), 0;

  size_t count = parsed.positionals.size();
  if (count > maxPositionals)
    return fail("unexpected argument '" + parsed.positionals[maxPositionals] + "'");
  if (count < minPositionals)
    return fail("too few arguments; usage: " + tool + " [flags] " + positionalForm);
  if (positionalValues)
    *positionalValues = std::move(parsed.positionals);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

/// Whether a part of a usage line stands for itself and not for something else.
static bool isWord(StringRef text) {
  return !text.empty() && isAlpha(text.front()) &&
         llvm::all_of(text, [](char c) { return isLower(c) || isDigit(c) || c == '-'; });
}

std::vector<FlagInfo> CommandLine::flags() const {
  std::vector<FlagInfo> infos;
  for (const auto &flag : table) {
    if (flag->hidden)
      continue;
    FlagInfo &info = infos.emplace_back(flag->info);
    SmallVector<StringRef> words;
    StringRef form = info.isBoolean() ? StringRef("true|false") : StringRef(info.valueForm);
    form.split(words, '|');
    for (StringRef word : words) {
      bool refused =
          llvm::any_of(flag->refusedValues, [&](const auto &entry) { return entry.first == word; });
      if (isWord(word) && !refused)
        info.choices.push_back(word.str());
    }
  }
  return infos;
}

bool FlagInfo::takesPath() const {
  StringRef form = valueForm;
  return form.contains("PATH") || form.contains("FILE");
}

std::vector<std::string> CommandLine::commands() const {
  SmallVector<StringRef> words;
  StringRef(positionalForm).split(words, ' ');
  std::vector<std::string> result;
  for (StringRef word : words)
    if (isWord(word) && !is_contained(result, word))
      result.push_back(word.str());
  return result;
}

/// Breaks `text` at blanks so that no line passes column 100.
static void printWrapped(raw_ostream &os, StringRef text, unsigned indent) {
  size_t column = 0;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (column != 0 && indent + column + 1 + word.size() > 100) {
      os << "\n";
      column = 0;
    }
    if (column == 0)
      os.indent(indent);
    else
      os << " ";
    os << word;
    column += word.size() + (column != 0);
    text = rest;
  }
  os << "\n";
}

static std::string flagHeading(const FlagInfo &flag) {
  std::string heading = "--" + flag.name;
  if (!flag.valueForm.empty())
    heading += "=" + flag.valueForm;
  if (flag.repeatable)
    heading += "  (repeatable)";
  if (flag.refused)
    heading += "  (not in this build)";
  else if (!flag.valueForm.empty() && !flag.defaultValue.empty())
    heading += "  (default: " + flag.defaultValue + ")";
  else if (flag.valueForm.empty() && flag.defaultValue == "true")
    heading += "  (default: true)";
  return heading;
}

void CommandLine::printHelp(raw_ostream &os) const {
  os << tool << ": " << summary << "\n\nUsage: " << tool << " [flags]";
  if (!positionalForm.empty()) {
    os << " " << positionalForm << "\n\n";
    printWrapped(os, positionalHelp, 2);
  } else {
    os << "\n";
  }
  os << "\nFlags:\n";
  for (const FlagInfo &flag : flags()) {
    os << "  " << flagHeading(flag) << "\n";
    printWrapped(os, flag.help, 6);
  }
}

/// A `|` ends a cell of a Markdown table, also inside of a code span.
static std::string markdownCell(StringRef text) {
  std::string cell;
  for (char c : text)
    cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

void CommandLine::printMarkdown(raw_ostream &os) const {
  os << "| flag | value | default | meaning |\n|---|---|---|---|\n";
  for (const FlagInfo &flag : flags()) {
    auto code = [](StringRef text) {
      return text.empty() ? std::string() : "`" + markdownCell(text) + "`";
    };
    std::string form = flag.refused ? "" : flag.valueForm.empty() ? "true|false" : flag.valueForm;
    os << "| `--" << flag.name << "` | " << code(form) << (flag.repeatable ? ", repeatable" : "")
       << " | " << code(flag.defaultValue) << " | " << (flag.refused ? "Not in this build: " : "")
       << markdownCell(flag.help) << " |\n";
  }
}

} // namespace loom
