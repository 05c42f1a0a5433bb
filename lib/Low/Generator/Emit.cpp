//===- Emit.cpp - The tables as C++ ---------------------------------------===//
//
// Names live in one pool of characters, operand and immediate lists are shared: most instructions
// of an encoding have the same ones.
//
//===----------------------------------------------------------------------===//
#include "Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace loom::lowgen {

namespace {

class Emitter {
public:
  explicit Emitter(ArrayRef<Table> tables) : tables(tables) {}
  void emit(raw_ostream &os);

private:
  unsigned pool(StringRef name);
  unsigned list(std::vector<std::string> rows, std::vector<std::string> &all,
                std::map<std::string, unsigned> &known);
  std::string row(const Entry &entry, StringRef name, bool alias);

  ArrayRef<Table> tables;
  std::string characters;
  unsigned poolSize = 0;
  std::map<std::string, unsigned> offsets;
  std::vector<std::string> operands, immediates;
  std::map<std::string, unsigned> operandLists, immediateLists;
};

} // namespace

unsigned Emitter::pool(StringRef name) {
  auto [it, isNew] = offsets.try_emplace(name.str(), poolSize);
  if (isNew) {
    characters += ("    \"" + name + "\\0\"\n").str();
    poolSize += name.size() + 1;
  }
  return it->second;
}

/// Index of the first of `rows` in `all`, where equal lists stand once.
unsigned Emitter::list(std::vector<std::string> rows, std::vector<std::string> &all,
                       std::map<std::string, unsigned> &known) {
  if (rows.empty())
    return 0;
  auto [it, isNew] = known.try_emplace(join(rows, ""), all.size());
  if (isNew)
    all.insert(all.end(), rows.begin(), rows.end());
  return it->second;
}

static std::string row(const Operand &operand) {
  std::string text;
  raw_string_ostream os(text);
  os << '{' << operand.classes << ',' << operand.units << ',' << operand.slot << ',' << operand.tied
     << ",LiteralKind(" << unsigned(operand.literal) << "),LowValueType("
     << unsigned(operand.valueType) << "),RegisterPart(" << unsigned(operand.part) << ")}";
  return text;
}

/// A C++ literal; the smallest number has none.
static std::string number(int64_t value) {
  return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
}

std::string Emitter::row(const Entry &entry, StringRef name, bool alias) {
  std::vector<std::string> operandRows, immediateRows;
  for (const Operand &operand : entry.results)
    operandRows.push_back(lowgen::row(operand));
  for (const Operand &operand : entry.operands)
    operandRows.push_back(lowgen::row(operand));
  for (const Immediate &immediate : entry.immediates) {
    std::string text;
    raw_string_ostream os(text);
    os << '{' << pool(immediate.name) << ',' << immediate.slot << ',' << immediate.isFloat << ','
       << immediate.required << ',' << immediate.fixed << ',' << number(immediate.defaultValue)
       << ',' << number(immediate.min) << ',' << number(immediate.max) << '}';
    immediateRows.push_back(text);
  }
  std::string text;
  raw_string_ostream os(text);
  os << '{' << pool(name) << ',' << pool(entry.opcode) << ','
     << list(operandRows, operands, operandLists) << ','
     << list(immediateRows, immediates, immediateLists) << ',' << entry.results.size() << ','
     << entry.operands.size() << ',' << entry.immediates.size() << ',' << entry.defs << ','
     << entry.uses << ',' << alias << ',' << entry.effects << "},\n";
  return text;
}

void Emitter::emit(raw_ostream &os) {
  std::string descriptors, sets;
  raw_string_ostream setsOs(sets);
  for (auto [i, table] : enumerate(tables)) {
    // Sorted by name, for binary search.
    std::map<std::string, std::string> rows;
    for (auto &[name, entry] : table.entries)
      rows[name] = row(entry, name, /*alias=*/false);
    for (auto &[alias, name] : table.aliases)
      rows[alias] = row(table.entries.at(name), alias, /*alias=*/true);
    descriptors += "constexpr Descriptor kSet" + std::to_string(i) + "[] = {\n";
    for (auto &[name, text] : rows)
      descriptors += text;
    descriptors += "};\n";
    static constexpr const char *families[] = {"AMDGPU", "SPIRV", "X86"};
    setsOs << "{\"" << table.key << "\",DescriptorFamily::" << families[unsigned(table.family)]
           << ',' << (table.generic ? "true" : "false") << ',' << table.classes << ",std::size("
           << table.classes << "),kSet" << i << ',' << rows.size() << "},\n";
  }
  os << "// Generated from LLVM's tables by loom-low-descriptors.\n";
  os << "constexpr char kNames[] =\n" << characters << ";\n";
  os << "constexpr DescriptorOperand kOperands[] = {\n" << join(operands, ",\n") << "};\n";
  os << "constexpr DescriptorImmediate kImmediates[] = {\n" << join(immediates, ",\n") << "};\n";
  os << descriptors;
  os << "constexpr DescriptorSet kSets[] = {\n" << sets << "};\n";
}

void emitTables(ArrayRef<Table> tables, raw_ostream &os) { Emitter(tables).emit(os); }

} // namespace loom::lowgen
