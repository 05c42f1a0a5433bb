// Values for configuration keys.
#include "loom/Link/Config.h"
#include "../Analysis/Program.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fstream>
#include <gmock/gmock.h>

using namespace loom;
using namespace loom::test;
using namespace mlir;
using ::testing::HasSubstr;

namespace {

class ConfigFiles : public ::testing::Test {
protected:
  void SetUp() override {
    SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("loom-config", path));
    folder = path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string write(const std::string &name, const std::string &text) {
    std::string path = folder + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  /// `key=value` of each binding, or the message.
  std::vector<std::string> collect(const std::vector<std::string> &direct,
                                   const std::vector<std::string> &files = {}) {
    auto bindings = collectConfigBindings(direct, files);
    if (!bindings)
      return {llvm::toString(bindings.takeError())};
    std::vector<std::string> result;
    for (const ConfigBinding &binding : *bindings)
      result.push_back(binding.key + "=" + binding.value);
    return result;
  }

  std::string folder;
};

using Strings = std::vector<std::string>;

TEST_F(ConfigFiles, FilesAndDirectBindingsAreOneSet) {
  std::string path = write("a.json", R"({
    // the schedule
    "read_ahead": {"depth": 4, "unroll": 6, "policy": {"fast": true}},
    "scale": 1.50, /* a factor */ "low": -3, "tile.rows": 8
  })");
  EXPECT_EQ(collect({"x=1", " @y.z = -2 "}, {path}),
            (Strings{"x=1", "y.z=-2", "read_ahead.depth=4", "read_ahead.unroll=6",
                     "read_ahead.policy.fast=true", "scale=1.5", "low=-3", "tile.rows=8"}));
}

TEST_F(ConfigFiles, AKeyThatIsSetTwiceIsAnError) {
  std::string a = write("a.json", R"({"tile": {"rows": 8}})");
  std::string b = write("b.json", R"({"tile.rows": 8})");
  EXPECT_EQ(collect({"x=1", "x=1"}),
            Strings{"configuration key 'x' is set twice: by --config and by --config"});
  EXPECT_EQ(collect({"tile.rows=8"}, {a}),
            Strings{"configuration key 'tile.rows' is set twice: by --config and by " + a});
  EXPECT_EQ(collect({}, {a, b}),
            Strings{"configuration key 'tile.rows' is set twice: by " + a + " and by " + b});
}

TEST_F(ConfigFiles, WhatIsNoBindingIsAnError) {
  for (const char *text : {"depth", "=3", "depth=", ""})
    EXPECT_THAT(collect({text})[0], HasSubstr("is not of the form --config=KEY=VALUE")) << text;
  EXPECT_THAT(collect({}, {folder + "/none.json"})[0], HasSubstr("none.json"));
  EXPECT_THAT(collect({}, {write("list.json", "[1]")})[0],
              HasSubstr("list.json: a configuration file holds one JSON object"));
  EXPECT_THAT(collect({}, {write("text.json", R"({"a": "3"})")})[0],
              HasSubstr("the value of 'a' is neither a number nor a boolean"));
  EXPECT_THAT(collect({}, {write("null.json", R"({"a": {"b": null}})")})[0],
              HasSubstr("the value of 'a.b' is neither"));
  EXPECT_THAT(collect({}, {write("open.json", "{\"a\": 1")})[0], HasSubstr("open.json:1:"));
  // Everything that is wrong is said at once.
  EXPECT_THAT(collect({"depth", "rows"})[0],
              ::testing::AllOf(HasSubstr("--config=depth "), HasSubstr("\n--config=rows ")));
}

const char *const source = R"(
config.def @read_ahead.depth = 3 : index
config.def @scale = 2.5 : f32
config.decl @tile.rows : index
config.decl @narrow : i8
config.def @on = false : i1
config.def @bytes = 4 : offset
)";

struct Applied {
  bool ok;
  std::string text, message;
  std::vector<EffectiveBinding> effective;
};

Applied apply(const std::vector<std::pair<std::string, std::string>> &values) {
  Program p(source);
  std::vector<ConfigBinding> bindings;
  for (const auto &[key, value] : values)
    bindings.push_back({key, value, "--config"});
  Applied result;
  result.ok = succeeded(applyConfig(*p.module, bindings, &result.effective));
  EXPECT_TRUE(succeeded(verifyModule(*p.module)));
  result.text = printSourceText(*p.module);
  result.message = p.message;
  return result;
}

