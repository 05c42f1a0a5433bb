//===- AMDGPUSets.cpp - The AMDGPU sets and what they share ---------------===//
#include "Differences.h"
#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace loom::lowgen {

/// Narrows `mine` to what it has in common with `other`; false when they do not describe one
/// instruction.
static bool narrow(Operand &mine, const Operand &other) {
  mine.classes &= other.classes;
  mine.literal = std::min(mine.literal, other.literal);
  return mine.classes && mine.units == other.units && mine.slot == other.slot &&
         mine.tied == other.tied && mine.valueType == other.valueType && mine.part == other.part;
}

static bool narrow(Immediate &mine, const Immediate &other) {
  mine.min = std::max(mine.min, other.min);
  mine.max = std::min(mine.max, other.max);
  return mine.name == other.name && mine.slot == other.slot && mine.isFloat == other.isFloat &&
         mine.required == other.required && mine.fixed == other.fixed &&
         mine.defaultValue == other.defaultValue;
}

template <typename T> static bool narrow(std::vector<T> &mine, const std::vector<T> &other) {
  if (mine.size() != other.size())
    return false;
  for (auto [m, o] : llvm::zip(mine, other))
    if (!narrow(m, o))
      return false;
  return true;
}

/// What the members have in common.
static Table intersect(StringRef key, ArrayRef<const Table *> members) {
  Table common = *members.front();
  common.key = key.str();
  common.generic = true;
  common.leftOut.clear();
  for (const Table *member : members.drop_front())
    for (auto it = common.entries.begin(); it != common.entries.end();) {
      auto other = member->entries.find(it->first);
      Entry &entry = it->second;
      bool shared = other != member->entries.end() && other->second.opcode == entry.opcode &&
                    narrow(entry.results, other->second.results) &&
                    narrow(entry.operands, other->second.operands) &&
                    narrow(entry.immediates, other->second.immediates);
      if (!shared)
        common.leftOut[it->first] = "differs between members";
      it = shared ? std::next(it) : common.entries.erase(it);
    }
  return common;
}

/// LLVM's own name of an instruction, as far as a program could write it: `flat_load_dword`.
static std::string pseudoAlias(StringRef pseudo) {
  std::string lower = pseudo.lower();
  StringRef alias = lower;
  for (StringRef suffix : {"_gfx9", "_e64", "_e32", "_fake16"})
    alias.consume_back(suffix);
  if (alias.starts_with("s_load") || alias.starts_with("s_buffer_load"))
    alias.consume_back("_imm");
  return alias.str();
}

/// One instruction answers to the names that it has in any set.
static void addAliases(std::vector<Table> &tables) {
  std::map<std::string, std::vector<std::string>> namesOf;
  for (const Table &table : tables)
    for (auto &[name, entry] : table.entries)
      if (!StringRef(name).ends_with("_scc"))
        namesOf[entry.opcode].push_back(name);
  for (Table &table : tables)
    for (auto &[name, entry] : table.entries) {
      if (StringRef(name).ends_with("_scc") || StringRef(name).ends_with("_base"))
        continue;
      std::vector<std::string> aliases = namesOf[entry.opcode];
      aliases.push_back(pseudoAlias(entry.opcode));
      for (const std::string &alias : aliases)
        if (!table.entries.count(alias) && !whyNotOffered(alias, ""))
          table.aliases.try_emplace(alias, name);
    }
}

std::vector<Table> makeAMDGPUTables() {
  // Encoding families: 1 VI, 3 SDWA9, 5 GFX9, 8 GFX90A, 9 GFX940, 10 GFX11, 11 GFX12, 12 GFX1250.
  const Generation generations[] = {
      {"amdgpu.cdna3.core", "kCDNAClasses", {9, 8, 5, 3, 1}, {"gfx942", "gfx9-4-generic"}},
      {"amdgpu.cdna4.core", "kCDNAClasses", {9, 8, 5, 3, 1}, {"gfx950"}},
      {"amdgpu.rdna3.core", "kRDNAClasses", {10}, {"gfx1100", "gfx1101", "gfx1102", "gfx1103"}},
      {"amdgpu.rdna3_5.core", "kRDNAClasses", {10}, {"gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
      {"amdgpu.rdna4.core", "kRDNAClasses", {11}, {"gfx1200", "gfx1201"}},
      {"amdgpu.gfx1250.core", "kGFX1250Classes", {12, 11}, {"gfx1250", "gfx1251"}},
  };
  std::vector<Table> tables;
  for (const Generation &generation : generations)
    tables.push_back(buildGeneration(generation));
  std::vector<Table> families = {
      intersect("amdgpu.gfx9_4.generic.core", {&tables[0], &tables[1]}),
      intersect("amdgpu.gfx11.generic.core", {&tables[2], &tables[3]}),
      intersect("amdgpu.gfx12.generic.core", {&tables[4]}),
      intersect("amdgpu.gfx12_5.generic.core", {&tables[5]}),
  };
  for (Table &family : families)
    tables.push_back(std::move(family));
  addAliases(tables);
  return tables;
}

} // namespace loom::lowgen
