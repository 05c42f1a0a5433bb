//===- CodeGen.cpp - LLVM IR to an AMDGPU code object ---------------------===//
#include "loom/Target/AMDGPU/CodeGen.h"
#include "AddressInduction.h"
#include "AddressSelection.h"
#include "BackendOptions.h"
#include "KernelAttributes.h"
#include "Resources.h"
#include "SourceScheduler.h"
#include "WaitRecorder.h"
#include "loom/Target/Common/LinkedTargets.h"
#include "loom/Target/ELF/LinkShared.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace loom::amdgpu {
namespace {

/// Collects the errors and resource remarks of one compilation, and puts the context's own handler
/// back at the end.
class DiagnosticCollector {
public:
  DiagnosticCollector(LLVMContext &context, ResourceRemarks &remarks)
      : context(context), former(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<Handler>(errors, remarks));
  }
  ~DiagnosticCollector() { context.setDiagnosticHandler(std::move(former)); }

  Error takeError() { return errors.empty() ? Error::success() : createStringError(errors); }

private:
  struct Handler final : DiagnosticHandler {
    Handler(std::string &errors, ResourceRemarks &remarks) : errors(errors), remarks(remarks) {}

    bool isAnyRemarkEnabled() const override { return true; }
    bool isAnalysisRemarkEnabled(StringRef pass) const override { return pass == remarkPass; }
    bool isMissedOptRemarkEnabled(StringRef) const override { return false; }
    bool isPassedOptRemarkEnabled(StringRef) const override { return false; }

    bool handleDiagnostics(const DiagnosticInfo &info) override {
      if (auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&info)) {
        if (remark->getPassName() == remarkPass)
          remarks.add(*remark);
      } else if (info.getSeverity() == DS_Error) {
        raw_string_ostream stream(errors);
        DiagnosticPrinterRawOStream printer(stream);
        if (!errors.empty())
          stream << "\n";
        info.print(printer);
      }
      return true;
    }

    static constexpr const char *remarkPass = "kernel-resource-usage";
    std::string &errors;
    ResourceRemarks &remarks;
  };

  LLVMContext &context;
  std::unique_ptr<DiagnosticHandler> former;
  std::string errors;
};

Expected<std::unique_ptr<TargetMachine>> createMachine(const TargetProfile &profile) {
  if (profile.family != TargetFamily::AMDGPU)
    return createStringError("the AMDGPU back end cannot compile for '" +
                             stringifyFamily(profile.family) + ":" + profile.key + "'");
  initializeLinkedTargets();
  registerSourceScheduler();
  Triple triple("amdgcn-amd-amdhsa");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  // At this level LLVM neither merges nor reorders memory accesses before instruction selection.
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, profile.cpu, /*Features=*/"", TargetOptions(),
                                  Reloc::PIC_, std::nullopt, CodeGenOptLevel::Less));
  if (!machine)
    return createStringError("LLVM has no AMDGPU target machine for '" + StringRef(profile.cpu) +
                             "'");
  return machine;
}

Error prepare(Module &module, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  // Generic processors need version 6 of the code object ABI (AMDGPU Usage, "Code Object V6").
  module.setModuleFlag(
      Module::Error, "amdhsa_code_object_version",
      ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(module.getContext()), 600)));
  std::string message;
  raw_string_ostream stream(message);
  if (verifyModule(module, &stream))
    return createStringError("invalid LLVM IR: " + message);
  return Error::success();
}

AnalysisID passNamed(StringRef name) {
  const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(name);
  return info ? info->getTypeInfo() : nullptr;
}

/// The whole pipeline from IR to an object or assembly text.
Error emit(Module &module, TargetMachine &machine, const TargetProfile &profile,
           CodeGenFileType type, SmallVectorImpl<char> &out, WaitLog &waits) {
  raw_svector_ostream stream(out);
  legacy::PassManager passes;
  TargetPassConfig *config = machine.createPassConfig(passes);
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  passes.add(config);
  passes.add(info);
  config->setDisableVerify(true);
  // Sinking moves a load that was issued ahead next to its guarded consumer.
  config->disablePass(&MachineSinkingLegacyID);
  // The order is settled before register allocation.
  config->disablePass(&PostRASchedulerID);
  config->disablePass(&PostMachineSchedulerID);
  AnalysisID mergeLoads = passNamed("si-load-store-opt");
  AnalysisID lastIRPass = passNamed("amdgpu-rewrite-undef-for-phi");
  if (!mergeLoads || !lastIRPass)
    return createStringError("the linked LLVM lacks a pass that the AMDGPU pipeline refers to");
  // Merging the loads of neighbouring rows into one undoes the read-ahead that they are part of.
  config->disablePass(mergeLoads);
  config->insertPass(lastIRPass, createAddressSelectionPass(profile));
  if (config->addISelPasses())
    return createStringError("LLVM's AMDGPU back end has no instruction selector");
  config->addMachinePasses();
  config->setInitialized();
  passes.add(createWaitRecorderPass(profile, waits));
  if (machine.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext()))
    return createStringError("LLVM's AMDGPU back end cannot emit this kind of output");
  passes.add(createFreeMachineFunctionPass());
  passes.run(module);
  return Error::success();
}

} // namespace

Error prepareModule(Module &module, const TargetProfile &profile) {
  std::lock_guard<std::mutex> lock(backendMutex());
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(profile);
  if (!machine)
    return machine.takeError();
  return prepare(module, **machine);
}

Expected<CodeGenResult> compileModule(Module &module, const TargetProfile &profile, OutputKind kind,
                                      const SourceOperations &operations) {
  std::lock_guard<std::mutex> lock(backendMutex());
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(profile);
  if (!machine)
    return machine.takeError();
  ScopedBackendOptions options;
  if (Error error = options.apply())
    return error;
  if (Error error = prepare(module, **machine))
    return error;
  addKernelAttributes(module);
  for (Function &function : module)
    if (!function.isDeclaration())
      inductAddresses(function, **machine, profile);

  ResourceRemarks remarks;
  DiagnosticCollector diagnostics(module.getContext(), remarks);
  WaitLog waits(operations);
  SmallVector<char, 0> emitted;
  bool wantsText = kind == OutputKind::Assembly;
  if (Error error = emit(module, **machine, profile,
                         wantsText ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile,
                         emitted, waits))
    return joinErrors(diagnostics.takeError(), std::move(error));
  if (Error error = diagnostics.takeError())
    return error;

  CodeGenResult result;
  if (wantsText) {
    result.artifact.assign(emitted.begin(), emitted.end());
    result.waits = waits.takeActions();
    return result;
  }
  Expected<std::vector<char>> linked = elf::linkShared(emitted, {"--no-undefined"});
  if (!linked)
    return linked.takeError();
  result.artifact = std::move(*linked);
  if (Error error = readResources(result.artifact, module, **machine, profile, remarks,
                                  result.entries, waits))
    return error;
  result.waits = waits.takeActions();
  return result;
}

} // namespace loom::amdgpu
