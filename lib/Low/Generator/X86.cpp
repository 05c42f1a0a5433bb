//===- X86.cpp - Descriptor sets from LLVM's x86 tables -------------------===//
//
// Which instructions the sets have is written here by hand; what they are made of comes from LLVM's
// tables, and each is assembled for the processor of its set.
//
// Names: the mnemonic, `.xmm` or `.ymm` for the narrower vector registers, and an address form:
// `.load` and `.store` address `base + disp32`, `.indexed` adds `index * scale`.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"
#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace loom::lowgen {

namespace {

/// What a set may use, as a sequence: a set has the instructions of its own levels.
enum Level : unsigned {
  Scalar = 1,
  SSE = 2,
  AVX2 = 4,
  AVX512 = 8,
  VNNI = 16,
  VNNI512 = 32,
};

struct Named {
  std::string name, opcode;
  unsigned level;
};

struct SetRow {
  const char *key, *cpu, *features;
  unsigned levels;
};

class X86Builder {
public:
  explicit X86Builder(const SetRow &row)
      : assembler(Assembler::create("x86_64-unknown-linux-gnu", row.cpu, row.features)) {
    table.key = row.key;
    table.family = DescriptorFamily::X86;
    table.classes = "kX86Classes";
  }
  /// Adds the instruction, and its indexed form when it addresses memory.
  void add(const Named &named);
  Table take() { return std::move(table); }

private:
  bool addForm(const Named &named, bool indexed);
  bool addRegister(const MCInstrDesc &desc, unsigned slot, MCInst &inst, Entry &entry);
  bool addOperands(const MCInstrDesc &desc, MCInst &inst, Entry &entry, bool indexed);
  bool chooseImmediate(MCInst &inst, Immediate &immediate) const;

  std::unique_ptr<Assembler> assembler;
  Table table;
};

} // namespace

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

/// Mnemonic and stem of LLVM's names for one operation at every width.
struct Stem {
  const char *mnemonic, *stem;
};

/// Three-operand arithmetic with VEX and EVEX encodings: `<stem>[Y|Z]rr` and `rm`.
static constexpr Stem kVectorBinary[] = {
    {"vaddps", "VADDPS"},         {"vaddpd", "VADDPD"},       {"vsubps", "VSUBPS"},
    {"vsubpd", "VSUBPD"},         {"vmulps", "VMULPS"},       {"vmulpd", "VMULPD"},
    {"vdivps", "VDIVPS"},         {"vdivpd", "VDIVPD"},       {"vminps", "VMINPS"},
    {"vminpd", "VMINPD"},         {"vmaxps", "VMAXPS"},       {"vmaxpd", "VMAXPD"},
    {"vpaddd", "VPADDD"},         {"vpaddq", "VPADDQ"},       {"vpsubd", "VPSUBD"},
    {"vpsubq", "VPSUBQ"},         {"vpmulld", "VPMULLD"},     {"vpmaddwd", "VPMADDWD"},
    {"vpmaddubsw", "VPMADDUBSW"}, {"vpminsd", "VPMINSD"},     {"vpmaxsd", "VPMAXSD"},
    {"vpminud", "VPMINUD"},       {"vpmaxud", "VPMAXUD"},     {"vpsllvd", "VPSLLVD"},
    {"vpsrlvd", "VPSRLVD"},       {"vpsravd", "VPSRAVD"},     {"vpunpckldq", "VPUNPCKLDQ"},
    {"vpunpckhdq", "VPUNPCKHDQ"}, {"vunpcklps", "VUNPCKLPS"}, {"vunpckhps", "VUNPCKHPS"},
    {"vpshufb", "VPSHUFB"},
};

/// Bit operations, whose EVEX encodings have a lane width in the mnemonic.
static constexpr Stem kVectorBits[] = {
    {"vpand", "VPAND"}, {"vpor", "VPOR"}, {"vpxor", "VPXOR"}, {"vpandn", "VPANDN"}};

static constexpr Stem kVectorUnary[] = {{"vsqrtps", "VSQRTPS"},     {"vsqrtpd", "VSQRTPD"},
                                        {"vcvtdq2ps", "VCVTDQ2PS"}, {"vcvttps2dq", "VCVTTPS2DQ"},
                                        {"vpabsd", "VPABSD"},       {"vcvtps2dq", "VCVTPS2DQ"}};

