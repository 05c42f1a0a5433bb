//===- Resources.cpp - What a code object says about its kernels ----------===//
#include "Resources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using object::ELF64LEObjectFile;

namespace loom::amdgpu {

void ResourceRemarks::add(const DiagnosticInfoOptimizationBase &remark) {
  for (const DiagnosticInfoOptimizationBase::Argument &argument : remark.getArgs()) {
    unsigned value;
    if (argument.Key == "Occupancy" && !StringRef(argument.Val).getAsInteger(10, value))
      occupancies[remark.getFunction().getName().str()] = value;
  }
}

std::optional<unsigned> ResourceRemarks::occupancy(StringRef kernel) const {
  auto found = occupancies.find(kernel.str());
  if (found == occupancies.end())
    return std::nullopt;
  return found->second;
}

namespace {

/// Code of a kernel in the linked file.
struct Code {
  ArrayRef<uint8_t> bytes;
  uint64_t address = 0;
  uint64_t storage = 0; ///< with the padding up to the section's alignment
};

/// Disassembles code of one target machine.
class Disassembler {
public:
  explicit Disassembler(const TargetMachine &machine)
      : subtarget(*machine.getMCSubtargetInfo()),
        context(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(),
                &subtarget),
        disassembler(machine.getTarget().createMCDisassembler(subtarget, context)),
        printer(machine.getTarget().createMCInstPrinter(
            machine.getTargetTriple(), machine.getMCAsmInfo()->getAssemblerDialect(),
            *machine.getMCAsmInfo(), *machine.getMCInstrInfo(), *machine.getMCRegisterInfo())) {}

