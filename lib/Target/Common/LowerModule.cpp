//===- LowerModule.cpp - From Loom IR to LLVM IR --------------------------===//
#include "LowerBytes.h"
#include "LowerFragments.h"
#include "LowerKernel.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace loom {

StringRef stringifyArgumentKind(ArgumentKind kind) {
  static constexpr const char *names[] = {"index", "offset", "i1",   "i8",  "i16", "i32",
                                          "i64",   "f16",    "bf16", "f32", "f64", "buffer"};
  return names[static_cast<unsigned>(kind)];
}

ArgumentKind argumentKindOf(Type type) {
  return llvm::TypeSwitch<Type, ArgumentKind>(type)
      .Case([](IndexType) { return ArgumentKind::Index; })
      .Case([](OffsetType) { return ArgumentKind::Offset; })
      .Case([](Float16Type) { return ArgumentKind::F16; })
      .Case([](BFloat16Type) { return ArgumentKind::BF16; })
      .Case([](Float32Type) { return ArgumentKind::F32; })
      .Case([](Float64Type) { return ArgumentKind::F64; })
      .Case([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return ArgumentKind::I1;
        case 8:
          return ArgumentKind::I8;
        case 16:
          return ArgumentKind::I16;
        case 32:
          return ArgumentKind::I32;
        default:
          return ArgumentKind::I64;
        }
      })
      .Default([](Type) { return ArgumentKind::Buffer; });
}

namespace lowering {

/// The target record that `kernel` names, or null.
static Operation *recordOf(KernelDefOp kernel) {
  return lookupRecord(kernel, kernel.getTargetAttr());
}

/// The profile that `kernel` is compiled for in a module for `profile`.
static const TargetProfile &profileOf(KernelDefOp kernel, const TargetProfile &profile) {
  Operation *record = recordOf(kernel);
  const TargetProfile *own = record ? profileForRecord(record, profile) : nullptr;
  return own ? *own : profile;
}

static KernelPlan planKernel(KernelDefOp kernel, const Facts &facts, const TargetProfile &profile,
                             const LoweringTarget &target) {
  KernelPlan plan;
  plan.kernel = kernel;
  plan.info.symbol = kernel.getArtifactName().str();
  for (Type type : kernel.getBody().getArgumentTypes())
    plan.info.arguments.push_back(argumentKindOf(type));
  KernelLaunchConfigOp config = plan.config();
  for (unsigned d = 0; d < 3; ++d) {
    plan.info.workgroupCount[d] = facts.exact(config->getOperand(d));
    plan.info.workgroupSize[d] = facts.exact(config->getOperand(3 + d));
  }
  if (!config.getClusterSize().empty()) {
    plan.info.clusterSize.emplace();
    for (auto [extent, value] : llvm::zip(*plan.info.clusterSize, config.getClusterSize()))
      extent = facts.exact(value).value_or(0);
  }
  plan.buffers = analyzeBuffers(kernel);
  plan.subgroupSize = profileOf(kernel, profile).subgroupSize;
  plan.info.subgroupSize = plan.subgroupSize;
  plan.info.hasLengths = asksForLengths(kernel);
  plan.limits = launchLimits(recordOf(kernel), profile);
  if (target.hasLanes()) {
    plan.lanes = chooseLanes(plan, plan.subgroupSize);
    plan.uniformity = std::make_unique<Uniformity>(
        kernel, facts, UniformityOptions{plan.lanes, plan.subgroupSize, plan.info.workgroupSize});
    auto fragments = std::make_shared<FragmentPlan>(kernel, facts, plan.lanes);
    if (!fragments->fragments().isEmpty())
      plan.fragments = std::move(fragments);
    widenStreams(plan, facts);
    widenLanes(plan, facts);
  }
  return plan;
}

/// Reports kernels that share one name in the artifact.
static LogicalResult checkNames(ArrayRef<KernelPlan> plans) {
  llvm::StringMap<KernelDefOp> seen;
  bool ok = true;
  for (const KernelPlan &plan : plans) {
    auto [it, isNew] = seen.try_emplace(plan.info.symbol, plan.kernel);
    if (isNew)
      continue;
    ok = false;
    KernelDefOp kernel = plan.kernel;
    InFlightDiagnostic diag = emitCoded(kernel, DiagCode::SymbolDuplicate, "two kernels have ");
    diag << "the name \"" << plan.info.symbol << "\" in the artifact";
    diag.attachNote(it->second.getLoc()) << "the first one is here";
  }
  return success(ok);
}

static std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  return translateModuleToLLVMIR(module, context, "loom", /*disableVerification=*/true);
}

FailureOr<LoweredModule> lowerModule(ModuleOp module, const TargetProfile &profile,
                                     LoweringTarget &target, llvm::LLVMContext &context,
                                     const LoweringOptions &options) {
  Facts facts(module);
  std::vector<KernelPlan> plans;
  for (auto kernel : module.getOps<KernelDefOp>()) {
    plans.push_back(planKernel(kernel, facts, profile, target));
    // What is checked is not promised.
    if (options.checks.value)
      for (BufferUse &use : plans.back().buffers)
        use.alignment = 1;
  }
  bool ok = succeeded(checkNames(plans));
  for (const KernelPlan &plan : plans)
    ok &= succeeded(checkKernel(plan, facts, target, profile));
  if (!ok)
    return failure();

  LoweredModule result;
  OwningOpRef<ModuleOp> lowered = ModuleOp::create(UnknownLoc::get(module.getContext()));
  Emitter emitter(*lowered);
  for (const KernelPlan &plan : plans) {
    KernelLowering lowering(plan, facts, target, emitter, result.operations, options, result.sites);
    target.emitKernel(plan, emitter, lowering);
  }
  if (options.verifyIntermediate && failed(mlir::verify(*lowered)))
    return failure();
  result.module = translate(*lowered, context);
  if (!result.module)
    return emitCoded(module.getLoc(), DiagCode::TargetUnsupported,
                     "MLIR could not translate the lowered module to LLVM IR");
  for (KernelPlan &plan : plans) {
    target.finish(plan, *result.module);
    result.kernels.push_back(std::move(plan.info));
  }
  return result;
}

void applyBufferAttributes(llvm::Function &function, ArrayRef<BufferUse> buffers) {
  llvm::LLVMContext &context = function.getContext();
  for (auto [i, use] : llvm::enumerate(buffers)) {
    if (!function.getArg(i)->getType()->isPointerTy())
      continue;
    if (use.isDisjoint)
      function.addParamAttr(i, llvm::Attribute::NoAlias);
    if (!use.isWritten)
      function.addParamAttr(i, use.isRead ? llvm::Attribute::ReadOnly : llvm::Attribute::ReadNone);
    else if (!use.isRead)
      function.addParamAttr(i, llvm::Attribute::WriteOnly);
    if (use.alignment > 1)
      function.addParamAttr(i,
                            llvm::Attribute::getWithAlignment(context, llvm::Align(use.alignment)));
  }
}

} // namespace lowering
} // namespace loom
