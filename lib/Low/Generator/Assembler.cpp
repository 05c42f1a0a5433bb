//===- Assembler.cpp - LLVM's assembler for one processor -----------------===//
#include "Assembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <map>
#include <regex>

// The part of LLVM's AMDGPU back end that maps pseudo instructions to encodings. Its header is not
// installed.
namespace llvm::AMDGPU {
int64_t getMCOpcode(uint16_t opcode, unsigned encodingFamily);
} // namespace llvm::AMDGPU

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmParser();
}

using namespace llvm;

namespace loom::lowgen {

namespace {

/// Keeps instructions instead of encoding them.
class Capture final : public MCStreamer {
public:
  explicit Capture(MCContext &context) : MCStreamer(context) {}
  void emitInstruction(const MCInst &inst, const MCSubtargetInfo &) override {
    instructions.push_back(inst);
  }
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}

  std::vector<MCInst> instructions;
};

} // namespace

struct Assembler::State {
  const Target *target;
  Triple triple;
  MCTargetOptions options;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCInstPrinter> printer;
  unsigned hwMode;
};

Assembler::Assembler(std::unique_ptr<State> state) : state(std::move(state)) {}
Assembler::~Assembler() = default;

static void initializeTargets() {
  static const bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    return true;
  }();
  (void)once;
}

std::unique_ptr<Assembler> Assembler::create(StringRef tripleName, StringRef cpu,
                                             StringRef features) {
  initializeTargets();
  auto state = std::make_unique<State>();
  state->triple = Triple(tripleName);
  std::string error;
  state->target = TargetRegistry::lookupTarget(state->triple, error);
  if (!state->target)
    return nullptr;
  state->instructions.reset(state->target->createMCInstrInfo());
  state->registers.reset(state->target->createMCRegInfo(state->triple));
  state->asmInfo.reset(
      state->target->createMCAsmInfo(*state->registers, state->triple, state->options));
  state->subtarget.reset(state->target->createMCSubtargetInfo(state->triple, cpu, features));
  if (!state->subtarget || !state->subtarget->isCPUStringValid(cpu))
    return nullptr;
  state->printer.reset(
      state->target->createMCInstPrinter(state->triple, state->asmInfo->getAssemblerDialect(),
                                         *state->asmInfo, *state->instructions, *state->registers));
  state->hwMode = state->subtarget->getHwMode(MCSubtargetInfo::HwMode_RegInfo);
  return std::unique_ptr<Assembler>(new Assembler(std::move(state)));
}

const MCInstrInfo &Assembler::instructions() const { return *state->instructions; }
const MCRegisterInfo &Assembler::registers() const { return *state->registers; }

int Assembler::registerClass(const MCOperandInfo &operand) const {
  return state->instructions->getOpRegClassID(operand, state->hwMode);
}

std::string Assembler::mnemonic(const MCInst &inst) const {
  auto [name, bits] = state->printer->getMnemonic(inst);
  // x86 separates by a tabulator.
  return name ? StringRef(name).trim(" \t").str() : std::string();
}

std::string Assembler::print(const MCInst &inst) const {
  std::string raw;
  raw_string_ostream os(raw);
  state->printer->printInst(&inst, 0, "", *state->subtarget, os);
  std::string text;
  for (char c : raw) {
    c = c == '\t' ? ' ' : c;
    if (c != ' ' || (!text.empty() && text.back() != ' '))
      text += c;
  }
  return StringRef(text).rtrim().str();
}

std::optional<MCInst> Assembler::parse(const std::string &text) const {
  SourceMgr sources;
  sources.setDiagHandler([](const SMDiagnostic &, void *) {});
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text + "\n"), SMLoc());
  MCContext context(state->triple, state->asmInfo.get(), state->registers.get(),
                    state->subtarget.get(), &sources, &state->options);
  context.setDiagnosticHandler(
      [](const SMDiagnostic &, bool, const SourceMgr &, std::vector<const MDNode *> &) {});
  std::unique_ptr<MCObjectFileInfo> files(
      state->target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(files.get());
  Capture capture(context);
  state->target->createNullTargetStreamer(capture);
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(sources, context, capture, *state->asmInfo));
  std::unique_ptr<MCTargetAsmParser> targetParser(state->target->createMCAsmParser(
      *state->subtarget, *parser, *state->instructions, state->options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false) || capture.instructions.size() != 1)
    return std::nullopt;
  return capture.instructions.front();
}

unsigned findOpcode(const MCInstrInfo &instructions, StringRef name) {
  // All assemblers share the table of their back end.
  static std::map<const void *, StringMap<unsigned>> tables;
  StringMap<unsigned> &table = tables[instructions.getName(1).data()];
  if (table.empty())
    for (unsigned i = 1; i < instructions.getNumOpcodes(); ++i)
      table.try_emplace(instructions.getName(i), i);
  return table.lookup(name);
}

std::vector<std::string> assemblyCandidates(StringRef printed, StringRef mnemonic,
                                            StringRef pseudo) {
  // Modifiers that have defaults are left to the parser.
  static const std::regex named(" [a-z_0-9]+:(\\[[^\\]]*\\]|[^ ,]+)");
  std::string base = std::regex_replace(printed.str(), named, "");
  if (pseudo.contains("_dpp8"))
    base += " dpp8:[0,1,2,3,4,5,6,7]";
  else if (pseudo.contains("_dpp"))
    base += " quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf";
  if (pseudo.contains("_SGPR_IMM"))
    base += " offset:0x4";
  std::vector<std::string> forms;
  size_t end = StringRef(base).find(mnemonic) + mnemonic.size();
  if (pseudo.contains("_e64") && !mnemonic.contains("_e64"))
    forms.push_back(base.substr(0, end) + (pseudo.contains("_dpp") ? "_e64_dpp" : "_e64") +
                    base.substr(end));
  if (pseudo.contains("_e32") && !mnemonic.contains("_e32") && !pseudo.contains("_dpp"))
    forms.push_back(base.substr(0, end) + "_e32" + base.substr(end));
  forms.push_back(base);
  std::vector<std::string> candidates;
  for (const std::string &form : forms) {
    // An atomic that returns the old value says so in its cache policy.
    if (pseudo.contains("_RTN"))
      for (const char *returns : {" glc", " sc0", " th:TH_ATOMIC_RETURN"})
        candidates.push_back(form + returns);
    candidates.push_back(form);
  }
  return candidates;
}

unsigned realOpcode(const MCInstrInfo &instructions, unsigned pseudo, ArrayRef<unsigned> families) {
  for (unsigned family : families) {
    int64_t real = AMDGPU::getMCOpcode(pseudo, family);
    if (real > 0 && real < instructions.getNumOpcodes() && real != pseudo)
      return real;
  }
  return 0;
}

} // namespace loom::lowgen
