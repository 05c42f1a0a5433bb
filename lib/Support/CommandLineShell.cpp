//===- CommandLineShell.cpp - The flags of a tool for shells and man ------===//
//
// The same table as that of `--help`, written as completions of bash, zsh and fish and as a page of
// the manual.
//
//===----------------------------------------------------------------------===//
#include "loom/Support/CommandLine.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace loom {

void CommandLine::printTable(raw_ostream &os) const {
  if (printFlags == "bash")
    printBashCompletion(os);
  else if (printFlags == "zsh")
    printZshCompletion(os);
  else if (printFlags == "fish")
    printFishCompletion(os);
  else if (printFlags == "man")
    printManPage(os);
  else
    printMarkdown(os);
}

static std::string replaced(StringRef text, char what, StringRef by) {
  std::string result;
  for (char c : text)
    result += c == what ? by.str() : std::string(1, c);
  return result;
}

/// `loom-format` as a part of a function's name.
static std::string identifier(StringRef tool) { return replaced(tool, '-', "_"); }

/// Text in single quotes, inside of which a POSIX shell takes everything literally.
static std::string quoted(StringRef text) { return "'" + replaced(text, '\'', "'\\''") + "'"; }

//===----------------------------------------------------------------------===//
// bash
//===----------------------------------------------------------------------===//

// How `--name=value` arrives depends on COMP_WORDBREAKS, which has `=` unless the user removed it.
static constexpr char kBashBody[] = R"bash(  local current=${COMP_WORDS[COMP_CWORD]} flag= prefix= i
  local previous=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      _@_paths '' "$current"
      return
    fi
  done
  if [[ $current == '=' ]]; then
    flag=$previous current=
  elif [[ $previous == '=' ]] && ((COMP_CWORD > 1)); then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $current == --*=* ]]; then
    flag=${current%%=*} prefix=${current%%=*}= current=${current#*=}
  elif [[ $current != -* ]] && _@_wants_value "$previous"; then
    flag=$previous
  fi
)bash";

static constexpr char kBashHelpers[] = R"bash(
# Completes names of files; every candidate begins with $1.
_@_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -P "$1" -f -- "$2")
}

# Completes one of the words in $3.
_@_words() {
  mapfile -t COMPREPLY < <(compgen -P "$1" -W "$3" -- "$2")
}
)bash";

static void printBashFlag(raw_ostream &os, StringRef function, const FlagInfo &flag) {
  os << "    --" << flag.name << ")\n";
  if (!flag.choices.empty())
    os << "      _" << function << "_words \"$prefix\" \"$current\" "
       << quoted(llvm::join(flag.choices, " ")) << "\n";
  // A word that can also be the name of a file: files when no word begins like it.
  if (flag.takesPath())
    os << "      ((${#COMPREPLY[@]})) || _" << function << "_paths \"$prefix\" \"$current\"\n";
  os << "      ;;\n";
}

void CommandLine::printBashCompletion(raw_ostream &os) const {
  std::string function = identifier(tool);
  std::vector<std::string> names, withValue;
  for (const FlagInfo &flag : flags()) {
    if (flag.refused)
      continue;
    names.push_back("--" + flag.name + (flag.isBoolean() ? "" : "="));
    if (!flag.isBoolean())
      withValue.push_back("--" + flag.name);
  }
  os << "# Completion of " << tool
     << " for bash; source it, or put it where bash-completion looks.\n"
     << replaced(kBashHelpers, '@', function)
     << "\n# Whether the flag $1 takes the argument behind it.\n_" << function
     << "_wants_value() {\n  case ${1//_/-} in\n";
  if (!withValue.empty())
    os << "    " << llvm::join(withValue, " | ") << ") return 0 ;;\n";
  os << "  esac\n  return 1\n}\n\n_" << function << "() {\n"
     << replaced(kBashBody, '@', function) << "  case ${flag//_/-} in\n";
  for (const FlagInfo &flag : flags())
    if (!flag.refused)
      printBashFlag(os, function, flag);
  os << "    '')\n      if [[ $current == -* ]]; then\n        _" << function
     << "_words '' \"$current\" " << quoted(llvm::join(names, " "))
     << "\n        [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace "
        "2>/dev/null\n";
  if (std::vector<std::string> words = commands(); !words.empty())
    os << "      elif ((COMP_CWORD == 1)); then\n        _" << function << "_words '' \"$current\" "
       << quoted(llvm::join(words, " ")) << "\n";
  if (maxPositionals)
    os << "      else\n        _" << function << "_paths '' \"$current\"\n";
  os << "      fi\n      ;;\n  esac\n}\n\ncomplete -F _" << function << " " << tool << "\n";
}

//===----------------------------------------------------------------------===//
// zsh
//===----------------------------------------------------------------------===//

