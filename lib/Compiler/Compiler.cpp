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
#include "loom/Target/X86/X86Object.h"
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
      {"x86-object", false, true, "hal-kernel-library", "relocatable object for a linker"},
      {"x86-shared-library", false, true, "hal-kernel-library", "library that a program loads"},
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

const ArtifactFormat &defaultArtifactFormat(TargetFamily family) {
  return *lookupArtifactFormat(family == TargetFamily::AMDGPU ? "amdgpu-hsaco"
                                                              : "x86-shared-library");
}

bool hasCHeader(const ArtifactFormat &format) {
  return StringRef(format.reportKind) == "hal-kernel-library";
}

//===----------------------------------------------------------------------===//
// Loom IR
//===----------------------------------------------------------------------===//

void buildSourcePipeline(OpPassManager &manager, const TargetProfile *target,
                         ArrayRef<std::string> roots, const SanitizerChecks &checks) {
  if (checks.value)
    manager.addPass(createSanitizeValues());
  BindConfigOptions config;
  config.roots.assign(roots.begin(), roots.end());
  manager.addPass(createBindConfig(config));
  SpecializeOptions options;
  if (target)
    options.target = (stringifyFamily(target->family) + ":" + target->key).str();
  options.roots.assign(roots.begin(), roots.end());
  options.checkFacts = checks.value;
  manager.addPass(createSpecialize(options));
  manager.addPass(createStaticExtents());
  manager.addPass(createCarryStrides());
  if (checks.access)
    manager.addPass(createSanitizeAccesses());
  LinearizeAddressesOptions addresses;
  addresses.keepDense = checks.access;
  manager.addPass(createLinearizeAddresses(addresses));
  manager.addPass(createReadAhead());
  manager.addPass(createUnroll());
  // Extents that count iterations are known now; what is not known yet never will be.
  StaticExtentsOptions extents;
  extents.complete = target != nullptr;
  manager.addPass(createStaticExtents(extents));
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
      emitCoded(UnknownLoc::get(module.getContext()), DiagCode::SymbolUndefined,
                "there is no root @")
          << root << didYouMean(root, kernels);
  }
  return success(ok);
}

/// What a record overrides is for the kernels that name it.
static LogicalResult checkOverrides(KernelDefOp kernel, Operation *record,
                                    const TargetProfile &target) {
  DictionaryAttr overrides = record ? overridesOfRecord(record) : DictionaryAttr();
  for (NamedAttribute entry : overrides ? overrides.getValue() : ArrayRef<NamedAttribute>()) {
    std::optional<std::string> problem = findOverrideProblem(record, entry, target);
    if (!problem)
      continue;
    InFlightDiagnostic diag = emitCoded(record, DiagCode::TargetUnsupported, "the override '");
    diag << entry.getName().getValue() << "' of a target " << *problem;
    diag.attachNote(kernel.getLoc()) << "kernel @" << kernel.getSymName() << " names the target";
    return diag;
  }
  return success();
}