static constexpr Stem kVectorFMA[] = {
    {"vfmadd231ps", "VFMADD231PS"},   {"vfmadd231pd", "VFMADD231PD"},
    {"vfmsub231ps", "VFMSUB231PS"},   {"vfnmadd231ps", "VFNMADD231PS"},
    {"vfnmadd231pd", "VFNMADD231PD"}, {"vfmadd213ps", "VFMADD213PS"},
    {"vfmadd132ps", "VFMADD132PS"}};

/// Whole-vector moves from and to memory.
static constexpr Stem kVectorMoves[] = {
    {"vmovups", "VMOVUPS"}, {"vmovupd", "VMOVUPD"}, {"vmovaps", "VMOVAPS"}, {"vmovdqu", "VMOVDQU"}};

static constexpr Stem kShifts[] = {{"vpslld", "VPSLLD"},
                                   {"vpsrld", "VPSRLD"},
                                   {"vpsrad", "VPSRAD"},
                                   {"vpsllq", "VPSLLQ"},
                                   {"vpsrlq", "VPSRLQ"}};

/// Two-operand SSE arithmetic, the first operand being the result.
static constexpr Stem kSSEBinary[] = {
    {"addps", "ADDPS"},   {"subps", "SUBPS"},  {"mulps", "MULPS"},     {"divps", "DIVPS"},
    {"minps", "MINPS"},   {"maxps", "MAXPS"},  {"addpd", "ADDPD"},     {"subpd", "SUBPD"},
    {"mulpd", "MULPD"},   {"divpd", "DIVPD"},  {"paddd", "PADDD"},     {"paddq", "PADDQ"},
    {"psubd", "PSUBD"},   {"psubq", "PSUBQ"},  {"pmulld", "PMULLD"},   {"pand", "PAND"},
    {"por", "POR"},       {"pxor", "PXOR"},    {"pmaddwd", "PMADDWD"}, {"pminsd", "PMINSD"},
    {"pmaxsd", "PMAXSD"}, {"pshufb", "PSHUFB"}};

/// Scalar floats in vector registers.
static constexpr Stem kScalarFloat[] = {{"addss", "ADDSS"}, {"subss", "SUBSS"}, {"mulss", "MULSS"},
                                        {"divss", "DIVSS"}, {"minss", "MINSS"}, {"maxss", "MAXSS"},
                                        {"addsd", "ADDSD"}, {"subsd", "SUBSD"}, {"mulsd", "MULSD"},
                                        {"divsd", "DIVSD"}};

static constexpr Stem kScalarInteger[] = {
    {"add", "ADD"}, {"sub", "SUB"}, {"and", "AND"}, {"or", "OR"}, {"xor", "XOR"}};

static void addGeneralInstructions(std::vector<Named> &all) {
  for (auto [width, suffix] : {std::pair("32", "l"), std::pair("64", "q")}) {
    std::string w = width, s = suffix;
    for (const Stem &op : kScalarInteger) {
      all.push_back({op.mnemonic + s, op.stem + w + "rr", Scalar});
      all.push_back({op.mnemonic + s + ".imm", op.stem + w + (w == "64" ? "ri32" : "ri"), Scalar});
      all.push_back({op.mnemonic + s + ".load", op.stem + w + "rm", Scalar});
    }
    all.push_back({"imul" + s, "IMUL" + w + "rr", Scalar});
    all.push_back({"imul" + s + ".imm", "IMUL" + w + (w == "64" ? "rri32" : "rri"), Scalar});
    for (auto [op, stem] :
         {std::pair("shl", "SHL"), std::pair("shr", "SHR"), std::pair("sar", "SAR")})
      all.push_back({op + s + ".imm", stem + w + "ri", Scalar});
    for (auto [op, stem] : {std::pair("neg", "NEG"), std::pair("not", "NOT")})
      all.push_back({op + s, stem + w + "r", Scalar});
    all.push_back({"mov" + s, "MOV" + w + "rr", Scalar});
    all.push_back({"mov" + s + ".load", "MOV" + w + "rm", Scalar});
    all.push_back({"mov" + s + ".store", "MOV" + w + "mr", Scalar});
    all.push_back({"lea" + s, w == "64" ? "LEA64r" : "LEA64_32r", Scalar});
  }
  all.push_back({"movl.imm", "MOV32ri", Scalar});
  all.push_back({"movabsq.imm", "MOV64ri", Scalar});
  all.push_back({"movslq", "MOVSX64rr32", Scalar});
  all.push_back({"movzbl.load", "MOVZX32rm8", Scalar});
  all.push_back({"movsbl.load", "MOVSX32rm8", Scalar});
  all.push_back({"movzwl.load", "MOVZX32rm16", Scalar});
  all.push_back({"movswl.load", "MOVSX32rm16", Scalar});
}

