//===- Main.cpp - loom-low-descriptors: makes the descriptor tables -------===//
//
//   loom-low-descriptors OUTPUT      writes the tables as C++
//   loom-low-descriptors --summary   prints how many names each set has and what it leaves out
//   loom-low-descriptors --left-out  prints every name that is left out, with the reason
//
//===----------------------------------------------------------------------===//
#include "Table.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace loom::lowgen;

static void printSummary(ArrayRef<Table> tables) {
  for (const Table &table : tables) {
    outs() << table.key << ": " << table.entries.size() << " instructions, " << table.aliases.size()
           << " other names";
    std::map<std::string, unsigned> reasons;
    for (auto &[name, reason] : table.leftOut)
      ++reasons[reason];
    for (auto &[reason, count] : reasons)
      outs() << "; " << count << " left out: " << reason;
    outs() << '\n';
  }
}

static constexpr StringLiteral kUsage =
    "usage: loom-low-descriptors OUTPUT | --summary | --left-out\n"
    "Makes the descriptor tables of Low from LLVM's; a part of the build of Loom.\n"
    "  OUTPUT      writes the tables as C++\n"
    "  --summary   prints how many names each set has and what it leaves out\n"
    "  --left-out  prints every name that is left out, with the reason\n";

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "--help") {
    outs() << kUsage;
    return 0;
  }
  if (argc != 2 || (StringRef(argv[1]).starts_with("-") &&
                    !is_contained({"--summary", "--left-out"}, StringRef(argv[1])))) {
    errs() << kUsage;
    return 1;
  }
  std::vector<Table> tables = makeAMDGPUTables();
  for (std::vector<Table> more : {makeSPIRVTables(), makeX86Tables()})
    tables.insert(tables.end(), more.begin(), more.end());
  StringRef argument = argv[1];
  if (argument == "--summary") {
    printSummary(tables);
    return 0;
  }
  if (argument == "--left-out") {
    for (const Table &table : tables)
      for (auto &[name, reason] : table.leftOut)
        outs() << table.key << ' ' << name << ": " << reason << '\n';
    return 0;
  }
  std::error_code error;
  raw_fd_ostream os(argument, error);
  if (error) {
    errs() << "cannot write '" << argument << "': " << error.message() << '\n';
    return 1;
  }
  emitTables(tables, os);
  return 0;
}
