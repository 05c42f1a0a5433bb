//===- CommandLineTest.cpp - The rules that all tools share ---------------===//
#include "loom/Support/CommandLine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace loom;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A tool with one flag of each kind.
class CommandLineTest : public testing::Test {
protected:
  CommandLineTest() : line("loom-x", "Does things.") {
    line.flag("in-place", inPlace, "Rewrite.");
    line.flag("verify", verify, "Verify.");
    line.option("output", output, "Where to write.", {}, "PATH");
    line.option("to", to, "Output form.", {"text", "bc", "bytecode"});
    line.integer("sample", sample, -1, 1000, "Sample.");
    line.list("config", config, "Bind a value.", "KEY=VALUE");
    line.positionals(inputs, 0, 2, "[file...]", "Inputs.");
    line.refused("artifact-manifest", "manifests are not in this build");
    line.option("device", device, "Where to run.");
    line.refusedValue("device", "amdgpu", "there is no device driver in this build");
  }

  std::optional<int> parse(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "loom-x");
    out.clear();
    err.clear();
    llvm::raw_string_ostream outStream(out), errStream(err);
    return line.parse(arguments.size(), arguments.data(), outStream, errStream);
  }

  CommandLine line;
  bool inPlace = false, verify = true;
  std::string output = "-", to = "text", device;
  int64_t sample = -1;
  std::vector<std::string> config, inputs;
  std::string out, err;
};

TEST_F(CommandLineTest, DefaultsStay) {
  EXPECT_EQ(parse({}), std::nullopt);
  EXPECT_FALSE(inPlace);
  EXPECT_TRUE(verify);
  EXPECT_EQ(output, "-");
  EXPECT_EQ(sample, -1);
  EXPECT_THAT(inputs, IsEmpty());
}

TEST_F(CommandLineTest, ReadsValuesAfterEqualsAndAfterBlank) {
  EXPECT_EQ(parse({"--output=a=b", "--to", "bc", "--sample", "-1", "--device", "-"}), std::nullopt)
      << err;
  EXPECT_EQ(output, "a=b");
  EXPECT_EQ(to, "bc");
  EXPECT_EQ(device, "-");
}

TEST_F(CommandLineTest, DashAndUnderscoreAreTheSameInNamesOnly) {
  EXPECT_EQ(parse({"--in_place", "--output=under_score"}), std::nullopt) << err;
  EXPECT_TRUE(inPlace);
  EXPECT_EQ(output, "under_score");
}

TEST_F(CommandLineTest, BooleanFlags) {
  EXPECT_EQ(parse({"--in-place=true", "--verify=false"}), std::nullopt);
  EXPECT_TRUE(inPlace);
  EXPECT_FALSE(verify);
  EXPECT_EQ(parse({"--in-place=maybe"}), 1);
  EXPECT_THAT(err, HasSubstr("--in-place is true or false, not 'maybe'"));
  // A bare flag does not take the input behind it.
  EXPECT_EQ(parse({"--verify", "false"}), std::nullopt);
  EXPECT_TRUE(verify);
  EXPECT_THAT(inputs, ElementsAre("false"));
}

TEST_F(CommandLineTest, ListsKeepOrderAndLeavePositionals) {
  EXPECT_EQ(parse({"--config=a=4", "one.loom", "--config=b=5", "two.loom"}), std::nullopt) << err;
  EXPECT_THAT(config, ElementsAre("a=4", "b=5"));
  EXPECT_THAT(inputs, ElementsAre("one.loom", "two.loom"));
}

TEST_F(CommandLineTest, ValuesAreTakenAsTheyAre) {
  EXPECT_EQ(parse({"--config=[1,2]", "--config={}", "--config=", "--config='q'", "[x]"}),
            std::nullopt)
      << err;
  EXPECT_THAT(config, ElementsAre("[1,2]", "{}", "", "'q'"));
  EXPECT_THAT(inputs, ElementsAre("[x]"));
}

TEST_F(CommandLineTest, EmptyValueIsAValue) {
  EXPECT_EQ(parse({"--output=", "in.loom"}), std::nullopt) << err;
  EXPECT_EQ(output, "");
  EXPECT_THAT(inputs, ElementsAre("in.loom"));
}

TEST_F(CommandLineTest, LastValueOfASingleFlagCounts) {
  EXPECT_EQ(parse({"--output=a", "--output=b"}), std::nullopt);
  EXPECT_EQ(output, "b");
}

TEST_F(CommandLineTest, DashIsAnInputAndDoubleDashEndsFlags) {
  EXPECT_EQ(parse({"-", "--", "--output=x"}), std::nullopt) << err;
  EXPECT_THAT(inputs, ElementsAre("-", "--output=x"));
  EXPECT_EQ(output, "-");
}

TEST_F(CommandLineTest, UnknownFlagNamesNearOnesAndChangesNothing) {
  EXPECT_EQ(parse({"--output=x", "--in-plase"}), 1);
  EXPECT_EQ(err, "loom-x: error: unknown flag '--in-plase'; did you mean '--in-place'? (--help "
                 "lists all)\n");
  EXPECT_EQ(output, "-");
  EXPECT_EQ(parse({"-o", "x"}), 1);
  EXPECT_THAT(err, HasSubstr("unknown flag '-o'"));
  EXPECT_EQ(parse({"-output=x"}), 1);
  EXPECT_THAT(err, HasSubstr("unknown flag '-output'; did you mean '--output'?"));
}

