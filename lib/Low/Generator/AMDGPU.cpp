//===- AMDGPU.cpp - Descriptor sets from LLVM's AMDGPU tables -------------===//
//
// For every pseudo instruction that has an encoding in the family: print one instance, find its
// operands in the printed text, find out what its immediates are called and what they may be, and
// assemble the text again. What does not come back as the same instruction is left out.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"
#include "Differences.h"
#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace llvm;

namespace loom::lowgen {

namespace {

/// What is known of one pseudo instruction.
struct Candidate {
  Entry entry;
  unsigned real = 0;
  unsigned rank = 0;
  MCInst instance;  ///< with sample registers and, once assembled, defaults
  std::string text; ///< that assembles to `real`
  /// Spelling of the sample register of each operand; empty for immediates.
  std::vector<std::string> registers;
  std::string pseudo, mnemonic;
  unsigned pseudoOperands = 0;
};

class GenerationBuilder {
public:
  GenerationBuilder(const Generation &generation) : generation(generation) {
    for (const char *cpu : generation.processors)
      assemblers.push_back(Assembler::create("amdgcn-amd-amdhsa", cpu));
    table.key = generation.key;
    table.family = DescriptorFamily::AMDGPU;
    table.classes = generation.classes;
  }

  Table build();

private:
  const Assembler &first() const { return *assemblers.front(); }
  const MCInstrInfo &instrs() const { return first().instructions(); }

  std::optional<Candidate> analyze(unsigned pseudo);
  bool sampleInstance(Candidate &candidate);
  bool findOperands(Candidate &candidate);
  void addState(Candidate &candidate);
  void addParts(Candidate &candidate);
  bool assemble(Candidate &candidate);
  void findImmediates(Candidate &candidate);
  /// How an immediate appears in the printed text.
  struct Shown {
    std::string word;
    /// It stands where another value of it would stand too: it cannot be left out.
    bool replaces = false;
    /// The text around its number.
    bool isNumber = false;
    std::string before, after;
  };
  Shown showImmediate(const Candidate &candidate, unsigned slot);
  int64_t modifierMask(const Candidate &candidate, unsigned slot);
  void findLiterals(Candidate &candidate);
  std::pair<int64_t, int64_t> immediateRange(const Candidate &candidate, unsigned slot,
                                             const Shown &shown, StringRef name);
  void addEntry(const Candidate &candidate);

