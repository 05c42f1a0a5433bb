//===- AssemblyTest.cpp - Every descriptor assembles ----------------------===//
//
// For each entry of the tables: build an instance from what the entry says, with sample registers
// of its classes and sizes and its default immediates, print it, and assemble the text for every
// processor of the set. It has to be the same instruction with the same registers.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"
#include "loom/Low/Descriptors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <gtest/gtest.h>

using namespace loom;
using namespace loom::lowgen;
using namespace llvm;

namespace {

struct Processor {
  const char *set, *triple, *cpu, *features;
  /// SIEncodingFamily of LLVM's AMDGPU back end: 3 SDWA9, 5 GFX9, 8 GFX90A, 9 GFX940, 10 GFX11,
  /// 11 GFX12, 12 GFX1250, 1 VI. Empty for x86.
  std::vector<unsigned> encodings;
};

const char kAMD[] = "amdgcn-amd-amdhsa", kX86[] = "x86_64-unknown-linux-gnu";

const std::vector<Processor> &processors() {
  static const std::vector<unsigned> gfx9 = {9, 8, 5, 3, 1};
  static const std::vector<Processor> all = {
      {"amdgpu.cdna3.core", kAMD, "gfx942", "", gfx9},
      {"amdgpu.cdna4.core", kAMD, "gfx950", "", gfx9},
      {"amdgpu.rdna3.core", kAMD, "gfx1100", "", {10}},
      {"amdgpu.rdna3.core", kAMD, "gfx1103", "", {10}},
      {"amdgpu.rdna3_5.core", kAMD, "gfx1150", "", {10}},
      {"amdgpu.rdna3_5.core", kAMD, "gfx1151", "", {10}},
      {"amdgpu.rdna3_5.core", kAMD, "gfx1153", "", {10}},
      {"amdgpu.rdna4.core", kAMD, "gfx1200", "", {11}},
      {"amdgpu.rdna4.core", kAMD, "gfx1201", "", {11}},
      {"amdgpu.gfx1250.core", kAMD, "gfx1250", "", {12, 11}},
      {"amdgpu.gfx1250.core", kAMD, "gfx1251", "", {12, 11}},
      {"amdgpu.gfx9_4.generic.core", kAMD, "gfx9-4-generic", "", gfx9},
      {"amdgpu.gfx11.generic.core", kAMD, "gfx11-generic", "", {10}},
      {"amdgpu.gfx12.generic.core", kAMD, "gfx12-generic", "", {11}},
      {"amdgpu.gfx12_5.generic.core", kAMD, "gfx1250", "", {12, 11}},
      {"x86.scalar.core", kX86, "x86-64", "", {}},
      {"x86.simd128.core", kX86, "x86-64-v2", "", {}},
      {"x86.avx2.core", kX86, "x86-64-v3", "", {}},
      {"x86.avx512.core", kX86, "x86-64-v4", "", {}},
      {"x86.packed_dot.core", kX86, "x86-64-v3", "+avxvnni", {}},
      {"x86.avx512_packed_dot.core", kX86, "x86-64-v4", "+avx512vnni", {}},
  };
  return all;
}

class Instances : public testing::TestWithParam<Processor> {
protected:
  void SetUp() override {
    assembler = Assembler::create(GetParam().triple, GetParam().cpu, GetParam().features);
    ASSERT_NE(assembler, nullptr) << GetParam().cpu;
    set = lookupDescriptorSet(GetParam().set);
    ASSERT_NE(set, nullptr);
    const MCRegisterInfo &registers = assembler->registers();
    for (unsigned reg = 1; reg < registers.getNumRegs(); ++reg)
      byName[registers.getName(reg)] = reg;
  }

  /// A register of one of the operand's classes, disjoint from those handed out before.
  MCRegister sample(const DescriptorOperand &operand) {
    StringRef className = set->classes()[llvm::countr_zero(operand.classes)].name;
    for (unsigned i = 0; i < set->classes().size(); ++i)
      if ((operand.classes >> i & 1) && StringRef(set->classes()[i].name) == "amdgpu.vgpr")
        className = "amdgpu.vgpr"; // what takes either file gets a vector register
    if (className == "amdgpu.vcc")
      return byName.lookup(operand.units == 2 ? "VCC" : "VCC_LO");
    if (className == "amdgpu.m0")
      return byName.lookup("M0");
    if (className.starts_with("x86."))
      return sampleX86(className);
    std::string file = className.drop_front(strlen("amdgpu.")).upper();
    unsigned &next = used[file];
    next = (next + 3) / 4 * 4; // tuples begin at multiples of four
    std::string name;
    for (unsigned i = 0; i < operand.units; ++i)
      name += (i ? "_" : "") + file + std::to_string(next + i);
    next += operand.units;
    return byName.lookup(name);
  }