TEST_F(CommandLineTest, UnknownChoiceListsChoices) {
  EXPECT_EQ(parse({"--to=txt"}), 1);
  EXPECT_EQ(err, "loom-x: error: --to: unknown value 'txt' (text, bc, bytecode); did you mean "
                 "'text'?\n");
}

TEST_F(CommandLineTest, MissingValue) {
  EXPECT_EQ(parse({"--output"}), 1);
  EXPECT_THAT(err, HasSubstr("--output needs a value: --output=PATH"));
  EXPECT_EQ(parse({"--output", "--in-place"}), 1);
  EXPECT_THAT(err, HasSubstr("--output needs a value"));
}

TEST_F(CommandLineTest, IntegersAreCheckedWhole) {
  EXPECT_EQ(parse({"--sample=12"}), std::nullopt);
  EXPECT_EQ(sample, 12);
  EXPECT_EQ(parse({"--sample=12x"}), 1);
  EXPECT_THAT(err, HasSubstr("--sample: '12x' is not an integer"));
  EXPECT_EQ(parse({"--sample=1001"}), 1);
  EXPECT_THAT(err, HasSubstr("--sample: 1001 is not between -1 and 1000"));
  EXPECT_EQ(parse({"--sample=99999999999999999999"}), 1);
  EXPECT_EQ(sample, 12);
}

TEST_F(CommandLineTest, RefusedFlagsAndValuesSayWhy) {
  EXPECT_EQ(parse({"--artifact-manifest=summary"}), 1);
  EXPECT_EQ(err, "loom-x: error: --artifact-manifest: manifests are not in this build\n");
  EXPECT_EQ(parse({"--artifact_manifest"}), 1);
  EXPECT_EQ(parse({"--device=amdgpu"}), 1);
  EXPECT_EQ(err, "loom-x: error: --device=amdgpu: there is no device driver in this build\n");
  EXPECT_EQ(parse({"--device=x86"}), std::nullopt);
}

TEST_F(CommandLineTest, CountsPositionals) {
  EXPECT_EQ(parse({"a", "b", "c"}), 1);
  EXPECT_THAT(err, HasSubstr("unexpected argument 'c'"));
  CommandLine other("loom-y", "Needs one.");
  std::vector<std::string> values;
  other.positionals(values, 1, 1, "FILE", "The file.");
  other.setErrorStatus(2);
  const char *argv[] = {"loom-y"};
  std::string text;
  llvm::raw_string_ostream stream(text);
  EXPECT_EQ(other.parse(1, argv, stream, stream), 2);
  EXPECT_THAT(text, HasSubstr("usage: loom-y [flags] FILE"));
}

TEST_F(CommandLineTest, HelpAndVersionSucceed) {
  EXPECT_EQ(parse({"--help"}), 0);
  EXPECT_THAT(out, HasSubstr("Usage: loom-x [flags] [file...]"));
  EXPECT_THAT(out, HasSubstr("  --to=text|bc|bytecode  (default: text)\n      Output form.\n"));
  EXPECT_THAT(out, HasSubstr("  --config=KEY=VALUE  (repeatable)\n"));
  EXPECT_THAT(out, HasSubstr("  --artifact-manifest  (not in this build)\n"));
  EXPECT_THAT(out, testing::Not(HasSubstr("print-flags")));
  EXPECT_EQ(err, "");
  EXPECT_EQ(parse({"-h"}), 0);
}

TEST_F(CommandLineTest, VersionNamesLoomAndLLVM) {
  EXPECT_EQ(parse({"--version"}), 0);
  EXPECT_THAT(out, testing::MatchesRegex("loom-x [0-9.]+ \\(LLVM 22[^)]*\\)\n"));
}

TEST_F(CommandLineTest, MarkdownTable) {
  EXPECT_EQ(parse({"--print-flags=markdown"}), 0);
  EXPECT_THAT(out, HasSubstr("| `--to` | `text\\|bc\\|bytecode` | `text` | Output form. |\n"));
  EXPECT_THAT(out, HasSubstr("| `--config` | `KEY=VALUE`, repeatable |  | Bind a value. |\n"));
  EXPECT_THAT(out, HasSubstr("| `--artifact-manifest` |  |  | Not in this build: manifests"));
}

TEST_F(CommandLineTest, ChoicesAreWordsThatThisBuildTakes) {
  line.option("report", output, "Where.", {}, "stderr|PATH");
  line.refusedValue("to", "bytecode", "no");
  std::vector<FlagInfo> flags = line.flags();
  auto find = [&](llvm::StringRef name) {
    return *llvm::find_if(flags, [&](const FlagInfo &flag) { return flag.name == name; });
  };
  EXPECT_THAT(find("to").choices, ElementsAre("text", "bc"));
  EXPECT_THAT(find("report").choices, ElementsAre("stderr"));
  EXPECT_THAT(find("in-place").choices, ElementsAre("true", "false"));
  EXPECT_THAT(find("config").choices, IsEmpty());
  EXPECT_THAT(find("artifact-manifest").choices, IsEmpty());
  EXPECT_TRUE(find("report").takesPath());
  EXPECT_TRUE(find("output").takesPath());
  EXPECT_FALSE(find("config").takesPath());
}