  /// The mnemonics of all instructions, or nothing when some byte is no instruction.
  std::optional<std::vector<std::string>> mnemonics(const Code &code) const {
    std::vector<std::string> result;
    for (uint64_t offset = 0; offset < code.bytes.size();) {
      MCInst instruction;
      uint64_t size = 0;
      if (!disassembler ||
          disassembler->getInstruction(instruction, size, code.bytes.drop_front(offset),
                                       code.address + offset, nulls()) != MCDisassembler::Success ||
          size == 0)
        return std::nullopt;
      std::string text;
      raw_string_ostream stream(text);
      printer->printInst(&instruction, code.address + offset, "", subtarget, stream);
      result.push_back(StringRef(text).ltrim().take_until(isSpace).str());
      offset += size;
    }
    return result;
  }

private:
  const MCSubtargetInfo &subtarget;
  mutable MCContext context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

Expected<std::map<std::string, Code>> readCode(const ELF64LEObjectFile &file) {
  std::map<std::string, Code> result;
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    if (symbol.getELFType() != ELF::STT_FUNC)
      continue;
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> address = symbol.getAddress();
    Expected<object::section_iterator> section = symbol.getSection();
    if (!name || !address || !section)
      return joinErrors(joinErrors(name.takeError(), address.takeError()), section.takeError());
    if (*section == file.section_end())
      continue;
    Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    uint64_t begin = *address - (*section)->getAddress(), size = symbol.getSize();
    if (begin > contents->size() || size > contents->size() - begin)
      return createStringError("the symbol '" + *name + "' lies outside of its section");
    result[name->str()] = {arrayRefFromStringRef(contents->substr(begin, size)), *address,
                           alignTo(size, (*section)->getAlignment())};
  }
  return result;
}

/// The first AMDGPU metadata note of `file`.
Expected<StringRef> findMetadata(const ELF64LEObjectFile &file) {
  for (const object::ELFSectionRef section : file.sections()) {
    if (section.getType() != ELF::SHT_NOTE)
      continue;
    auto *header = file.getSection(section.getRawDataRefImpl());
    Error error = Error::success();
    for (const auto &note : file.getELFFile().notes(*header, error))
      if (note.getType() == ELF::NT_AMDGPU_METADATA && note.getName() == "AMDGPU") {
        consumeError(std::move(error));
        return note.getDescAsStringRef(header->sh_addralign);
      }
    if (error)
      return error;
  }
  return createStringError("the code object has no AMDGPU metadata");
}

void readKernel(msgpack::MapDocNode &kernel, report::Entry &entry) {
  auto number = [&](StringRef key) -> std::optional<uint64_t> {
    auto found = kernel.find(key);
    if (found == kernel.end() || found->second.getKind() != msgpack::Type::UInt)
      return std::nullopt;
    return found->second.getUInt();
  };
  if (auto count = number(".sgpr_count"))
    entry.scalar = report::RegisterUse{"amdgpu.sgpr", unsigned(*count)};
  if (auto count = number(".vgpr_count"))
    entry.vector = report::RegisterUse{"amdgpu.vgpr", unsigned(*count)};
  entry.scalarSpills = number(".sgpr_spill_count");
  entry.vectorSpills = number(".vgpr_spill_count");
  entry.privateBytes = number(".private_segment_fixed_size");
  entry.localBytes = number(".group_segment_fixed_size");
  entry.kernargBytes = number(".kernarg_segment_size");
  if (auto size = number(".wavefront_size"))
    entry.subgroupSize = unsigned(*size);
}

/// Names what keeps more subgroups from being resident: vector registers when their file holds no
/// more of them, otherwise LDS when the kernel uses any.
std::string occupancyLimit(const report::Entry &entry, const AMDGPUFacts &facts) {
  unsigned resident = *entry.residentSubgroupsPerSimd;
  if (resident >= facts.maxSubgroupsPerSimd || !entry.vector)
    return "";
  unsigned each = alignTo(std::max(entry.vector->registerCount, 1u), facts.vectorRegisterGranule);
  if (facts.vectorRegistersPerSimd / each <= resident)
    return entry.vector->registerClass;
  return entry.localBytes.value_or(0) ? "amdgpu.lds" : "";
}

std::optional<uint64_t> requiredSize(const Function &kernel, unsigned dimension) {
  MDNode *node = kernel.getMetadata("reqd_work_group_size");
  if (!node || dimension >= node->getNumOperands())
    return std::nullopt;
  auto *size = mdconst::dyn_extract<ConstantInt>(node->getOperand(dimension));
  return size ? std::optional<uint64_t>(size->getZExtValue()) : std::nullopt;
}

} // namespace

Error readResources(ArrayRef<char> codeObject, const Module &module, const TargetMachine &machine,
                    const TargetProfile &profile, const ResourceRemarks &remarks,
                    std::vector<report::Entry> &entries, WaitLog &waits) {
  auto opened = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(StringRef(codeObject.data(), codeObject.size()), "code object"));
  if (!opened)
    return opened.takeError();
  auto *file = dyn_cast<ELF64LEObjectFile>(opened->get());
  if (!file)
    return createStringError("the code object is not a 64-bit ELF file");
  Expected<std::map<std::string, Code>> code = readCode(*file);
  if (!code)
    return code.takeError();
  Expected<StringRef> blob = findMetadata(*file);
  if (!blob)
    return blob.takeError();
  msgpack::Document metadata;
  if (!metadata.readFromBlob(*blob, /*Multi=*/false) || !metadata.getRoot().isMap() ||
      !metadata.getRoot().getMap()["amdhsa.kernels"].isArray())
    return createStringError("the metadata of the code object is malformed");
  std::map<std::string, msgpack::MapDocNode> kernels;
  for (msgpack::DocNode &node : metadata.getRoot().getMap()["amdhsa.kernels"].getArray())
    if (node.isMap() && node.getMap()[".name"].isString())
      kernels[node.getMap()[".name"].getString().str()] = node.getMap();

  Disassembler disassembler(machine);
  for (const Function &kernel : module) {
    if (kernel.getCallingConv() != CallingConv::AMDGPU_KERNEL || kernel.isDeclaration())
      continue;
    std::string name = kernel.getName().str();
    auto kernelCode = code->find(name);
    auto kernelData = kernels.find(name);
    if (kernelCode == code->end() || kernelData == kernels.end())
      return createStringError("the code object does not describe the kernel '" + name + "'");
    report::Entry entry;
    entry.function = entry.targetExport = name;
    entry.codeBytes = kernelCode->second.bytes.size();
    entry.codeStorageBytes = kernelCode->second.storage;
    readKernel(kernelData->second, entry);
    if (auto mnemonics = disassembler.mnemonics(kernelCode->second)) {
      entry.instructionCount = mnemonics->size();
      waits.attachMnemonics(name, *mnemonics);
    }
    entry.residentSubgroupsPerSimd = remarks.occupancy(name);
    if (entry.residentSubgroupsPerSimd) {
      entry.maxSubgroupsPerSimd = profile.amdgpu.maxSubgroupsPerSimd;
      entry.occupancyLimit = occupancyLimit(entry, profile.amdgpu);
    }
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      entry.workgroupSize[dimension] = requiredSize(kernel, dimension);
    entries.push_back(std::move(entry));
  }
  return Error::success();
}

} // namespace loom::amdgpu
