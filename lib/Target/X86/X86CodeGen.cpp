//===- X86CodeGen.cpp - LLVM IR to an x86 object --------------------------===//
#include "PadVectors.h"
#include "loom/Target/Common/LinkedTargets.h"
#include "loom/Target/X86/X86Device.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

namespace loom::x86 {

static constexpr const char *kTriple = "x86_64-unknown-linux-gnu";
/// The level below which `fma` and conversions of f16 are library calls (x86-64 psABI,
/// "Micro-Architecture Levels").
static constexpr const char *kLowestLevel = "x86-64-v3";

static bool isNative(const TargetProfile &profile) { return StringRef(profile.cpu) == "native"; }

Error checkHost(const TargetProfile &profile) {
  StringMap<bool> host = sys::getHostCPUFeatures();
  SmallVector<StringRef, 64> needed;
  X86::getFeaturesForCPU(isNative(profile) ? kLowestLevel : profile.cpu, needed);
  std::string missing;
  for (StringRef feature : needed) {
    auto found = host.find(feature);
    if (found != host.end() && !found->second)
      missing += (missing.empty() ? "" : ", ") + feature.str();
  }
  if (missing.empty())
    return Error::success();
  return createStringError("this processor cannot run code for x86:" + Twine(profile.key) +
                           "; it lacks " + missing);
}

static std::string nativeFeatures() {
  StringMap<bool> host = sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (auto &entry : host)
    names.push_back((entry.second ? "+" : "-") + entry.first().str());
  llvm::sort(names);
  return llvm::join(names, ",");
}

static Expected<std::unique_ptr<TargetMachine>> createMachine(const TargetProfile &profile) {
  if (profile.family != TargetFamily::X86)
    return createStringError("the x86 back end cannot compile for '" +
                             stringifyFamily(profile.family) + ":" + profile.key + "'");
  initializeLinkedTargets();
  Triple triple(kTriple);
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  bool native = isNative(profile);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, native ? sys::getHostCPUName() : StringRef(profile.cpu),
                                  native ? nativeFeatures() : std::string(), options, Reloc::PIC_,
                                  CodeModel::Small, CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("LLVM has no x86 target machine for '" + StringRef(profile.cpu) + "'");
  return machine;
}

static Error prepare(Module &module, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
  std::string message;
  raw_string_ostream stream(message);
  if (verifyModule(module, &stream))
    return createStringError("invalid LLVM IR: " + message);
  return Error::success();
}

Error prepareModule(Module &module, const TargetProfile &profile) {
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(profile);
  if (!machine)
    return machine.takeError();
  return prepare(module, **machine);
}

static void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(module, modules);
}

namespace {

/// Keeps the errors of one compilation; LLVM's default would print them and end the process.
struct ErrorCollector final : DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream stream(errors);
      DiagnosticPrinterRawOStream printer(stream);
      stream << (errors.empty() ? "" : "\n");
      info.print(printer);
    }
    return true;
  }
  std::string &errors;
};

} // namespace

/// Turns the lines that the lowering gave to instructions into a line table. What is inlined into a
/// function without a subprogram would have none, so every function gets one.
static void requestLineTable(Module &module) {
  stripNonLineTableDebugInfo(module);
  if (module.debug_compile_units().empty())
    return;
  DICompileUnit *unit = *module.debug_compile_units_begin();
  DIBuilder builder(module, /*AllowUnresolved=*/false, unit);
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (Function &function : module) {
    if (function.isDeclaration() || function.getSubprogram())
      continue;
    DISubprogram *subprogram =
        builder.createFunction(unit, function.getName(), "", unit->getFile(), /*LineNo=*/0, type,
                               /*ScopeLine=*/0, DINode::FlagZero, DISubprogram::SPFlagDefinition);
    function.setSubprogram(subprogram);
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        instruction.setDebugLoc(DILocation::get(module.getContext(), 0, 0, subprogram));
  }
  builder.finalize();
}

namespace {

/// Makes LLVM say for which instructions the line is unknown; otherwise they would seem to belong
/// to the line before. The caller holds backendMutex().
class ScopedUnknownLines {
public:
  explicit ScopedUnknownLines(bool isWanted)
      : option(isWanted ? cl::getRegisteredOptions().lookup(kName) : nullptr) {
    if (option)
      option->addOccurrence(/*pos=*/0, kName, "Enable");
  }
  ScopedUnknownLines(const ScopedUnknownLines &) = delete;
  ScopedUnknownLines &operator=(const ScopedUnknownLines &) = delete;
  ~ScopedUnknownLines() {
    if (option)
      option->reset();
  }

private:
  static constexpr StringLiteral kName = "use-unknown-locations";
  cl::Option *option;
};

} // namespace

Expected<SmallVector<char, 0>> emitObject(Module &module, const TargetProfile &profile,
                                          bool withLineTable) {
  std::lock_guard<std::mutex> lock(backendMutex());
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(profile);
  if (!machine)
    return machine.takeError();
  if (Error error = prepare(module, **machine))
    return error;
  if (withLineTable)
    requestLineTable(module);
  else
    StripDebugInfo(module);
  std::string errors;
  std::unique_ptr<DiagnosticHandler> former = module.getContext().getDiagnosticHandler();
  module.getContext().setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  optimize(module, **machine);
  padShuffledVectors(module);
  ScopedUnknownLines unknownLines(withLineTable);
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  bool cannotEmit =
      (*machine)->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile);
  if (!cannotEmit)
    passes.run(module);
  module.getContext().setDiagnosticHandler(std::move(former));
  if (cannotEmit)
    return createStringError("LLVM's x86 back end cannot emit an object");
  if (!errors.empty())
    return createStringError(errors);
  return object;
}

} // namespace loom::x86