static void addFloatInstructions(std::vector<Named> &all) {
  for (const Stem &op : kScalarFloat) {
    std::string m = op.mnemonic, s = op.stem;
    all.push_back({m + ".xmm", s + "rr_Int", Scalar | SSE});
    all.push_back({m + ".xmm.load", s + "rm_Int", Scalar | SSE});
    all.push_back({"v" + m + ".xmm", "V" + s + "rr_Int", AVX2 | AVX512});
    all.push_back({"v" + m + ".xmm.load", "V" + s + "rm_Int", AVX2 | AVX512});
  }
  all.push_back({"movss.xmm.load", "MOVSSrm", Scalar | SSE});
  all.push_back({"movss.xmm.store", "MOVSSmr", Scalar | SSE});
  all.push_back({"movsd.xmm.load", "MOVSDrm", Scalar | SSE});
  all.push_back({"movsd.xmm.store", "MOVSDmr", Scalar | SSE});
  all.push_back({"vmovss.xmm.load", "VMOVSSrm", AVX2 | AVX512});
  all.push_back({"vmovss.xmm.store", "VMOVSSmr", AVX2 | AVX512});
  all.push_back({"vmovsd.xmm.load", "VMOVSDrm", AVX2 | AVX512});
  all.push_back({"vmovsd.xmm.store", "VMOVSDmr", AVX2 | AVX512});
  for (const Stem &op : kSSEBinary) {
    all.push_back({std::string(op.mnemonic) + ".xmm", std::string(op.stem) + "rr", SSE});
    all.push_back({std::string(op.mnemonic) + ".xmm.load", std::string(op.stem) + "rm", SSE});
  }
  all.push_back({"movups.xmm.load", "MOVUPSrm", SSE});
  all.push_back({"movups.xmm.store", "MOVUPSmr", SSE});
  all.push_back({"movaps.xmm", "MOVAPSrr", SSE});
  all.push_back({"movaps.xmm.load", "MOVAPSrm", SSE});
  all.push_back({"movaps.xmm.store", "MOVAPSmr", SSE});
  all.push_back({"shufps.xmm", "SHUFPSrri", SSE});
  all.push_back({"pshufd.xmm", "PSHUFDri", SSE});
}

/// One operation at the three vector widths. `form` follows LLVM's stem and width letter.
static void addWidths(std::vector<Named> &all, std::string mnemonic, std::string stem,
                      std::string form, std::string suffix = "", std::string zmm = "") {
  unsigned vex = AVX2 | AVX512;
  all.push_back({mnemonic + ".xmm" + suffix, stem + form, vex});
  all.push_back({mnemonic + ".ymm" + suffix, stem + "Y" + form, vex});
  all.push_back({mnemonic + zmm + suffix, stem + StringRef(zmm).upper() + "Z" + form, AVX512});
}

