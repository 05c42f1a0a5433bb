//===- Compiler.cpp - From a module to an artifact ------------------------===//
#include "loom/Compiler/Compiler.h"
#include "loom/Dialect/Dialects.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Report/Status.h"
#include "loom/Support/NearMatches.h"
#include "loom/Target/AMDGPU/CodeGen.h"
#include "loom/Target/Common/Lowering.h"
#include "loom/Target/X86/X86Device.h"
#include "loom/Transforms/LoopPipelines.h"
#include "loom/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

llvm::ArrayRef<ArtifactFormat> artifactFormats() {
  static const ArtifactFormat formats[] = {
      {"amdgpu-hsaco", true, false, "hal-executable", "code object that a loader takes"},
      {"amdgpu-asm", true, false, "target-artifact", "assembly text of the code object"},
      {"llvm-ir", true, true, "target-artifact", "LLVM IR text before instruction selection"},
  };
  return formats;
}

const ArtifactFormat *lookupArtifactFormat(StringRef name) {
  for (const ArtifactFormat &format : artifactFormats())
    if (name == format.name)
      return &format;
  return nullptr;
}

const ArtifactFormat *defaultArtifactFormat(TargetFamily family) {
  return family == TargetFamily::AMDGPU ? lookupArtifactFormat("amdgpu-hsaco") : nullptr;
}

//===----------------------------------------------------------------------===//
// Loom IR
//===----------------------------------------------------------------------===//

void buildSourcePipeline(OpPassManager &manager, const TargetProfile *target,
                         ArrayRef<std::string> roots) {
  BindConfigOptions config;
  config.roots.assign(roots.begin(), roots.end());
  manager.addPass(createBindConfig(config));
  SpecializeOptions options;
  if (target)
    options.target = (stringifyFamily(target->family) + ":" + target->key).str();
  options.roots.assign(roots.begin(), roots.end());
  manager.addPass(createSpecialize(options));
  manager.addPass(createLinearizeAddresses());
  manager.addPass(createReadAhead());
  manager.addPass(createUnroll());
}

static LogicalResult checkRoots(ModuleOp module, ArrayRef<std::string> roots) {
  std::vector<std::string> kernels;
  for (auto kernel : module.getOps<KernelDefOp>())
    kernels.push_back(kernel.getSymName().str());
  if (kernels.empty())
    return emitCoded(module.getLoc(), DiagCode::SymbolUndefined, "the program defines no kernel");
  bool ok = true;
  for (const std::string &root : roots) {
    if (llvm::is_contained(kernels, root))
      continue;
    ok = false;
    if (Operation *other = SymbolTable::lookupSymbolIn(module, root))
      emitCoded(other, DiagCode::SymbolKind, "root @")
          << root << " is a '" << getTextName(other) << "', not a kernel that can be compiled";
    else
      emitCoded(module.getLoc(), DiagCode::SymbolUndefined, "there is no root @")
          << root << didYouMean(root, kernels);
  }
  return success(ok);
}

/// A target that a kernel names is a requirement on the one that it is compiled for.
/// What a record overrides would change the code of this kernel only; no lowering looks at it yet.
static LogicalResult refuseOverrides(KernelDefOp kernel, Operation *record) {
  DictionaryAttr overrides = record ? overridesOfRecord(record) : DictionaryAttr();
  if (!overrides || overrides.empty())
    return success();
  InFlightDiagnostic diag = emitCoded(record, DiagCode::TargetUnsupported, "the override '");
  diag << overrides.begin()->getName().getValue() << "' of a target is not supported yet";
  diag.attachNote(kernel.getLoc()) << "kernel @" << kernel.getSymName() << " names the target";
  return diag;
}

static LogicalResult checkTargets(ModuleOp module, const TargetProfile *target,
                                  ArrayRef<std::string> roots) {
  bool ok = true;
  for (auto kernel : module.getOps<KernelDefOp>()) {
    if (!kernel.getTarget() || !target ||
        (!roots.empty() && !llvm::is_contained(roots, kernel.getSymName())))
      continue;
    Operation *record = SymbolTable::lookupSymbolIn(module, *kernel.getTarget());
    if (failed(refuseOverrides(kernel, record))) {
      ok = false;
      continue;
    }
    const TargetProfile *required = record ? profileOfRecord(record) : nullptr;
    if (required && satisfiesTarget(*target, *required))
      continue;
    ok = false;
    InFlightDiagnostic diag = emitCoded(
        kernel, record ? DiagCode::TargetIncompatible : DiagCode::SymbolUndefined, "kernel @");
    diag << kernel.getSymName();
    if (!record) {
      diag << " names target @" << *kernel.getTarget() << ", which is not defined";
      continue;
    }
    diag << " is written for " << spellRecord(record) << ", which "
         << stringifyFamily(target->family) << ':' << target->key << " does not satisfy";
    diag.attachNote(record->getLoc()) << "the target is defined here";
  }
  return success(ok);
}

/// Code is not generated for Low yet: what would need it is refused by name.
static LogicalResult refuseLow(Operation *op) {
  return emitCoded(op, DiagCode::TargetUnsupported, "'")
         << getTextName(op)
         << "' cannot be compiled by this version; it reads, checks and links Low only";
}

