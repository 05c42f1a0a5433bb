//===- NpyTest.cpp - Arrays in files of NumPy -----------------------------===//
#include "loom/Runtime/Npy.h"
#include "loom/Runtime/Random.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fstream>

using namespace loom::runtime;

namespace {

class Npy : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npy", folder)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> whole(folder);
    llvm::sys::path::append(whole, name);
    return whole.str().str();
  }
  void put(llvm::StringRef name, const std::string &bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string get(llvm::StringRef name) {
    return (*llvm::MemoryBuffer::getFile(path(name)))->getBuffer().str();
  }
  std::string failure(llvm::StringRef name, Tensor &tensor) {
    llvm::Error error = readNpy(path(name), tensor);
    return error ? llvm::toString(std::move(error)) : "none";
  }

  llvm::SmallString<128> folder;
};

Tensor make(ElementType type, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(Tensor::create(type, shape));
}

TEST_F(Npy, WritesWhatItReads) {
  Xoroshiro128 random(1);
  for (ElementType type :
       {ElementType::I8, ElementType::I16, ElementType::I32, ElementType::I64, ElementType::Index,
        ElementType::Offset, ElementType::F8E4M3, ElementType::F8E5M2, ElementType::F16,
        ElementType::BF16, ElementType::F32, ElementType::F64})
    for (const llvm::SmallVector<int64_t> &shape :
         {llvm::SmallVector<int64_t>{}, {7}, {0}, {3, 0, 2}, {2, 3, 4}}) {
      Tensor written = make(type, shape), read = make(type, shape);
      for (uint64_t i = 0; i < written.elementCount(); ++i)
        written.set(i, Scalar::fromBits(type, random.next()));
      llvm::cantFail(writeNpy(path("x.npy"), written));
      llvm::cantFail(readNpy(path("x.npy"), read));
      EXPECT_EQ(std::memcmp(written.data(), read.data(), read.byteSize()), 0);
      EXPECT_EQ(get("x.npy").size() % 64, read.byteSize() % 64); // elements are aligned
    }
}

TEST_F(Npy, LeavesOnlyTheFile) {
  llvm::cantFail(writeNpy(path("deep/er/x.npy"), make(ElementType::I8, {3})));
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator it(path("deep/er"), error), end; it != end && !error;
       it.increment(error))
    ++count;
  EXPECT_EQ(count, 1u);
}

TEST_F(Npy, KeepsPermissions) {
  put("x.npy", "old");
  llvm::cantFail(llvm::errorCodeToError(
      llvm::sys::fs::setPermissions(path("x.npy"), llvm::sys::fs::perms(0640))));
  llvm::cantFail(writeNpy(path("x.npy"), make(ElementType::I8, {3})));
  EXPECT_EQ(*llvm::sys::fs::getPermissions(path("x.npy")), llvm::sys::fs::perms(0640));
}

TEST_F(Npy, SaysWhyNothingIsWritten) {
  put("file", "");
  std::string error = llvm::toString(writeNpy(path("file/x.npy"), make(ElementType::I8, {3})));
  EXPECT_EQ(error, "cannot write '" + path("file/x.npy") + "': Not a directory");
}

/// A file of version 1.0 with this dictionary.
std::string file(const std::string &dictionary, const std::string &data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(dictionary.size() & 0xff);
  bytes += char(dictionary.size() >> 8);
  return bytes + dictionary + data;
}

// Every prefix of a good file, and every byte of its header replaced, is refused or read; nothing
// else happens.
TEST_F(Npy, SurvivesEveryDamage) {
  std::string good = file("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n", "abcdef");
  Tensor tensor = make(ElementType::I16, {3});
  put("x.npy", good);
  EXPECT_EQ(failure("x.npy", tensor), "none");
  for (size_t length = 0; length < good.size(); ++length) {
    put("x.npy", good.substr(0, length));
    EXPECT_NE(failure("x.npy", tensor), "none") << length;
  }
  unsigned refused = 0;
  for (size_t at = 0; at < good.size() - 6; ++at)
    for (char c : {'\0', '\xff', ' ', '\'', '(', '}', '9', '-'}) {
      std::string damaged = good;
      damaged[at] = c;
      put("x.npy", damaged);
      refused += failure("x.npy", tensor) != "none";
    }
  EXPECT_GT(refused, 300u);
}

TEST_F(Npy, LimitsTheHeader) {
  std::string bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
  put("x.npy", bytes);
  Tensor tensor = make(ElementType::I16, {3});
  EXPECT_EQ(failure("x.npy", tensor),
            "'" + path("x.npy") +
                "' is no array of NumPy: its header has 4294967295 bytes; the "
                "limit is 65536");
}

} // namespace