  const Generation &generation;
  std::vector<std::unique_ptr<Assembler>> assemblers;
  Table table;
  /// Answers of the assembler that depend on the encoding only.
  std::map<std::string, LiteralKind> literals;
  std::map<std::string, std::pair<int64_t, int64_t>> ranges;
};

} // namespace

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The class bits and units of an LLVM register class; no bits for one that Low does not have.
static Operand describeClass(const Assembler &assembler, unsigned id) {
  const MCRegisterInfo &registers = assembler.registers();
  const MCRegisterClass &regClass = registers.getRegClass(id);
  Operand operand;
  for (MCPhysReg reg : regClass) {
    StringRef name = registers.getName(reg);
    if (name.starts_with("VGPR"))
      operand.classes |= 1 << VGPR;
    else if (name.starts_with("SGPR"))
      operand.classes |= 1 << SGPR;
    else if (name.starts_with("AGPR"))
      operand.classes |= 1 << AGPR;
  }
  if (regClass.getNumRegs() == 1) {
    StringRef name = registers.getName(regClass.getRegister(0));
    operand.classes = name.starts_with("VCC") ? 1 << VCC : name == "M0" ? 1 << M0 : 0;
  }
  if (regClass.getSizeInBits() % 32)
    operand.classes = 0;
  operand.units = regClass.getSizeInBits() / 32;
  return operand;
}

/// A register of the class that overlaps none of `used`; vector registers are preferred.
static MCRegister pickRegister(const MCRegisterInfo &registers, const MCRegisterClass &regClass,
                               ArrayRef<MCRegister> used) {
  MCRegister picked;
  int best = -1;
  for (MCPhysReg reg : regClass) {
    StringRef name = registers.getName(reg);
    int score = name.starts_with("VGPR")   ? 3
                : name.starts_with("SGPR") ? 2
                : name.starts_with("AGPR") ? 1
                                           : 0;
    if (score <= best ||
        llvm::any_of(used, [&](MCRegister other) { return registers.regsOverlap(other, reg); }))
      continue;
    best = score;
    picked = reg;
    if (score == 3)
      break;
  }
  return picked ? picked : MCRegister(regClass.getRegister(0));
}

/// `v[2:3]` for VGPR2_VGPR3: LLVM's printer writes registers inside of instructions only.
static std::string spellRegister(const MCRegisterInfo &registers, MCRegister reg) {
  StringRef name = registers.getName(reg);
  SmallVector<StringRef> parts;
  name.split(parts, '_');
  char file = StringSwitch<char>(parts[0].take_front(4))
                  .Case("VGPR", 'v')
                  .Case("SGPR", 's')
                  .Case("AGPR", 'a')
                  .Default(0);
  if (!file)
    return name.lower();
  std::string first = parts.front().drop_front(4).str();
  if (parts.size() == 1)
    return std::string(1, file) + first;
  return std::string(1, file) + "[" + first + ":" + parts.back().drop_front(4).str() + "]";
}

/// Position of `word` in `text` where no letter or digit touches it.
static size_t findWord(StringRef text, StringRef word) {
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
    bool begins = at == 0 || !(isAlnum(text[at - 1]) || text[at - 1] == '_');
    size_t end = at + word.size();
    bool ends = end == text.size() || !(isAlnum(text[end]) || text[end] == '_');
    if (begins && ends)
      return at;
  }
  return StringRef::npos;
}

static uint8_t implicitMask(const MCRegisterInfo &registers, ArrayRef<MCPhysReg> list) {
  uint8_t mask = 0;
  for (MCPhysReg reg : list) {
    StringRef name = registers.getName(reg);
    mask |= name == "SCC"                  ? ImplicitRegister::SCC
            : name.starts_with("VCC")      ? ImplicitRegister::VCC
            : name.starts_with("EXEC")     ? ImplicitRegister::Exec
            : name == "M0"                 ? ImplicitRegister::M0
            : name == "MODE"               ? ImplicitRegister::Mode
            : name.starts_with("FLAT_SCR") ? ImplicitRegister::FlatScratch
                                           : ImplicitRegister::Other;
  }
  return mask;
}

static int tiedTo(const MCInstrDesc &pseudo, const MCInstrDesc &real, unsigned operand) {
  int tied = real.getOperandConstraint(operand, MCOI::TIED_TO);
  if (tied < 0 && operand < pseudo.getNumOperands())
    tied = pseudo.getOperandConstraint(operand, MCOI::TIED_TO);
  return tied;
}

//===----------------------------------------------------------------------===//
// One pseudo instruction
//===----------------------------------------------------------------------===//

bool GenerationBuilder::sampleInstance(Candidate &candidate) {
  const MCInstrDesc &real = instrs().get(candidate.real);
  const MCInstrDesc &pseudo = instrs().get(findOpcode(instrs(), candidate.pseudo));
  candidate.pseudoOperands = pseudo.getNumOperands();
  // Operands that only the encoding has stand last: the slots of the others agree.
  if (pseudo.getNumOperands() > real.getNumOperands())
    return false;
  candidate.instance.setOpcode(candidate.real);
  candidate.registers.resize(real.getNumOperands());
  SmallVector<MCRegister> used;
  for (unsigned i = 0; i < real.getNumOperands(); ++i) {
    int id = first().registerClass(real.operands()[i]);
    if (i < pseudo.getNumOperands() &&
        (id < 0) != (first().registerClass(pseudo.operands()[i]) < 0))
      return false;
    int tied = tiedTo(pseudo, real, i);
    if (tied >= 0) {
      candidate.instance.addOperand(candidate.instance.getOperand(tied));
      continue;
    }
    if (id < 0) {
      candidate.instance.addOperand(MCOperand::createImm(0));
      continue;
    }
    MCRegister reg = pickRegister(first().registers(), first().registers().getRegClass(id), used);
    used.push_back(reg);
    candidate.registers[i] = spellRegister(first().registers(), reg);
    candidate.instance.addOperand(MCOperand::createReg(reg));
  }
  return true;
}

