//===- JsonTest.cpp - Parsing with places, compact output -----------------===//
#include "loom/Support/Json.h"
#include "gtest/gtest.h"

using namespace loom;

namespace {

std::string errorOf(llvm::StringRef text, JsonComments comments = JsonComments::Rejected) {
  llvm::Expected<Json> document = parseJson(text, "f.json", comments);
  return document ? "" : llvm::toString(document.takeError());
}

TEST(Json, KeepsKeyOrderAndValues) {
  llvm::Expected<Json> document =
      parseJson(R"({"b": [1, -2, 2.5, true, null], "a": {"x": "y"}})", "f.json");
  ASSERT_TRUE(bool(document)) << llvm::toString(document.takeError());
  EXPECT_EQ(jsonLine(*document), "{\"b\":[1,-2,2.5,true,null],\"a\":{\"x\":\"y\"}}\n");
}

TEST(Json, ScalarsAreDocuments) {
  llvm::Expected<Json> document = parseJson(" 7 ", "f.json");
  ASSERT_TRUE(bool(document));
  EXPECT_EQ(*document, 7);
}

TEST(Json, ErrorsHaveLineAndColumn) {
  EXPECT_TRUE(llvm::StringRef(errorOf("{\n  \"a\": 1,\n  \"b\" 2\n}")).starts_with("f.json:3:7: "));
  EXPECT_TRUE(llvm::StringRef(errorOf("")).starts_with("f.json:1:1: "));
  EXPECT_TRUE(llvm::StringRef(errorOf("{} x")).starts_with("f.json:1:4: "));
  // The reason follows without the name of an exception class.
  EXPECT_EQ(errorOf("[1 2]").find("exception"), std::string::npos);
  EXPECT_NE(errorOf("[1 2]").find("expected ']'"), std::string::npos);
}

TEST(Json, RejectsWhatWouldLoseInformation) {
  EXPECT_EQ(errorOf("{\"a\": 1,\n \"a\": 2}"), "f.json:2:4: the key 'a' occurs twice");
  EXPECT_NE(errorOf("[1e999]").find("number overflow"), std::string::npos);
  EXPECT_NE(errorOf("[\"\xff\"]"), "");
  EXPECT_NE(errorOf("[1"), "");
}

TEST(Json, DeepNestingIsAnErrorNotACrash) {
  std::string deep(100000, '[');
  EXPECT_EQ(errorOf(deep), "f.json:1:201: the document is nested too deeply");
  EXPECT_EQ(errorOf(std::string(200, '[') + std::string(200, ']')), "");
}

TEST(Json, CommentsOnlyWhereTheyAreAllowed) {
  const char *text = "{ // one\n  \"a\": /* two */ 1\n}";
  EXPECT_NE(errorOf(text), "");
  EXPECT_EQ(errorOf(text, JsonComments::Ignored), "");
  EXPECT_TRUE(
      llvm::StringRef(errorOf("// c\n{,}", JsonComments::Ignored)).starts_with("f.json:2:2: "));
}

TEST(Json, BadBytesAreReplacedOnOutput) {
  EXPECT_EQ(jsonLine(Json("a\xff")), "\"a\xEF\xBF\xBD\"\n");
}

} // namespace