TEST_F(CommandLineTest, BashCompletionHasNamesChoicesAndPaths) {
  EXPECT_EQ(parse({"--print-flags=bash"}), 0);
  EXPECT_THAT(out, HasSubstr("'--help --version --in-place --verify --output= --to= --sample= "
                             "--config= --device='"));
  EXPECT_THAT(out, HasSubstr("    --to)\n      _loom_x_words \"$prefix\" \"$current\" 'text bc "
                             "bytecode'\n      ;;\n"));
  EXPECT_THAT(out, HasSubstr("    --output)\n      ((${#COMPREPLY[@]})) || _loom_x_paths"));
  EXPECT_THAT(out, HasSubstr("complete -F _loom_x loom-x\n"));
  EXPECT_THAT(out, testing::Not(HasSubstr("artifact-manifest")));
  EXPECT_THAT(out, testing::Not(HasSubstr("_@"))); // the name of the tool is filled in
}

TEST_F(CommandLineTest, ZshCompletionQuotesItsText) {
  line.flag("odd", verify, "it's [a]: b");
  EXPECT_EQ(parse({"--print-flags=zsh"}), 0);
  EXPECT_TRUE(llvm::StringRef(out).starts_with("#compdef loom-x\n\n_arguments -S \\\n"));
  EXPECT_THAT(out, HasSubstr("'--to=[Output form.]:text|bc|bytecode:(text bc bytecode)'"));
  EXPECT_THAT(out, HasSubstr("'--output=[Where to write.]:PATH:_files'"));
  EXPECT_THAT(out, HasSubstr("'*--config=[Bind a value.]:KEY=VALUE: '"));
  EXPECT_THAT(out, HasSubstr("'--odd=-[it'\\''s \\[a\\]\\: b]::true or false:(true false)'"));
}

TEST_F(CommandLineTest, FishCompletionQuotesItsText) {
  line.flag("odd", verify, "it's \\ odd");
  EXPECT_EQ(parse({"--print-flags=fish"}), 0);
  EXPECT_THAT(out, HasSubstr("complete -c loom-x -l to -r -f -a 'text bc bytecode' -d 'Output "
                             "form.'\n"));
  EXPECT_THAT(out, HasSubstr("complete -c loom-x -l output -r -F -d 'Where to write.'\n"));
  EXPECT_THAT(out, HasSubstr("complete -c loom-x -l odd -d 'it\\'s \\\\ odd'\n"));
}

TEST_F(CommandLineTest, ManPageEscapesItsText) {
  line.setErrorStatus(2);
  line.flag("odd", verify, ".TH \\fB-x");
  EXPECT_EQ(parse({"--print-flags=man"}), 0);
  EXPECT_TRUE(llvm::StringRef(out).starts_with(".TH LOOM-X 1 \"\" \"Loom "));
  EXPECT_THAT(out, HasSubstr(".ad l\n.SH NAME\nloom\\-x \\- does things\n"));
  EXPECT_THAT(out, HasSubstr(".SH SYNOPSIS\n\\fBloom\\-x\\fR [\\fIflags\\fR] [file...]\n"));
  EXPECT_THAT(out, HasSubstr(".TP\n\\fB\\-\\-odd\\fR\n\\&.TH \\efB\\-x\n"));
  EXPECT_THAT(out,
              HasSubstr(".TP\n\\fB\\-\\-to\\fR=\\fItext|\\:bc|\\:bytecode\\fR\nOutput form.\n.br\n"
                        "The default is \\fBtext\\fR.\n"));
  EXPECT_THAT(out, HasSubstr("\n.B 2\n"));
}

TEST_F(CommandLineTest, WordsOfTheUsageLineAreCommands) {
  CommandLine other("loom-y", "Shows.");
  std::vector<std::string> values;
  other.positionals(values, 1, 3, "show REPORT | diff OLD NEW", "What to do.");
  std::string text;
  llvm::raw_string_ostream stream(text);
  other.printBashCompletion(stream);
  EXPECT_THAT(text,
              HasSubstr("elif ((COMP_CWORD == 1)); then\n        _loom_y_words '' \"$current\" "
                        "'show diff'\n"));
  text.clear();
  other.printZshCompletion(stream);
  EXPECT_THAT(text, HasSubstr("'1:command:(show diff)'"));
}

TEST_F(CommandLineTest, FlagsCanBeListed) {
  std::vector<std::string> names;
  for (const FlagInfo &flag : line.flags())
    names.push_back(flag.name);
  EXPECT_THAT(names, ElementsAre("help", "version", "in-place", "verify", "output", "to", "sample",
                                 "config", "artifact-manifest", "device"));
}

} // namespace