static void addVectorInstructions(std::vector<Named> &all) {
  for (const Stem &op : kVectorBinary) {
    addWidths(all, op.mnemonic, op.stem, "rr");
    addWidths(all, op.mnemonic, op.stem, "rm", ".load");
  }
  for (const Stem &op : kVectorBits) {
    addWidths(all, op.mnemonic, op.stem, "rr", "", "d");
    addWidths(all, op.mnemonic, op.stem, "rm", ".load", "d");
  }
  for (const Stem &op : kVectorUnary) {
    addWidths(all, op.mnemonic, op.stem, "r");
    addWidths(all, op.mnemonic, op.stem, "rr");
  }
  for (const Stem &op : kVectorFMA) {
    std::string m = op.mnemonic, s = op.stem;
    all.push_back({m + ".xmm", s + "r", AVX2 | AVX512});
    all.push_back({m + ".ymm", s + "Yr", AVX2 | AVX512});
    all.push_back({m, s + "Zr", AVX512});
    all.push_back({m + ".xmm.load", s + "m", AVX2 | AVX512});
    all.push_back({m + ".ymm.load", s + "Ym", AVX2 | AVX512});
    all.push_back({m + ".load", s + "Zm", AVX512});
  }
  for (const Stem &op : kVectorMoves) {
    std::string zmm = StringRef(op.mnemonic) == "vmovdqu" ? "32" : "";
    addWidths(all, op.mnemonic, op.stem, "rr", "", zmm);
    addWidths(all, op.mnemonic, op.stem, "rm", ".load", zmm);
    addWidths(all, op.mnemonic, op.stem, "mr", ".store", zmm);
  }
  for (const Stem &op : kShifts)
    addWidths(all, op.mnemonic, op.stem, "ri");
  addWidths(all, "vpshufd", "VPSHUFD", "ri");
  addWidths(all, "vshufps", "VSHUFPS", "rri");
  for (auto [m, s] :
       {std::pair("vbroadcastss", "VBROADCASTSS"), std::pair("vpbroadcastd", "VPBROADCASTD")}) {
    addWidths(all, m, s, "rr");
    addWidths(all, m, s, "rm", ".load");
  }
  all.push_back({"vextractf128.ymm", "VEXTRACTF128rri", AVX2 | AVX512});
  all.push_back({"vinsertf128.ymm", "VINSERTF128rri", AVX2 | AVX512});
  all.push_back({"vpcmpd", "VPCMPDZrri", AVX512});
  all.push_back({"vcmpps", "VCMPPSZrri", AVX512});
  all.push_back({"kandw", "KANDWkk", AVX512});
  all.push_back({"korw", "KORWkk", AVX512});
  all.push_back({"kxorw", "KXORWkk", AVX512});
  all.push_back({"knotw", "KNOTWkk", AVX512});
  all.push_back({"kmovw.gpr32", "KMOVWrk", AVX512});
  all.push_back({"kmovw", "KMOVWkr", AVX512});
  for (auto [m, s] : {std::pair("vpdpbusd", "VPDPBUSD"), std::pair("vpdpwssd", "VPDPWSSD")}) {
    std::string mnemonic = m, stem = s;
    all.push_back({mnemonic + ".xmm", stem + "rr", VNNI});
    all.push_back({mnemonic + ".ymm", stem + "Yrr", VNNI});
    all.push_back({mnemonic + ".xmm", stem + "Z128rr", VNNI512});
    all.push_back({mnemonic + ".ymm", stem + "Z256rr", VNNI512});
    all.push_back({mnemonic, stem + "Zrr", VNNI512});
    all.push_back({mnemonic + ".load", stem + "Zrm", VNNI512});
  }
}

//===----------------------------------------------------------------------===//
// One instruction
//===----------------------------------------------------------------------===//

static std::optional<X86Class> classOf(StringRef name) {
  return StringSwitch<std::optional<X86Class>>(name)
      .Cases({"GR32", "GR32_NOREX2", "GR32_NOSP"}, GPR32)
      .Cases({"GR64", "GR64_NOREX2", "GR64_NOSP", "GR64_NOREX2_NOSP"}, GPR64)
      .Cases({"FR32", "FR64", "VR128", "FR32X", "FR64X", "VR128X"}, XMM)
      .Cases({"VR256", "VR256X"}, YMM)
      .Case("VR512", ZMM)
      .Cases({"VK8", "VK16", "VK32", "VK64", "VK16WM"}, K)
      .Default(std::nullopt);
}