bool GenerationBuilder::findOperands(Candidate &candidate) {
  const MCInstrDesc &real = instrs().get(candidate.real);
  const MCInstrDesc &pseudo = instrs().get(findOpcode(instrs(), candidate.pseudo));
  std::string text = first().print(candidate.instance);
  struct Placed {
    Operand operand;
    size_t place;
  };
  std::vector<Placed> placed;
  for (unsigned i = 0; i < real.getNumOperands(); ++i) {
    int id = first().registerClass(real.operands()[i]);
    if (id < 0)
      continue;
    Operand operand = describeClass(first(), id);
    if (!operand.classes || i >= pseudo.getNumOperands())
      return false;
    operand.slot = i;
    if (i < real.getNumDefs()) {
      // What the class admits for a result is one file; a load may also fill accumulators.
      candidate.entry.results.push_back(operand);
      continue;
    }
    int tied = tiedTo(pseudo, real, i);
    if (tied >= 0) {
      operand.tied = tied;
      placed.push_back({operand, StringRef::npos});
      continue;
    }
    size_t place = findWord(text, candidate.registers[i]);
    if (place == StringRef::npos)
      return false;
    placed.push_back({operand, place});
  }
  // A tied operand is not printed on its own: it stands before what LLVM lists behind it.
  std::vector<Placed> order;
  for (const Placed &p : placed)
    if (p.place != StringRef::npos)
      order.push_back(p);
  llvm::stable_sort(order, [](const Placed &a, const Placed &b) { return a.place < b.place; });
  for (const Placed &p : placed)
    if (p.place == StringRef::npos)
      order.insert(
          llvm::find_if(order,
                        [&](const Placed &other) { return other.operand.slot > p.operand.slot; }),
          p);
  for (const Placed &p : order)
    candidate.entry.operands.push_back(p.operand);
  return true;
}

/// Physical state that the instruction reads or writes and that a program hands on as a value.
void GenerationBuilder::addState(Candidate &candidate) {
  Entry &entry = candidate.entry;
  // A mask has a bit for every lane of the subgroup.
  unsigned maskUnits = StringRef(generation.classes).contains("CDNA") ? 2 : 1;
  auto state = [&](AMDGPUClass regClass) {
    Operand operand;
    operand.classes = 1 << regClass;
    operand.units = regClass == VCC ? maskUnits : 1;
    return operand;
  };
  if (entry.uses & ImplicitRegister::SCC)
    entry.operands.push_back(state(SCC));
  if (entry.uses & ImplicitRegister::VCC)
    entry.operands.push_back(state(VCC));
  if (entry.uses & ImplicitRegister::M0)
    entry.operands.push_back(state(M0));
  if (!entry.results.empty())
    return;
  if (entry.defs & ImplicitRegister::SCC)
    entry.results.push_back(state(SCC));
  else if (entry.defs & ImplicitRegister::VCC)
    entry.results.push_back(state(VCC));
}