/// Text in a specification of _arguments, where `:` and brackets separate parts.
static std::string zshText(StringRef text) {
  std::string result;
  for (char c : text) {
    if (StringRef(":[]\\").contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

static std::string zshFlag(const FlagInfo &flag) {
  std::string spec = (flag.repeatable ? "*--" : "--") + flag.name;
  // `=-`: the value follows in the same word; `::`: it may be left out.
  spec += (flag.isBoolean() ? "=-[" : "=[") + zshText(flag.help) + "]";
  spec += flag.isBoolean() ? "::" : ":";
  spec += zshText(flag.isBoolean() ? "true or false" : flag.valueForm) + ":";
  std::string words = "(" + llvm::join(flag.choices, " ") + ")";
  if (flag.takesPath() && !flag.choices.empty())
    spec += "{ _alternative " + quoted("words:word:" + words) + " " + quoted("files:file:_files") +
            " }";
  else if (flag.takesPath())
    spec += "_files";
  else
    spec += flag.choices.empty() ? " " : words;
  return spec;
}

void CommandLine::printZshCompletion(raw_ostream &os) const {
  os << "#compdef " << tool << "\n\n_arguments -S";
  for (const FlagInfo &flag : flags())
    if (!flag.refused)
      os << " \\\n  "
         << quoted(flag.name == "help" || flag.name == "version"
                       ? "(- *)--" + flag.name + "[" + zshText(flag.help) + "]"
                       : zshFlag(flag));
  std::vector<std::string> words = commands();
  if (!words.empty())
    os << " \\\n  " << quoted("1:command:(" + llvm::join(words, " ") + ")");
  if (maxPositionals)
    os << " \\\n  " << quoted("*:" + zshText(positionalForm) + ":_files");
  os << "\n";
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

static std::string fishQuoted(StringRef text) {
  return "'" + replaced(replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

void CommandLine::printFishCompletion(raw_ostream &os) const {
  os << "# Completion of " << tool << " for fish.\n";
  std::vector<std::string> words = commands();
  if (!maxPositionals)
    os << "complete -c " << tool << " -f\n";
  else if (!words.empty())
    os << "complete -c " << tool << " -n __fish_is_first_token -f -a "
       << fishQuoted(llvm::join(words, " ")) << "\n";
  for (const FlagInfo &flag : flags()) {
    if (flag.refused)
      continue;
    os << "complete -c " << tool << " -l " << flag.name;
    if (!flag.isBoolean())
      os << (flag.takesPath() ? " -r -F" : " -r -f");
    if (!flag.isBoolean() && !flag.choices.empty())
      os << " -a " << fishQuoted(llvm::join(flag.choices, " "));
    os << " -d " << fishQuoted(flag.help) << "\n";
  }
}

//===----------------------------------------------------------------------===//
// man
//===----------------------------------------------------------------------===//

/// Text for roff: dashes that can be copied, no escapes and no requests.
static std::string roff(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  if (!result.empty() && (result[0] == '.' || result[0] == '\''))
    result.insert(0, "\\&");
  return result;
}

/// A sentence as it stands behind the name of a tool in the list of the manual.
static std::string asPhrase(StringRef sentence) {
  std::string phrase = sentence.rtrim('.').str();
  if (phrase.size() > 1 && !isUpper(phrase[1]))
    phrase[0] = toLower(phrase[0]);
  return phrase;
}

void CommandLine::printManPage(raw_ostream &os) const {
  os << ".TH " << StringRef(tool).upper() << " 1 \"\" \"Loom " << LOOM_VERSION << "\" \"Loom\"\n"
     << ".ad l\n.SH NAME\n"
     << roff(tool) << " \\- " << roff(asPhrase(summary)) << "\n"
     << ".SH SYNOPSIS\n\\fB" << roff(tool) << "\\fR [\\fIflags\\fR]";
  if (!positionalForm.empty())
    os << " " << roff(positionalForm);
  os << "\n.SH DESCRIPTION\n" << roff(summary) << "\n";
  if (!positionalForm.empty())
    os << ".PP\nArguments \\fI" << roff(positionalForm) << "\\fR: " << roff(positionalHelp) << "\n";
  os << ".PP\nA flag is written \\fB\\-\\-name=value\\fR or \\fB\\-\\-name value\\fR; in a name, "
        "\\- and _ are the same. \\fB\\-\\-\\fR ends the flags.\n.SH OPTIONS\n";
  for (const FlagInfo &flag : flags()) {
    os << ".TP\n\\fB\\-\\-" << roff(flag.name) << "\\fR";
    if (!flag.valueForm.empty()) // a long list of words may be broken behind each bar
      os << "=\\fI" << replaced(roff(flag.valueForm), '|', "|\\:") << "\\fR";
    os << "\n" << roff((flag.refused ? "Not in this build: " : "") + flag.help);
    if (flag.repeatable)
      os << "\n.br\nThe flag can be repeated.";
    else if (!flag.defaultValue.empty() && flag.defaultValue != "false")
      os << "\n.br\nThe default is \\fB" << roff(flag.defaultValue) << "\\fR.";
    os << "\n";
  }
  os << ".SH EXIT STATUS\n.TP\n.B 0\nThe tool did what it was asked for.\n.TP\n.B " << errorStatus
     << "\nThe command line was not understood. Nothing was done.\n";
  if (errorStatus == 1)
    os << "The same status says that an input had errors.\n";
}

} // namespace loom