static LogicalResult refuseLowKernels(ModuleOp module, ArrayRef<std::string> roots) {
  bool ok = true;
  for (auto kernel : module.getOps<LowKernelDefOp>())
    if (roots.empty() || llvm::is_contained(roots, kernel.getSymName()))
      ok &= succeeded(refuseLow(kernel));
  return success(ok);
}

static LogicalResult refuseInvocations(ModuleOp module) {
  bool ok = true;
  module.walk([&](LowInvokeOp invoke) { ok &= succeeded(refuseLow(invoke)); });
  return success(ok);
}

LogicalResult specializeModule(ModuleOp module, const TargetProfile *target,
                               ArrayRef<std::string> roots) {
  if (failed(refuseLowKernels(module, roots)) || failed(checkRoots(module, roots)) ||
      failed(checkTargets(module, target, roots)))
    return failure();
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // Passes report what they refuse; verifying after each of them would double the time.
  manager.enableVerifier(false);
  buildSourcePipeline(manager, target, roots);
  if (failed(manager.run(module)) || failed(refuseInvocations(module)))
    return failure();
  return verifyModule(module);
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

/// The location that messages of a back end are reported at: the first kernel.
static Location kernelLoc(ModuleOp module) {
  for (auto kernel : module.getOps<KernelDefOp>())
    return kernel.getLoc();
  return module.getLoc();
}

static LogicalResult reportError(ModuleOp module, llvm::Error error) {
  return emitCoded(kernelLoc(module), DiagCode::TargetUnsupported,
                   llvm::toString(std::move(error)));
}

static FailureOr<LoweredModule> lower(ModuleOp module, const TargetProfile &target,
                                      llvm::LLVMContext &context) {
  return target.family == TargetFamily::AMDGPU ? lowerForAMDGPU(module, target, context)
                                               : lowerForX86(module, target, context);
}

/// Moves what the back end found out into the report and adds what only the source knows.
static void recordEntries(ModuleOp module, const LoweredModule &lowered,
                          amdgpu::CodeGenResult &generated, report::CompileReport &report) {
  auto sourceOf = [&](StringRef artifactName) {
    for (auto kernel : module.getOps<KernelDefOp>())
      if (kernel.getArtifactName() == artifactName)
        return kernel.getSymName();
    return artifactName;
  };
  for (report::Entry &entry : generated.entries) {
    for (const LoweredKernel &kernel : lowered.kernels) {
      if (kernel.symbol != entry.targetExport)
        continue;
      for (unsigned i = 0; i < 3; ++i) {
        if (kernel.workgroupSize[i])
          entry.workgroupSize[i] = *kernel.workgroupSize[i];
        if (kernel.workgroupCount[i])
          entry.workgroupCount[i] = *kernel.workgroupCount[i];
      }
    }
    entry.function = entry.sourceFunction = sourceOf(entry.targetExport).str();
  }
  for (report::WaitAction &wait : generated.waits)
    wait.function = sourceOf(wait.function).str();
  report.entries = std::move(generated.entries);
  report.waits = std::move(generated.waits);
  report.waitsRecorded = true;
}

static LogicalResult emitArtifact(ModuleOp module, const CompileRequest &request,
                                  CompileResult &result) {
  llvm::LLVMContext context;
  FailureOr<LoweredModule> lowered = lower(module, *request.target, context);
  if (failed(lowered))
    return failure();
  StringRef format = request.format->name;
  if (format == "llvm-ir") {
    bool amdgpu = request.target->family == TargetFamily::AMDGPU;
    if (llvm::Error error = amdgpu ? amdgpu::prepareModule(*lowered->module, *request.target)
                                   : x86::prepareModule(*lowered->module, *request.target))
      return reportError(module, std::move(error));
    std::string text;
    llvm::raw_string_ostream os(text);
    lowered->module->print(os, nullptr);
    result.artifact.assign(text.begin(), text.end());
    return success();
  }
  bool assembly = format == "amdgpu-asm";
  llvm::Expected<amdgpu::CodeGenResult> generated = amdgpu::compileModule(
      *lowered->module, *request.target,
      assembly ? amdgpu::OutputKind::Assembly : amdgpu::OutputKind::CodeObject,
      lowered->operations);
  if (!generated)
    return reportError(module, generated.takeError());
  result.artifact = std::move(generated->artifact);
  recordEntries(module, *lowered, *generated, result.report);
  return success();
}

LogicalResult compileModule(ModuleOp module, const CompileRequest &request, CompileResult &result) {
  report::CompileReport &report = result.report;
  report.mode = request.reportMode;
  report.targetFamily = stringifyFamily(request.target->family).str();
  report.targetKey = request.target->key;
  report.backend = "llvm";
  report.artifactFormat = request.format->name;
  report.configBindings = request.configBindings;
  report.status = report::makeStatus(report::StatusCode::FailedPrecondition);
  if (failed(specializeModule(module, request.target, request.roots)))
    return failure();
  for (auto kernel : module.getOps<KernelDefOp>())
    llvm::append_range(report.loopPipelines, readLoopPipelines(kernel));
  if (failed(emitArtifact(module, request, result)))
    return failure();
  report.artifactKind = request.format->reportKind;
  report.artifactSize = result.artifact.size();
  report.status = report::makeStatus(report::StatusCode::Ok);
  return success();
}

} // namespace loom