  MCRegister sampleX86(StringRef className) {
    static const std::map<std::string, std::vector<const char *>> names = {
        {"x86.gpr32", {"ESI", "EDI", "EBX", "EDX"}},
        {"x86.gpr64", {"RSI", "RDI", "RBX", "RDX"}},
        {"x86.xmm", {"XMM1", "XMM2", "XMM3", "XMM4"}},
        {"x86.ymm", {"YMM1", "YMM2", "YMM3", "YMM4"}},
        {"x86.zmm", {"ZMM1", "ZMM2", "ZMM3", "ZMM4"}},
        {"x86.k", {"K1", "K2", "K3", "K4"}}};
    return byName.lookup(names.at(className.str())[used[className.str()]++ % 4]);
  }

  /// The instance that the entry describes, of the instruction `opcode`.
  MCInst build(const Descriptor &descriptor, unsigned opcode) {
    used.clear();
    const MCInstrDesc &desc = assembler->instructions().get(opcode);
    std::vector<MCOperand> slots;
    for (const MCOperandInfo &info : desc.operands())
      slots.push_back(assembler->registerClass(info) < 0 ? MCOperand::createImm(0)
                                                         : MCOperand::createReg(0));
    auto place = [&](const DescriptorOperand &operand, MCRegister reg) {
      if (operand.slot == DescriptorOperand::kImplicitSlot)
        return;
      EXPECT_TRUE(reg.isValid()) << descriptor.getName().str();
      ASSERT_LT(operand.slot, slots.size()) << descriptor.getName().str();
      slots[operand.slot] = MCOperand::createReg(reg);
    };
    std::vector<MCRegister> results;
    for (const DescriptorOperand &result : descriptor.results()) {
      results.push_back(sample(result));
      place(result, results.back());
    }
    for (const DescriptorOperand &operand : descriptor.operands())
      place(operand, operand.tied >= 0 ? results[operand.tied] : sample(operand));
    for (const DescriptorImmediate &immediate : descriptor.immediates()) {
      EXPECT_LT(immediate.slot, slots.size()) << descriptor.getName().str();
      StringRef name = immediate.getName();
      if (name.consume_front("$"))
        slots[immediate.slot] = MCOperand::createReg(byName.lookup(name));
      else if (immediate.required && GetParam().encodings.empty()) // beyond the short encodings
        slots[immediate.slot] = MCOperand::createImm(std::min<int64_t>(immediate.max, 1234567));
      else if (immediate.required && name == "offset") // without it another encoding is chosen
        slots[immediate.slot] = MCOperand::createImm(4);
      else
        slots[immediate.slot] = MCOperand::createImm(immediate.defaultValue);
    }
    MCInst inst;
    inst.setOpcode(opcode);
    for (const MCOperand &operand : slots)
      inst.addOperand(operand);
    return inst;
  }

  /// Whether the text of `inst` is `inst` for this processor.
  bool assembles(const Descriptor &descriptor, const MCInst &inst) {
    bool amdgpu = !GetParam().encodings.empty();
    std::vector<std::string> texts =
        amdgpu ? assemblyCandidates(assembler->print(inst), assembler->mnemonic(inst),
                                    descriptor.getOpcodeName())
               : std::vector<std::string>{assembler->print(inst)};
    return llvm::any_of(texts, [&](const std::string &text) {
      std::optional<MCInst> parsed = assembler->parse(text);
      // The printed text shows every register and every immediate that is not a default.
      return parsed && parsed->getOpcode() == inst.getOpcode() &&
             assembler->print(*parsed) == assembler->print(inst);
    });
  }

  std::unique_ptr<Assembler> assembler;
  const DescriptorSet *set = nullptr;
  StringMap<unsigned> byName;
  std::map<std::string, unsigned> used;
};

TEST_P(Instances, Assemble) {
  unsigned checked = 0;
  for (const Descriptor &descriptor : set->descriptors()) {
    unsigned opcode = findOpcode(assembler->instructions(), descriptor.getOpcodeName());
    ASSERT_NE(opcode, 0u) << descriptor.getName().str();
    if (!GetParam().encodings.empty())
      opcode = realOpcode(assembler->instructions(), opcode, GetParam().encodings);
    ASSERT_NE(opcode, 0u) << descriptor.getName().str();
    if (descriptor.isAlias)
      continue;
    MCInst inst = build(descriptor, opcode);
    EXPECT_TRUE(assembles(descriptor, inst))
        << descriptor.getName().str() << ": " << assembler->print(inst);
    ++checked;
  }
  EXPECT_GT(checked, 90u);
}

INSTANTIATE_TEST_SUITE_P(AllProcessors, Instances, testing::ValuesIn(processors()),
                         [](const testing::TestParamInfo<Processor> &info) {
                           std::string name = std::string(info.param.set) + "_" + info.param.cpu;
                           for (char &c : name)
                             if (!isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

} // namespace
