//===- X86Device.cpp - Kernels that run in this process -------------------===//
#include "loom/Target/X86/X86Device.h"
#include "loom/IR/Diagnostics.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace llvm::orc;

namespace loom::x86 {

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

struct CompiledKernels::Code {
  explicit Code(std::unique_ptr<ExecutorProcessControl> control)
      : session(std::move(control)),
        layer(session, session.getExecutorProcessControl().getMemMgr()) {
    session.setErrorReporter([this](Error error) {
      errors += (errors.empty() ? "" : "; ") + toString(std::move(error));
    });
  }
  ~Code() { consumeError(session.endSession()); }

  std::string errors;
  SmallVector<char, 0> object; ///< as it was before it was linked
  std::vector<LoweredOperation> operations;
  ExecutionSession session;
  ObjectLinkingLayer layer;
};

CompiledKernels::CompiledKernels(std::vector<CompiledKernel> list, std::unique_ptr<Code> code)
    : list(std::move(list)), code(std::move(code)), range(findCode()) {}
CompiledKernels::CompiledKernels(CompiledKernels &&) noexcept = default;
CompiledKernels &CompiledKernels::operator=(CompiledKernels &&) noexcept = default;
CompiledKernels::~CompiledKernels() = default;

const CompiledKernel *CompiledKernels::lookup(StringRef symbol) const {
  for (const CompiledKernel &kernel : list)
    if (kernel.info.symbol == symbol)
      return &kernel;
  return nullptr;
}

/// The section of `object` with the code of the function `symbol`, and where the function begins in
/// it.
static std::optional<std::pair<object::SectionRef, uint64_t>>
findFunction(const object::ObjectFile &object, StringRef symbol) {
  for (const object::SymbolRef &candidate : object.symbols()) {
    Expected<StringRef> name = candidate.getName();
    Expected<uint64_t> value = candidate.getValue();
    Expected<object::section_iterator> section = candidate.getSection();
    bool isKnown = name && value && section;
    if (!isKnown)
      consumeError(
          joinErrors(joinErrors(name.takeError(), value.takeError()), section.takeError()));
    else if (*name == symbol && *section != object.section_end())
      return std::pair(**section, *value);
  }
  return std::nullopt;
}

/// The place of the instruction at `address`, which is in the section of one of the kernels.
static std::optional<object::SectionedAddress>
locate(const object::ObjectFile &object, ArrayRef<CompiledKernel> kernels, uint64_t address) {
  for (const CompiledKernel &kernel : kernels) {
    auto function = findFunction(object, kernel.info.symbol);
    if (!function)
      continue;
    // A section is loaded as one piece.
    uint64_t begin = reinterpret_cast<uintptr_t>(kernel.run) - function->second;
    if (address >= begin && address - begin < function->first.getSize())
      return object::SectionedAddress{address - begin, function->first.getIndex()};
  }
  return std::nullopt;
}

/// From the first section with a kernel to the end of the last one.
std::pair<uint64_t, uint64_t> CompiledKernels::findCode() const {
  MemoryBufferRef buffer(StringRef(code->object.data(), code->object.size()), "kernels");
  auto object = object::ObjectFile::createELFObjectFile(buffer);
  std::pair<uint64_t, uint64_t> range = {UINT64_MAX, 0};
  if (!object)
    consumeError(object.takeError());
  else
    for (const CompiledKernel &kernel : list)
      if (auto function = findFunction(**object, kernel.info.symbol)) {
        uint64_t begin = reinterpret_cast<uintptr_t>(kernel.run) - function->second;
        range.first = std::min(range.first, begin);
        range.second = std::max(range.second, begin + function->first.getSize());
      }
  return range;
}

const LoweredOperation *CompiledKernels::operationAt(uint64_t address) const {
  MemoryBufferRef buffer(StringRef(code->object.data(), code->object.size()), "kernels");
  auto object = object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    consumeError(object.takeError());
    return nullptr;
  }
  std::optional<object::SectionedAddress> place = locate(**object, list, address);
  if (!place)
    return nullptr;
  auto ignore = [](Error error) { consumeError(std::move(error)); };
  auto context = DWARFContext::create(**object, DWARFContext::ProcessDebugRelocations::Process,
                                      nullptr, "", ignore, ignore);
  std::optional<DILineInfo> info = context->getLineInfoForAddress(*place);
  // Line 0 is code of no operation.
  bool isKnown = info && info->Line >= 1 && info->Line <= code->operations.size();
  return isKnown ? &code->operations[info->Line - 1] : nullptr;
}

