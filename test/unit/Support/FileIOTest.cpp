//===- FileIOTest.cpp - Whole inputs, whole outputs -----------------------===//
#include "loom/Support/FileIO.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace llvm;

namespace {

/// A folder of its own for each test.
class FileIOTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("loom-fileio", folder)); }
  void TearDown() override { sys::fs::remove_directories(folder); }

  std::string path(StringRef name) const { return (folder + "/" + name).str(); }

  std::string contents(const std::string &file) {
    Expected<std::unique_ptr<MemoryBuffer>> buffer = readInput(file);
    return buffer ? (*buffer)->getBuffer().str() : "error: " + toString(buffer.takeError());
  }

  /// Everything in the folder; temporary files that were left behind would show here.
  std::vector<std::string> names() {
    std::vector<std::string> result;
    std::error_code error;
    for (sys::fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      result.push_back(sys::path::filename(it->path()).str());
    return result;
  }

  static std::string message(Error error) { return toString(std::move(error)); }

  SmallString<128> folder;
};

TEST_F(FileIOTest, WritesAndReadsBytes) {
  std::string bytes("a\0b\n\xff", 5);
  EXPECT_EQ(message(writeOutput(path("f"), bytes)), "");
  EXPECT_EQ(contents(path("f")), bytes);
  EXPECT_THAT(names(), testing::ElementsAre("f"));
}

TEST_F(FileIOTest, NothingIsWrittenBeforeCommit) {
  EXPECT_EQ(message(writeOutput(path("f"), "old")), "");
  {
    Expected<AtomicOutput> output = AtomicOutput::open(path("f"));
    ASSERT_TRUE(bool(output));
    output->stream() << "new";
    EXPECT_EQ(contents(path("f")), "old");
  }
  EXPECT_EQ(contents(path("f")), "old");
  EXPECT_THAT(names(), testing::ElementsAre("f"));
}

TEST_F(FileIOTest, UnwritablePathsFailOnOpen) {
  EXPECT_EQ(message(AtomicOutput::open(folder).takeError()),
            ("cannot write '" + folder + "': it is a folder").str());
  EXPECT_EQ(message(AtomicOutput::open(path("no/f")).takeError()),
            "cannot write '" + path("no/f") + "': there is no folder '" + path("no") + "'");
  EXPECT_EQ(message(writeOutput(path("f"), "x")), "");
  EXPECT_EQ(message(AtomicOutput::open(path("f/g")).takeError()),
            "cannot write '" + path("f/g") + "': there is no folder '" + path("f") + "'");
}

TEST_F(FileIOTest, FailedWritesAreReported) {
  if (!sys::fs::exists("/dev/full"))
    GTEST_SKIP() << "this system has no /dev/full";
  EXPECT_EQ(message(writeOutput("/dev/full", "x")),
            "cannot write '/dev/full': No space left on device");
}

TEST_F(FileIOTest, FailedRenameLeavesNothing) {
  Expected<AtomicOutput> output = AtomicOutput::open(path("f"));
  ASSERT_TRUE(bool(output));
  output->stream() << "new";
  // The destination turns into a folder after it was checked.
  ASSERT_FALSE(sys::fs::create_directory(path("f")));
  std::string problem = message(output->commit());
  EXPECT_THAT(problem, testing::HasSubstr("cannot write '" + path("f") + "'"));
  EXPECT_THAT(names(), testing::ElementsAre("f"));
}

TEST_F(FileIOTest, KeepsPermissions) {
  EXPECT_EQ(message(writeOutput(path("f"), "old")), "");
  ASSERT_FALSE(sys::fs::setPermissions(path("f"), sys::fs::perms::owner_all));
  EXPECT_EQ(message(writeOutput(path("f"), "new")), "");
  EXPECT_EQ(contents(path("f")), "new");
  EXPECT_EQ(*sys::fs::getPermissions(path("f")), sys::fs::perms::owner_all);
}

TEST_F(FileIOTest, WritesThroughLinks) {
  EXPECT_EQ(message(writeOutput(path("f"), "old")), "");
  ASSERT_FALSE(sys::fs::create_link(path("f"), path("link")));
  EXPECT_EQ(message(writeOutput(path("link"), "new")), "");
  EXPECT_EQ(contents(path("f")), "new");
  EXPECT_TRUE(sys::fs::is_symlink_file(path("link")));
}

TEST_F(FileIOTest, DevicesAreWrittenDirectly) {
  EXPECT_EQ(message(writeOutput("/dev/null", "x")), "");
  EXPECT_FALSE(sys::fs::is_regular_file("/dev/null"));
}

TEST_F(FileIOTest, UnreadableInputsSayWhy) {
  EXPECT_EQ(contents(path("none")),
            "error: cannot read '" + path("none") + "': No such file or directory");
  EXPECT_EQ(contents(folder.str().str()),
            ("error: cannot read '" + folder + "': Is a directory").str());
}

TEST_F(FileIOTest, StandardStreamsByName) {
  EXPECT_TRUE(isStandardStream(""));
  EXPECT_TRUE(isStandardStream("-"));
  EXPECT_FALSE(isStandardStream("./-"));
  EXPECT_EQ(inputName("-"), "<stdin>");
  EXPECT_EQ(outputName(""), "<stdout>");
  EXPECT_EQ(outputName("x"), "x");
}

TEST_F(FileIOTest, EmptyPathIsStandardOutput) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(message(writeOutput("", "to stdout")), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "to stdout");
}

} // namespace