/// LLVM's name of the same instruction with 16-bit register classes, which say what it reads.
static std::string name16(StringRef pseudo) {
  size_t fake = pseudo.find("_fake16");
  if (fake != StringRef::npos)
    return (pseudo.take_front(fake) + "_t16" + pseudo.drop_front(fake + strlen("_fake16"))).str();
  for (StringRef suffix : {"_e64", "_e32"})
    if (pseudo.ends_with(suffix))
      return (pseudo.drop_back(suffix.size()) + "_t16" + suffix).str();
  return (pseudo + "_t16").str();
}

/// Halves of registers: what a 16-bit load writes, and what an instruction on 16 bits reads.
void GenerationBuilder::addParts(Candidate &candidate) {
  Entry &entry = candidate.entry;
  StringRef pseudo = candidate.pseudo;
  bool keepsRest = !entry.operands.empty() && entry.operands.back().tied == 0;
  if (pseudo.contains("_D16") && (entry.effects & DescriptorEffect::Loads) && keepsRest &&
      entry.results.size() == 1 && entry.results[0].units == 1)
    entry.results[0].part = pseudo.contains("_D16_HI") ? RegisterPart::High : RegisterPart::Low;
  unsigned twin = findOpcode(instrs(), name16(pseudo));
  const MCInstrDesc &desc = instrs().get(twin ? twin : candidate.real);
  if (!twin)
    return;
  for (Operand &operand : entry.operands) {
    if (operand.slot >= desc.getNumOperands() || operand.units != 1 || operand.tied >= 0)
      continue;
    int id = first().registerClass(desc.operands()[operand.slot]);
    if (id >= 0 && first().registers().getRegClass(id).getSizeInBits() == 16)
      operand.part = RegisterPart::Low;
  }
}

std::optional<Candidate> GenerationBuilder::analyze(unsigned pseudo) {
  Candidate candidate;
  candidate.real = realOpcode(instrs(), pseudo, generation.encodings);
  const MCInstrDesc &desc = instrs().get(pseudo);
  if (!candidate.real || !desc.isPseudo())
    return std::nullopt;
  candidate.pseudo = instrs().getName(pseudo).str();
  candidate.entry.opcode = candidate.pseudo;
  if (!sampleInstance(candidate)) {
    table.leftOut[candidate.pseudo] = "the encoding has other operands";
    return std::nullopt;
  }
  candidate.mnemonic = first().mnemonic(candidate.instance);
  if (candidate.mnemonic.empty())
    return std::nullopt;
  StringRef name = candidate.mnemonic;
  for (StringRef suffix : {"_dpp", "_sdwa", "_e64", "_e32"})
    name.consume_back(suffix);
  candidate.entry.name = name.str() + nameSuffix(candidate.pseudo, candidate.mnemonic);
  // A fixed register is printed behind the mnemonic: `s_barrier_signal m0`.
  llvm::replace(candidate.entry.name, ' ', '_');
  if (const char *reason = whyNotOffered(candidate.entry.name, candidate.pseudo)) {
    table.leftOut[candidate.entry.name] = reason;
    return std::nullopt;
  }
  if (!findOperands(candidate)) {
    table.leftOut.try_emplace(candidate.entry.name, "an operand without a register class of Low");
    return std::nullopt;
  }
  Entry &entry = candidate.entry;
  entry.defs = implicitMask(first().registers(), desc.implicit_defs());
  entry.uses = implicitMask(first().registers(), desc.implicit_uses());
  entry.effects = (desc.mayLoad() ? DescriptorEffect::Loads : 0) |
                  (desc.mayStore() ? DescriptorEffect::Stores : 0) |
                  (desc.hasUnmodeledSideEffects() ? DescriptorEffect::SideEffects : 0) |
                  (desc.isBranch() || desc.isTerminator() ? DescriptorEffect::Branches : 0) |
                  (desc.isConvergent() ? DescriptorEffect::Convergent : 0) |
                  (entry.defs & ImplicitRegister::Exec ? DescriptorEffect::WritesExec : 0);
  addParts(candidate);
  addState(candidate);
  candidate.rank = preference(candidate.pseudo, entry.name, entry.uses & ImplicitRegister::M0);
  return candidate;
}