/// A target that a kernel names is a requirement on the one that it is compiled for.
static LogicalResult checkTargets(ModuleOp module, const TargetProfile *target,
                                  ArrayRef<std::string> roots) {
  bool ok = true;
  for (auto kernel : module.getOps<KernelDefOp>()) {
    if (!kernel.getTarget() || !target ||
        (!roots.empty() && !llvm::is_contained(roots, kernel.getSymName())))
      continue;
    Operation *record = SymbolTable::lookupSymbolIn(module, *kernel.getTarget());
    if (failed(checkOverrides(kernel, record, *target))) {
      ok = false;
      continue;
    }
    if (record && profileForRecord(record, *target))
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
                               ArrayRef<std::string> roots, const SanitizerChecks &checks) {
  if (failed(refuseLowKernels(module, roots)) || failed(checkRoots(module, roots)) ||
      failed(checkTargets(module, target, roots)))
    return failure();
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // Passes report what they refuse; verifying after each of them would double the time.
  manager.enableVerifier(false);
  buildSourcePipeline(manager, target, roots, checks);
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

static LoweringOptions loweringOptions(const CompileRequest &request) {
  LoweringOptions options;
  options.checks = request.checks;
  return options;
}

static FailureOr<LoweredModule> lower(ModuleOp module, const CompileRequest &request,
                                      llvm::LLVMContext &context) {
  const TargetProfile &target = *request.target;
  LoweringOptions options = loweringOptions(request);
  return target.family == TargetFamily::AMDGPU ? lowerForAMDGPU(module, target, context, options)
                                               : lowerForX86(module, target, context, options);
}

/// The symbol in the source of the kernel with that name in the artifact.
static StringRef sourceOf(ModuleOp module, StringRef artifactName) {
  for (auto kernel : module.getOps<KernelDefOp>())
    if (kernel.getArtifactName() == artifactName)
      return kernel.getSymName();
  return artifactName;
}

/// Adds to the entry of `kernel` what only the source knows.
static void recordSource(ModuleOp module, const LoweredKernel &kernel, report::Entry &entry) {
  for (unsigned i = 0; i < 3; ++i) {
    if (kernel.workgroupSize[i])
      entry.workgroupSize[i] = *kernel.workgroupSize[i];
    if (kernel.workgroupCount[i])
      entry.workgroupCount[i] = *kernel.workgroupCount[i];
  }
  entry.function = entry.sourceFunction = sourceOf(module, kernel.symbol).str();
}

/// Moves what the back end found out into the report.
static void recordEntries(ModuleOp module, const LoweredModule &lowered,
                          amdgpu::CodeGenResult &generated, report::CompileReport &report) {
  for (report::Entry &entry : generated.entries)
    for (const LoweredKernel &kernel : lowered.kernels)
      if (kernel.symbol == entry.targetExport)
        recordSource(module, kernel, entry);
  for (report::WaitAction &wait : generated.waits)
    wait.function = sourceOf(module, wait.function).str();
  report.entries = std::move(generated.entries);
  report.waits = std::move(generated.waits);
  report.waitsRecorded = true;
}

static LogicalResult emitHostObject(ModuleOp module, const CompileRequest &request,
                                    CompileResult &result) {
  bool isLibrary = StringRef(request.format->name) == "x86-shared-library";
  FailureOr<x86::ObjectFile> object =
      x86::compileObject(module, *request.target,
                         isLibrary ? x86::ObjectForm::SharedLibrary : x86::ObjectForm::Relocatable,
                         request.wantsCHeader, loweringOptions(request));
  if (failed(object))
    return failure();
  result.artifact = std::move(object->bytes);
  result.cHeader = std::move(object->header);
  for (auto [kernel, storage] : llvm::zip_equal(object->kernels, object->fixedStorageBytes)) {
    report::Entry &entry = result.report.entries.emplace_back();
    entry.targetExport = kernel.symbol;
    entry.kernargBytes = 8 * (kernel.arguments.size() + kernel.lengthCount());
    entry.localBytes = storage;
    entry.subgroupSize = kernel.subgroupSize;
    recordSource(module, kernel, entry);
  }
  return success();
}

static LogicalResult emitArtifact(ModuleOp module, const CompileRequest &request,
                                  CompileResult &result) {
  if (hasCHeader(*request.format))
    return emitHostObject(module, request, result);
  llvm::LLVMContext context;
  FailureOr<LoweredModule> lowered = lower(module, request, context);
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
  amdgpu::SourceOperations names;
  for (const LoweredOperation &operation : lowered->operations)
    names.push_back(operation.name);
  llvm::Expected<amdgpu::CodeGenResult> generated = amdgpu::compileModule(
      *lowered->module, *request.target,
      assembly ? amdgpu::OutputKind::Assembly : amdgpu::OutputKind::CodeObject, names);
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
  if (failed(specializeModule(module, request.target, request.roots, request.checks)))
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