bool X86Builder::addRegister(const MCInstrDesc &desc, unsigned slot, MCInst &inst, Entry &entry) {
  const MCRegisterInfo &registers = assembler->registers();
  int tied = desc.getOperandConstraint(slot, MCOI::TIED_TO);
  const MCRegisterClass &regClass =
      registers.getRegClass(assembler->registerClass(desc.operands()[slot]));
  std::optional<X86Class> id = classOf(registers.getRegClassName(&regClass));
  if (!id)
    return false;
  Operand operand;
  operand.classes = 1 << *id;
  operand.slot = slot;
  operand.tied = tied;
  bool isResult = slot < desc.getNumDefs();
  (isResult ? entry.results : entry.operands).push_back(operand);
  // The registers of an instance differ, and avoid those that some encodings lack.
  unsigned index = entry.results.size() + entry.operands.size();
  inst.addOperand(tied >= 0
                      ? inst.getOperand(tied)
                      : MCOperand::createReg(regClass.getRegister(std::min<unsigned>(index, 3))));
  return true;
}

/// True when the five parts of an address begin at the operand.
static bool isAddress(const MCInstrDesc &desc, StringRef opcode, unsigned slot) {
  return desc.operands()[slot].OperandType == MCOI::OPERAND_MEMORY ||
         (opcode.starts_with("LEA") && slot == desc.getNumDefs());
}

/// Gives the immediate a value that the assembler does not encode in a shorter instruction, and
/// finds out what else it may be.
bool X86Builder::chooseImmediate(MCInst &inst, Immediate &immediate) const {
  auto accepts = [&](int64_t value) {
    MCInst changed = inst;
    changed.getOperand(immediate.slot).setImm(value);
    std::optional<MCInst> parsed = assembler->parse(assembler->print(changed));
    return parsed && parsed->getOpcode() == inst.getOpcode() &&
           parsed->getOperand(immediate.slot).isImm() &&
           parsed->getOperand(immediate.slot).getImm() == value;
  };
  // What fits a byte may have an encoding of its own; LLVM chooses it when it emits.
  constexpr int64_t word = 0x12345678, beyondWord = 0x123456789a;
  if (accepts(beyondWord)) {
    inst.getOperand(immediate.slot).setImm(beyondWord);
    std::tie(immediate.min, immediate.max) = std::pair(INT64_MIN, INT64_MAX);
    return true;
  }
  if (accepts(word)) {
    inst.getOperand(immediate.slot).setImm(word);
    std::tie(immediate.min, immediate.max) = std::pair<int64_t, int64_t>(INT32_MIN, INT32_MAX);
    return true;
  }
  inst.getOperand(immediate.slot).setImm(5);
  std::tie(immediate.min, immediate.max) =
      probeRange([&](int64_t v) { return v == 1 || accepts(v); });
  return accepts(5);
}

/// Operands of the instruction, with sample registers; false when Low cannot describe one.
bool X86Builder::addOperands(const MCInstrDesc &desc, MCInst &inst, Entry &entry, bool indexed) {
  const MCRegisterInfo &registers = assembler->registers();
  auto immediate = [&](StringRef name, int64_t value, bool required, bool fixed) {
    Immediate added;
    added.name = name.str();
    added.slot = inst.getNumOperands();
    added.defaultValue = value;
    added.required = required;
    added.fixed = fixed;
    entry.immediates.push_back(added);
    inst.addOperand(MCOperand::createImm(value));
  };
  for (unsigned slot = 0; slot < desc.getNumOperands();) {
    int regClass = assembler->registerClass(desc.operands()[slot]);
    if (!isAddress(desc, entry.opcode, slot)) {
      if (regClass < 0)
        immediate("imm", 0, /*required=*/true, /*fixed=*/false);
      else if (!addRegister(desc, slot, inst, entry))
        return false;
      ++slot;
      continue;
    }
    // Base, scale, index, displacement, segment.
    auto address = [&](unsigned at, unsigned number) {
      Operand operand;
      operand.classes = 1 << GPR64;
      operand.slot = at;
      entry.operands.push_back(operand);
      inst.addOperand(MCOperand::createReg(registers.getRegClass(regClass).getRegister(number)));
    };
    address(slot, 4);
    immediate("scale", 1, /*required=*/false, /*fixed=*/!indexed);
    if (indexed)
      address(slot + 2, 5);
    else
      inst.addOperand(MCOperand::createReg(0));
    immediate("disp32", 0, /*required=*/false, /*fixed=*/false);
    inst.addOperand(MCOperand::createReg(0));
    slot += 5;
  }
  return true;
}