bool GenerationBuilder::assemble(Candidate &candidate) {
  std::string printed = first().print(candidate.instance);
  for (const std::string &text :
       assemblyCandidates(printed, candidate.mnemonic, candidate.pseudo)) {
    std::optional<MCInst> parsed = first().parse(text);
    if (!parsed || parsed->getOpcode() != candidate.real)
      continue;
    bool everywhere = llvm::all_of(ArrayRef(assemblers).drop_front(), [&](const auto &assembler) {
      std::optional<MCInst> other = assembler->parse(text);
      return other && other->getOpcode() == candidate.real;
    });
    if (!everywhere)
      continue;
    // The parser fills in the defaults.
    for (unsigned i = 0; i < candidate.instance.getNumOperands(); ++i)
      if (candidate.registers[i].empty() && candidate.instance.getOperand(i).isImm() &&
          i < parsed->getNumOperands() && parsed->getOperand(i).isImm())
        candidate.instance.getOperand(i).setImm(parsed->getOperand(i).getImm());
    candidate.text = text;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Immediates
//===----------------------------------------------------------------------===//

/// The word of `longer` in which it differs from `shorter`.
static std::string differingWord(StringRef longer, StringRef shorter) {
  size_t at = std::mismatch(longer.begin(), longer.end(), shorter.begin(), shorter.end()).first -
              longer.begin();
  while (at < longer.size() && longer[at] == ' ')
    ++at;
  if (at == longer.size())
    return "";
  StringRef word = longer.substr(longer.rfind(' ', at) + 1);
  return word.take_until([](char c) { return c == ' ' || c == ','; }).str();
}

/// How the printer shows the immediate in `slot`: by what changes when its value does.
GenerationBuilder::Shown GenerationBuilder::showImmediate(const Candidate &candidate,
                                                          unsigned slot) {
  std::string base = first().print(candidate.instance);
  int64_t now = candidate.instance.getOperand(slot).getImm();
  // Values that every immediate with a name has; the printer answers for no others.
  for (int64_t value : {1, 2, 0, 4, 3, 16}) {
    if (value == now)
      continue;
    MCInst changed = candidate.instance;
    changed.getOperand(slot).setImm(value);
    std::string text = first().print(changed);
    if (text == base)
      continue;
    bool longer = text.size() >= base.size();
    Shown shown;
    shown.word = longer ? differingWord(text, base) : differingWord(base, text);
    shown.replaces = StringRef(text).count(' ') == StringRef(base).count(' ');
    // What can be written with another number: `offset:1`, `0x1`.
    StringRef number = StringRef(shown.word).contains(':') ? StringRef(shown.word).split(':').second
                                                           : StringRef(shown.word);
    int64_t read;
    if (longer && !number.getAsInteger(0, read) && read == value) {
      size_t place = findWord(text, shown.word);
      shown.before = text.substr(0, place + shown.word.size() - number.size());
      shown.after = text.substr(place + shown.word.size());
      shown.isNumber = true;
    }
    return shown;
  }
  return {};
}

std::pair<int64_t, int64_t> probeRange(llvm::function_ref<bool(int64_t)> accepts) {
  int64_t max = 0, min = 0;
  for (unsigned bits = 1; bits <= 32 && accepts((int64_t(1) << bits) - 1); ++bits)
    max = (int64_t(1) << bits) - 1;
  for (unsigned bits = 0; bits < 32 && accepts(-(int64_t(1) << bits)); ++bits)
    min = -(int64_t(1) << bits);
  return {min, max};
}

std::pair<int64_t, int64_t> GenerationBuilder::immediateRange(const Candidate &candidate,
                                                              unsigned slot, const Shown &shown,
                                                              StringRef name) {
  if (!shown.isNumber && name == "offset") // a permutation of lanes, written as a swizzle
    return {0, 0xffff};
  if (std::pair<int64_t, int64_t> known = knownRange(name, generation.key);
      known.second || !shown.isNumber)
    return known;
  const MCInstrDesc &desc = instrs().get(candidate.real);
  // Instructions of one encoding have fields of one width.
  std::string key = (name + "/" + utohexstr(desc.TSFlags) + "/" + Twine(desc.Size) + "/" +
                     Twine(unsigned(desc.operands()[slot].OperandType)) + "/" +
                     StringRef(candidate.entry.name).split('_').first)
                        .str();
  auto [it, isNew] = ranges.try_emplace(key);
  if (!isNew)
    return it->second;
  // Scalar instructions of one word have fields of 16 bits; the assembler cuts what does not fit.
  bool isShort = desc.Size == 4 && StringRef(candidate.entry.name).starts_with("s_");
  // What tells the encoding is in the mnemonic of the text that was assembled.
  StringRef mnemonic = StringRef(candidate.text).split(' ').first;
  std::string before = mnemonic.str() + shown.before.substr(shown.before.find(' '));
  it->second = probeRange([&](int64_t value) {
    if (isShort && (value < INT16_MIN || value > UINT16_MAX))
      return false;
    std::optional<MCInst> parsed = first().parse(before + std::to_string(value) + shown.after);
    return parsed && parsed->getOpcode() == candidate.real && slot < parsed->getNumOperands() &&
           parsed->getOperand(slot).isImm() && parsed->getOperand(slot).getImm() == value;
  });
  return it->second;
}

/// Negation, absolute value, choice of a half, sign extension: a set of bits before its operand.
static bool isModifier(StringRef word) {
  StringRef name = word.split(':').first.split('(').first;
  return word.starts_with("-") || word.contains('|') ||
         llvm::is_contained({"neg", "neg_lo", "neg_hi", "op_sel", "op_sel_hi", "sext", "abs"},
                            name);
}

/// The bits of a modifier that change the instruction.
int64_t GenerationBuilder::modifierMask(const Candidate &candidate, unsigned slot) {
  std::string base = first().print(candidate.instance);
  int64_t mask = 0;
  for (int64_t bit : {1, 2, 4, 8, 16}) {
    MCInst changed = candidate.instance;
    MCOperand &operand = changed.getOperand(slot);
    operand.setImm(operand.getImm() ^ bit);
    if (first().print(changed) != base)
      mask |= bit;
  }
  return mask;
}

void GenerationBuilder::findImmediates(Candidate &candidate) {
  const MCInstrDesc &real = instrs().get(candidate.real);
  const MCInstrDesc &pseudo = instrs().get(findOpcode(instrs(), candidate.pseudo));
  unsigned unnamed = 0, source = 0;
  for (unsigned i = 0; i < candidate.pseudoOperands; ++i) {
    if (first().registerClass(real.operands()[i]) >= 0) {
      // The register that a result is written over comes first without being a source.
      source += i >= real.getNumDefs() && (tiedTo(pseudo, real, i) < 0 || source);
      continue;
    }
    Immediate immediate;
    immediate.slot = i;
    immediate.defaultValue = candidate.instance.getOperand(i).getImm();
    Shown shown = showImmediate(candidate, i);
    StringRef word = shown.word;
    immediate.name = immediateName(word);
    bool beforeRegister =
        i + 1 < real.getNumOperands() && first().registerClass(real.operands()[i + 1]) >= 0;
    if (word.empty() || isFixedImmediate(immediate.name)) {
      immediate.fixed = true;
      immediate.name = "hidden" + std::to_string(i);
    } else if (beforeRegister && isModifier(word)) {
      immediate.name = "src" + std::to_string(source) + "_modifiers";
      immediate.max = modifierMask(candidate, i);
    } else if (immediate.name == "cpol" && StringRef(candidate.pseudo).contains("_RTN")) {
      immediate.fixed = true; // it says that the old value is returned
    } else {
      if (immediate.name.empty() || isDigit(immediate.name[0]))
        immediate.name = unnamed++ ? "imm" + std::to_string(unnamed) : "imm";
      immediate.required =
          (shown.replaces && !word.contains(':')) || isRequiredImmediate(immediate.name);
      std::tie(immediate.min, immediate.max) = immediateRange(candidate, i, shown, immediate.name);
      if (immediate.name == "offset" && StringRef(candidate.pseudo).contains("_SGPR_IMM")) {
        immediate.required = true; // without it there is an encoding of its own
        immediate.defaultValue = 0;
      }
    }
    immediate.fixed |= immediate.min == immediate.max;
    candidate.entry.immediates.push_back(immediate);
  }
}

void GenerationBuilder::findLiterals(Candidate &candidate) {
  const MCInstrDesc &real = instrs().get(candidate.real);
  for (Operand &operand : candidate.entry.operands) {
    if (operand.slot == DescriptorOperand::kImplicitSlot || operand.tied >= 0)
      continue;
    const std::string &reg = candidate.registers[operand.slot];
    size_t place = findWord(candidate.text, reg);
    if (place == StringRef::npos)
      continue;
    std::string key = utohexstr(real.TSFlags) + "/" + std::to_string(real.Size) + "/" +
                      std::to_string(real.operands()[operand.slot].OperandType) + "/" +
                      std::to_string(real.operands()[operand.slot].RegClass) + "/" +
                      std::to_string(real.getNumOperands());
    auto [it, isNew] = literals.try_emplace(key, LiteralKind::None);
    if (isNew) {
      auto accepts = [&](StringRef number) {
        std::string text = candidate.text;
        text.replace(place, reg.size(), number.str());
        std::optional<MCInst> parsed = first().parse(text);
        return parsed && parsed->getOpcode() == candidate.real;
      };
      it->second = accepts("0x12345678") ? LiteralKind::Full
                   : accepts("17")       ? LiteralKind::Inline
                                         : LiteralKind::None;
    }
    operand.literal = it->second;
  }
}

//===----------------------------------------------------------------------===//
// The set
//===----------------------------------------------------------------------===//

void GenerationBuilder::addEntry(const Candidate &candidate) {
  const Entry &entry = candidate.entry;
  table.entries[entry.name] = entry;
  // The carry of an addition is a value of its own under a name of its own.
  bool hasResult = llvm::any_of(entry.results, [](const Operand &result) {
    return result.slot != DescriptorOperand::kImplicitSlot;
  });
  if (!hasResult || !(entry.defs & ImplicitRegister::SCC))
    return;
  Entry carrying = entry;
  carrying.name += "_scc";
  Operand carry;
  carry.classes = 1 << SCC;
  carrying.results.push_back(carry);
  table.entries.try_emplace(carrying.name, carrying);
}

Table GenerationBuilder::build() {
  std::map<std::string, std::vector<Candidate>> byName;
  for (unsigned pseudo = 1; pseudo < instrs().getNumOpcodes(); ++pseudo)
    if (std::optional<Candidate> candidate = analyze(pseudo))
      byName[candidate->entry.name].push_back(std::move(*candidate));
  for (auto &[name, candidates] : byName) {
    llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
      return std::pair(a.rank, a.pseudo.size()) < std::pair(b.rank, b.pseudo.size());
    });
    auto found = llvm::find_if(candidates, [&](Candidate &c) { return assemble(c); });
    if (found == candidates.end()) {
      table.leftOut[name] = "does not assemble";
      continue;
    }
    findImmediates(*found);
    findLiterals(*found);
    addEntry(*found);
    table.leftOut.erase(name);
  }
  addHandEntries(table);
  return std::move(table);
}

Table buildGeneration(const Generation &generation) {
  return GenerationBuilder(generation).build();
}

} // namespace loom::lowgen