/// The functions that LLVM may call in place of a loop. Nothing else of this process is visible to
/// kernels.
static SymbolMap runtimeFunctions(ExecutionSession &session) {
  JITSymbolFlags flags = JITSymbolFlags::Exported | JITSymbolFlags::Callable;
  return {{session.intern("memcpy"), {ExecutorAddr::fromPtr(&std::memcpy), flags}},
          {session.intern("memmove"), {ExecutorAddr::fromPtr(&std::memmove), flags}},
          {session.intern("memset"), {ExecutorAddr::fromPtr(&std::memset), flags}}};
}

Expected<CompiledKernels> loadKernels(ArrayRef<char> object, ArrayRef<LoweredKernel> kernels,
                                      std::vector<LoweredOperation> operations) {
  // Everything happens in the calling thread.
  auto control =
      SelfExecutorProcessControl::Create(nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!control)
    return control.takeError();
  auto code = std::make_unique<CompiledKernels::Code>(std::move(*control));
  code->object.assign(object.begin(), object.end());
  code->operations = std::move(operations);
  ExecutionSession &session = code->session;
  JITDylib &library = session.createBareJITDylib("kernels");
  if (Error error = library.define(absoluteSymbols(runtimeFunctions(session))))
    return error;
  auto buffer = MemoryBuffer::getMemBufferCopy(StringRef(object.data(), object.size()), "kernels");
  if (Error error = code->layer.add(library, std::move(buffer)))
    return error;
  std::vector<CompiledKernel> list;
  for (const LoweredKernel &kernel : kernels) {
    Expected<ExecutorSymbolDef> symbol = session.lookup({&library}, kernel.symbol);
    if (!symbol) {
      std::string message = toString(symbol.takeError());
      return createStringError(code->errors.empty() ? message : message + ": " + code->errors);
    }
    list.push_back({kernel, symbol->getAddress().toPtr<KernelFunction>()});
  }
  return CompiledKernels(std::move(list), std::move(code));
}

//===----------------------------------------------------------------------===//
// The whole way
//===----------------------------------------------------------------------===//

static Expected<CompiledKernels> compile(LoweredModule &lowered, const TargetProfile &profile) {
  Expected<SmallVector<char, 0>> object =
      emitObject(*lowered.module, profile, /*withLineTable=*/true);
  if (!object)
    return object.takeError();
  return loadKernels(*object, lowered.kernels, std::move(lowered.operations));
}

mlir::FailureOr<CompiledKernels> compileKernels(mlir::ModuleOp module, const TargetProfile &profile,
                                                const LoweringOptions &options) {
  auto report = [&](Error error) {
    emitCoded(module.getLoc(), DiagCode::TargetUnsupported, toString(std::move(error)));
    return mlir::failure();
  };
  if (Error error = checkHost(profile))
    return report(std::move(error));
  LLVMContext context;
  mlir::FailureOr<LoweredModule> lowered = lowerForX86(module, profile, context, options);
  if (mlir::failed(lowered))
    return mlir::failure();
  Expected<CompiledKernels> kernels = compile(*lowered, profile);
  // The LLVM module has to go before its context.
  lowered->module.reset();
  if (!kernels)
    return report(kernels.takeError());
  kernels->siteList = std::move(lowered->sites);
  return std::move(*kernels);
}

} // namespace loom::x86