bool X86Builder::addForm(const Named &named, bool indexed) {
  unsigned opcode = findOpcode(assembler->instructions(), named.opcode);
  const MCInstrDesc &desc = assembler->instructions().get(opcode);
  Entry entry;
  entry.name = named.name + (indexed ? ".indexed" : "");
  entry.opcode = named.opcode;
  MCInst inst;
  inst.setOpcode(opcode);
  if (!addOperands(desc, inst, entry, indexed))
    return false;
  for (Immediate &immediate : entry.immediates) {
    if (immediate.name == "scale")
      std::tie(immediate.min, immediate.max) = std::pair<int64_t, int64_t>(1, 8);
    else if (immediate.name == "disp32")
      std::tie(immediate.min, immediate.max) = std::pair<int64_t, int64_t>(INT32_MIN, INT32_MAX);
    else if (!chooseImmediate(inst, immediate))
      return false;
  }
  std::optional<MCInst> parsed = assembler->parse(assembler->print(inst));
  if (!parsed || parsed->getOpcode() != opcode)
    return false;
  entry.effects = (desc.mayLoad() ? DescriptorEffect::Loads : 0) |
                  (desc.mayStore() ? DescriptorEffect::Stores : 0) |
                  (desc.hasUnmodeledSideEffects() ? DescriptorEffect::SideEffects : 0);
  for (MCPhysReg reg : desc.implicit_defs())
    entry.defs |= StringRef(assembler->registers().getName(reg)) == "EFLAGS"
                      ? ImplicitRegister::Flags
                      : ImplicitRegister::Other;
  for (MCPhysReg reg : desc.implicit_uses())
    entry.uses |= StringRef(assembler->registers().getName(reg)) == "MXCSR"
                      ? ImplicitRegister::Mode
                      : ImplicitRegister::Other;
  table.entries[entry.name] = entry;
  return true;
}

void X86Builder::add(const Named &named) {
  unsigned opcode = findOpcode(assembler->instructions(), named.opcode);
  // LLVM has no such name, or no such width of it.
  if (!opcode)
    return;
  if (!addForm(named, /*indexed=*/false)) {
    table.leftOut[named.name] = "does not assemble";
    return;
  }
  const MCInstrDesc &desc = assembler->instructions().get(opcode);
  for (unsigned slot = 0; slot < desc.getNumOperands(); ++slot)
    if (isAddress(desc, named.opcode, slot)) {
      addForm(named, /*indexed=*/true);
      return;
    }
}

std::vector<Table> makeX86Tables() {
  std::vector<Named> all;
  addGeneralInstructions(all);
  addFloatInstructions(all);
  addVectorInstructions(all);
  // psABI levels; `packed_dot` adds the dot products of bytes that AVX-VNNI and AVX512-VNNI have.
  const SetRow rows[] = {
      {"x86.scalar.core", "x86-64", "", Scalar},
      {"x86.simd128.core", "x86-64-v2", "", Scalar | SSE},
      {"x86.avx2.core", "x86-64-v3", "", Scalar | AVX2},
      {"x86.avx512.core", "x86-64-v4", "", Scalar | AVX512},
      {"x86.packed_dot.core", "x86-64-v3", "+avxvnni", Scalar | AVX2 | VNNI},
      {"x86.avx512_packed_dot.core", "x86-64-v4", "+avx512vnni", Scalar | AVX512 | VNNI512},
  };
  std::vector<Table> tables;
  for (const SetRow &row : rows) {
    X86Builder builder(row);
    unsigned wide = AVX2 | AVX512;
    for (const Named &named : all) {
      // The scalar float instructions of SSE are not mixed with VEX encodings.
      bool legacy = (named.level & SSE) && (row.levels & wide);
      if ((named.level & row.levels) && !legacy)
        builder.add(named);
    }
    tables.push_back(builder.take());
  }
  return tables;
}

} // namespace loom::lowgen