TEST(ApplyConfig, DefinitionsChangeAndDeclarationsBecomeDefinitions) {
  Applied result = apply({{"bytes", "0x40"},
                          {"tile.rows", "-8"},
                          {"read_ahead.depth", "5"},
                          {"scale", "1e3"},
                          {"narrow", "255"},
                          {"on", "true"}});
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.text, "config.def @read_ahead.depth = 5 : index\n"
                         "config.def @scale = 1000.0 : f32\n"
                         "config.def @tile.rows = -8 : index\n"
                         "config.def @narrow = 255 : i8\n"
                         "config.def @on = true : i1\n"
                         "config.def @bytes = 64 : offset\n");
  // In the order of the program, whatever the order of the flags.
  std::vector<std::string> effective;
  for (const EffectiveBinding &binding : result.effective)
    effective.push_back(binding.key + "=" + binding.value);
  EXPECT_EQ(effective, (Strings{"read_ahead.depth=5", "scale=1000.0", "tile.rows=-8", "narrow=255",
                                "on=true", "bytes=64"}));
}

TEST(ApplyConfig, NothingBoundNothingChanged) {
  Applied result = apply({});
  EXPECT_TRUE(result.ok);
  EXPECT_TRUE(result.effective.empty());
  EXPECT_THAT(result.text, HasSubstr("config.decl @tile.rows : index"));
}

TEST(ApplyConfig, UnknownKeysNameNearMatches) {
  Applied result = apply({{"read_ahead.dept", "5"}, {"zzz", "1"}});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.message,
              HasSubstr("error: the program declares no configuration key 'read_ahead.dept' "
                        "(--config); did you mean 'read_ahead.depth'? [CONFIG/002]"));
  EXPECT_THAT(result.message,
              HasSubstr("test.loom:2:1: note: 'read_ahead.depth' is declared here"));
  EXPECT_THAT(result.message, HasSubstr("no configuration key 'zzz' (--config) [CONFIG/002]"));
}

TEST(ApplyConfig, ValuesHaveToSuitTheType) {
  const std::pair<const char *, const char *> wrong[] = {
      {"read_ahead.depth", "5.0"},
      {"read_ahead.depth", "x"},
      {"read_ahead.depth", "true"},
      {"read_ahead.depth", "010x"},
      {"read_ahead.depth", "--1"},
      {"read_ahead.depth", "0x"},
      {"scale", "2"},
      {"narrow", "256"},
      {"narrow", "-129"},
      {"on", "2"},
      {"bytes", "-1"},
      {"read_ahead.depth", "1e"},
      {"read_ahead.depth", "9223372036854775808"},
      {"scale", "0x1.8"}};
  for (auto [key, value] : wrong) {
    Applied result = apply({{key, value}, {"tile.rows", "1"}});
    EXPECT_FALSE(result.ok) << key << "=" << value;
    EXPECT_THAT(result.message, HasSubstr(std::string(key) + "=" + value + " (--config): "));
    EXPECT_THAT(result.message, HasSubstr("[CONFIG/003]"));
    EXPECT_THAT(result.message, HasSubstr("test.loom:"));
    // A failure changes nothing, not even what was right.
    EXPECT_THAT(result.text, HasSubstr("config.decl @tile.rows")) << value;
  }
}

TEST(ApplyConfig, LimitsOfSixtyFourBitsAndLeadingZeros) {
  for (auto [value, printed] : {std::pair("-9223372036854775808", "-9223372036854775808"),
                                std::pair("9223372036854775807", "9223372036854775807"),
                                std::pair("010", "10"), std::pair("-0x10", "-16")}) {
    Applied result = apply({{"read_ahead.depth", value}});
    EXPECT_TRUE(result.ok) << value << result.message;
    EXPECT_THAT(result.text, HasSubstr("@read_ahead.depth = " + std::string(printed) + " : index"));
  }
}

TEST(ApplyConfig, AProgramWithoutKeysSaysSo) {
  Program p("func.def @f() {\n  func.return\n}\n");
  EXPECT_TRUE(failed(applyConfig(*p.module, {{"depth", "3", "a.json"}})));
  EXPECT_THAT(p.message, HasSubstr("no configuration key 'depth' (a.json) [CONFIG/002]"));
  EXPECT_THAT(p.message, HasSubstr("it declares none at all"));
}

} // namespace
