//===- X86Device.cpp - The processor as a device --------------------------===//
#include "loom/Runtime/X86Device.h"
#include "loom/Compiler/Compiler.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Target/X86/X86Device.h"
#include "mlir/IR/OwningOpRef.h"

namespace loom::runtime {
using namespace mlir;

/// A kernel that was asked for, compiled or refused.
struct X86Device::Kernel {
  std::string symbol;
  OwningOpRef<ModuleOp> module; ///< specialized for this kernel
  KernelDefOp op;
  std::optional<x86::CompiledKernels> code;
  const x86::CompiledKernel *entry = nullptr;
  std::optional<Issue> refusal;
};

X86Device::X86Device(ModuleOp module, const TargetProfile &profile)
    : module(module), profile(profile) {}
X86Device::~X86Device() = default;

LaunchLimits X86Device::limits() const {
  LaunchLimits limits;
  limits.flatWorkgroupSize = profile.maxFlatWorkgroupSize;
  llvm::copy(profile.maxWorkgroupSize, limits.workgroupSize.begin());
  return limits;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// The first error that is reported on a context while this exists, with its place. Everything
/// reported goes on to the handlers before.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diag) {
          if (text.empty() && diag.getSeverity() == DiagnosticSeverity::Error)
            text = describe(diag);
          return failure();
        }) {}

  std::string text;

private:
  static std::string describe(Diagnostic &diag) {
    std::string place;
    if (FileLineColLoc file = getFileLoc(diag.getLocation()))
      place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
               Twine(file.getColumn()) + ": ")
                  .str();
    return place + diag.str();
  }

  ScopedDiagnosticHandler handler;
};
} // namespace

std::unique_ptr<X86Device::Kernel> X86Device::compile(StringRef symbol) {
  auto kernel = std::make_unique<Kernel>();
  kernel->symbol = symbol.str();
  kernel->module = module.clone();
  FirstError error(module.getContext());
  if (succeeded(specializeModule(*kernel->module, &profile, {kernel->symbol}))) {
    kernel->op = kernel->module->lookupSymbol<KernelDefOp>(symbol);
    if (FailureOr<x86::CompiledKernels> code = x86::compileKernels(*kernel->module, profile);
        succeeded(code)) {
      kernel->code = std::move(*code);
      kernel->entry = kernel->code->lookup(kernel->op.getArtifactName());
    }
  }
  if (!kernel->entry) {
    Issue issue;
    issue.category = Issue::Category::CompileRejected;
    issue.provider = name().str();
    issue.stage = "compile";
    issue.message = error.text.empty() ? "@" + kernel->symbol + " was not compiled" : error.text;
    kernel->refusal = std::move(issue);
  }
  return kernel;
}

const X86Device::Kernel *X86Device::find(StringRef symbol) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->symbol == symbol)
      return kernel.get();
  return nullptr;
}

std::optional<Issue> X86Device::prepare(StringRef symbol) {
  if (!find(symbol))
    kernels.push_back(compile(symbol));
  return find(symbol)->refusal;
}

KernelDefOp X86Device::specialized(StringRef symbol) const {
  const Kernel *kernel = find(symbol);
  return kernel ? kernel->op : KernelDefOp();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// One slot of 8 bytes for each parameter: the bits of a scalar, the address of a tensor.
static std::vector<uint64_t> argumentBlock(ArrayRef<Argument> arguments) {
  std::vector<uint64_t> block;
  for (const Argument &argument : arguments) {
    if (auto *scalar = std::get_if<Scalar>(&argument))
      block.push_back(scalar->bits());
    else
      block.push_back(reinterpret_cast<uintptr_t>(std::get<Tensor *>(argument)->data()));
  }
  return block;
}

std::optional<Issue> X86Device::launch(const Launch &launch) {
  if (std::optional<Issue> refusal = prepare(launch.kernel))
    return refusal;
  const x86::CompiledKernel &entry = *find(launch.kernel)->entry;
  assert(entry.info.arguments.size() == launch.arguments.size() && "one argument a parameter");
  const LaunchGeometry &geometry = launch.geometry;
  int64_t groups;
  if (llvm::MulOverflow(geometry.workgroups[0], geometry.workgroups[1], groups) ||
      llvm::MulOverflow(groups, geometry.workgroups[2], groups)) {
    Issue issue;
    issue.provider = name().str();
    issue.stage = "launch";
    issue.kind = "too_many_workgroups";
    issue.message = "@" + launch.kernel.str() + " is launched with more than 2^63 - 1 workgroups";
    return issue;
  }
  std::vector<uint64_t> block = argumentBlock(launch.arguments);
  entry.run(block.data(), 0, groups, geometry.workgroups.data(), geometry.workgroupSize.data());
  return std::nullopt;
}

} // namespace loom::runtime
