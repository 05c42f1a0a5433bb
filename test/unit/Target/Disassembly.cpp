//===- Disassembly.cpp - What llvm-objdump says about a code object -------===//
#include "Disassembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace loom::test {

std::ostream &operator<<(std::ostream &stream, const PrintedWait &wait) {
  return stream << wait.node << ":" << wait.counter << "(" << wait.count << ")";
}

bool PrintedInstruction::isCopy() const {
  StringRef words = text;
  return words.starts_with("v_mov") || words.starts_with("s_mov") || words.contains("v_dual_mov") ||
         words.starts_with("v_accvgpr");
}

std::vector<PrintedWait> PrintedInstruction::waits(unsigned node) const {
  std::vector<PrintedWait> result;
  StringRef rest = text;
  unsigned count;
  if (rest.consume_front("s_waitcnt_vscnt null, ")) {
    EXPECT_FALSE(rest.getAsInteger(0, count)) << text;
    result.push_back({node, "vscnt", count});
  } else if (rest.consume_front("s_waitcnt ")) {
    while (!rest.empty()) {
      auto [name, behind] = rest.split('(');
      EXPECT_FALSE(behind.consumeInteger(10, count)) << text;
      result.push_back({node, name.str(), count});
      rest = behind.drop_front().ltrim();
    }
  } else if (rest.consume_front("s_wait_")) {
    auto [names, number] = rest.split(' ');
    EXPECT_FALSE(number.getAsInteger(0, count)) << text;
    auto [first, second] = names.split('_');
    if (second.empty()) {
      result.push_back({node, first.str(), count});
    } else {
      result.push_back({node, first.str(), count >> 8});
      result.push_back({node, second.str(), count & 63});
    }
  }
  return result;
}

std::string runLLVMTool(StringRef tool, ArrayRef<std::string> arguments, ArrayRef<char> input) {
  SmallString<128> program(LOOM_LLVM_TOOLS "/");
  program += tool;
  SmallString<128> inputPath, outputPath;
  EXPECT_FALSE(sys::fs::createTemporaryFile("loom-test", "in", inputPath));
  EXPECT_FALSE(sys::fs::createTemporaryFile("loom-test", "out", outputPath));
  FileRemover removeInput(inputPath), removeOutput(outputPath);
  std::error_code error;
  raw_fd_ostream(inputPath, error).write(input.data(), input.size());
  EXPECT_FALSE(error);
  SmallVector<StringRef, 8> command = {program};
  command.append(arguments.begin(), arguments.end());
  command.push_back(inputPath);
  std::optional<StringRef> redirects[] = {StringRef(""), outputPath.str(), std::nullopt};
  EXPECT_EQ(sys::ExecuteAndWait(program, command, std::nullopt, redirects), 0) << tool.str();
  auto buffer = MemoryBuffer::getFile(outputPath);
  EXPECT_TRUE(bool(buffer));
  return buffer ? (*buffer)->getBuffer().str() : "";
}

// A line of llvm-objdump is `text // address: words <symbol+offset>`, the last part on branches.
Disassembly::Disassembly(ArrayRef<char> codeObject, StringRef cpu, StringRef symbol,
                         uint64_t bytes) {
  std::string dump = runLLVMTool(
      "llvm-objdump", {"-d", "--mcpu=" + cpu.str(), "--disassemble-symbols=" + symbol.str()},
      codeObject);
  SmallVector<StringRef, 0> lines;
  StringRef(dump).split(lines, '\n');
  for (StringRef line : lines) {
    auto [text, comment] = line.split("//");
    auto [address, words] = comment.trim().split(':');
    PrintedInstruction instruction = {text.trim().str(), 0, std::nullopt};
    if (comment.empty() || address.getAsInteger(16, instruction.address))
      continue;
    if (!instructions.empty() && instruction.address - instructions.front().address >= bytes)
      break;
    if (size_t reference = words.find('<'); reference != StringRef::npos) {
      StringRef offset = words.substr(reference).split('+').second;
      uint64_t distance = 0;
      offset.consume_back(">");
      if (!offset.empty()) {
        EXPECT_FALSE(offset.getAsInteger(0, distance)) << line.str();
      }
      instruction.target = instructions.front().address + distance;
    }
    instructions.push_back(std::move(instruction));
  }
  EXPECT_FALSE(instructions.empty()) << dump;
}

std::vector<PrintedWait> Disassembly::waits() const {
  std::vector<PrintedWait> result;
  for (unsigned node = 0; node < instructions.size(); ++node)
    for (const PrintedWait &wait : instructions[node].waits(node))
      result.push_back(wait);
  return result;
}

ArrayRef<PrintedInstruction> Disassembly::steadyLoop() const {
  ArrayRef<PrintedInstruction> best;
  long mostLoads = 0;
  for (unsigned end = 0; end < instructions.size(); ++end) {
    if (!instructions[end].target || *instructions[end].target > instructions[end].address)
      continue;
    unsigned begin = end;
    while (begin > 0 && instructions[begin].address > *instructions[end].target)
      --begin;
    ArrayRef<PrintedInstruction> body = ArrayRef(instructions).slice(begin, end - begin + 1);
    bool straight =
        llvm::none_of(body.drop_back(), [](auto &one) { return one.target.has_value(); });
    long loads = llvm::count_if(body, [](auto &one) { return one.isGlobalLoad(); });
    if (straight && loads > mostLoads) {
      mostLoads = loads;
      best = body;
    }
  }
  return best;
}

static bool countsLoads(const PrintedWait &wait) {
  return wait.counter == "vmcnt" || wait.counter == "loadcnt";
}

std::vector<unsigned> loadWaits(ArrayRef<PrintedInstruction> body) {
  std::vector<unsigned> result;
  for (const PrintedInstruction &instruction : body)
    for (const PrintedWait &wait : instruction.waits(0))
      if (countsLoads(wait))
        result.push_back(wait.count);
  return result;
}

unsigned pendingLoads(ArrayRef<PrintedInstruction> body) {
  unsigned pending = 0;
  for (unsigned round = 0; round < 3; ++round)
    for (const PrintedInstruction &instruction : body) {
      pending += instruction.isGlobalLoad();
      for (const PrintedWait &wait : instruction.waits(0))
        if (countsLoads(wait))
          pending = std::min(pending, wait.count);
    }
  return pending;
}

} // namespace loom::test
