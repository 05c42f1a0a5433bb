//===- Table.h - Descriptor sets while they are made ------------*- C++ -*-===//
#ifndef LOOM_LIB_LOW_GENERATOR_TABLE_H
#define LOOM_LIB_LOW_GENERATOR_TABLE_H

#include "loom/Low/Descriptors.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>
#include <vector>

namespace loom::lowgen {

struct Operand {
  uint16_t classes = 0;
  unsigned units = 1, slot = DescriptorOperand::kImplicitSlot;
  int tied = -1;
  LiteralKind literal = LiteralKind::None;
  LowValueType valueType = LowValueType::None;
  RegisterPart part = RegisterPart::Whole;
};

struct Immediate {
  std::string name;
  unsigned slot = 0;
  bool isFloat = false, required = false, fixed = false;
  int64_t defaultValue = 0, min = 0, max = 0;
};

struct Entry {
  std::string name, opcode;
  std::vector<Operand> results, operands;
  std::vector<Immediate> immediates;
  unsigned effects = 0, defs = 0, uses = 0;
};

/// One set: entries by name, and other names of them.
struct Table {
  std::string key;
  DescriptorFamily family;
  bool generic = false;
  /// Name of the array of register classes.
  std::string classes;
  std::map<std::string, Entry> entries;
  /// Alias to name.
  std::map<std::string, std::string> aliases;
  /// Names that were considered and left out, with the reason.
  std::map<std::string, std::string> leftOut;
};

/// Register classes in the order of the tables in Descriptors.cpp.
enum AMDGPUClass { SGPR, VGPR, AGPR, SCC, VCC, M0 };
enum X86Class { GPR32, GPR64, XMM, YMM, ZMM, K };

/// A set of one hardware generation.
struct Generation {
  const char *key;
  const char *classes;
  /// SIEncodingFamily of LLVM's AMDGPU back end, tried in order.
  std::vector<unsigned> encodings;
  /// An entry belongs to the set when all of them assemble it.
  std::vector<const char *> processors;
};
/// The set of one AMDGPU generation, from LLVM's tables.
Table buildGeneration(const Generation &generation);

std::vector<Table> makeAMDGPUTables();
std::vector<Table> makeX86Tables();
std::vector<Table> makeSPIRVTables();

/// The smallest and the largest value that `accepts` admits among 0, 2^k - 1 and -2^k.
std::pair<int64_t, int64_t> probeRange(llvm::function_ref<bool(int64_t)> accepts);

/// Writes the tables as C++ for Descriptors.cpp.
void emitTables(llvm::ArrayRef<Table> tables, llvm::raw_ostream &os);

} // namespace loom::lowgen

#endif // LOOM_LIB_LOW_GENERATOR_TABLE_H
