//===- X86Object.cpp - Kernels that other programs call -------------------===//
#include "loom/Target/X86/X86Object.h"
#include "CHeader.h"
#include "LaunchFunction.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Target/Common/LinkedTargets.h"
#include "loom/Target/ELF/LinkShared.h"
#include "loom/Target/X86/X86Device.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"

namespace loom::x86 {
using namespace mlir;

/// What LLVM may call in place of a loop. Every C program has them.
static bool isRuntimeFunction(StringRef name) {
  return name == "memcpy" || name == "memmove" || name == "memset";
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The kernels in the order of `infos`; fails after reporting names that the object cannot have.
static FailureOr<SmallVector<KernelDefOp>> collectKernels(ModuleOp module,
                                                          ArrayRef<LoweredKernel> infos) {
  SmallVector<KernelDefOp> kernels = llvm::to_vector(module.getOps<KernelDefOp>());
  llvm::StringSet<> symbols;
  for (const LoweredKernel &info : infos)
    symbols.insert(info.symbol);
  bool ok = true;
  for (auto [kernel, info] : llvm::zip_equal(kernels, infos)) {
    if (isRuntimeFunction(info.symbol)) {
      ok = false;
      emitCoded(kernel, DiagCode::SymbolDuplicate, "the exported name ")
          << info.symbol << " is that of a function of the C library, which kernels call";
    }
    if (symbols.contains(launchFunctionName(info.symbol))) {
      ok = false;
      emitCoded(kernel, DiagCode::SymbolDuplicate, "the launch configuration of @")
          << kernel.getSymName() << " is exported as " << launchFunctionName(info.symbol)
          << ", which is the name of another kernel";
    }
  }
  if (!ok)
    return failure();
  return kernels;
}

/// Only entries and launch configurations stay visible.
static void hideEverythingElse(llvm::Module &module, ArrayRef<LoweredKernel> infos) {
  llvm::StringSet<> exported;
  for (const LoweredKernel &info : infos) {
    exported.insert(info.symbol);
    exported.insert(launchFunctionName(info.symbol));
  }
  for (llvm::GlobalValue &value : module.global_values()) {
    if (value.isDeclaration() || value.hasLocalLinkage() || exported.contains(value.getName()))
      continue;
    value.setLinkage(llvm::GlobalValue::InternalLinkage);
    value.setVisibility(llvm::GlobalValue::DefaultVisibility);
  }
}

/// Fails when the object needs a function that the program around it need not have.
static llvm::Error checkImports(ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), "kernels");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return llvm::joinErrors(flags.takeError(), name.takeError());
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() &&
        !isRuntimeFunction(*name))
      return llvm::createStringError("the code of the kernels calls '" + *name +
                                     "', which programs that use an x86 object need not have");
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The whole way
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<char>> emit(llvm::Module &module, const TargetProfile &profile,
                                              ObjectForm form) {
  llvm::Expected<llvm::SmallVector<char, 0>> object = emitObject(module, profile);
  if (!object)
    return object.takeError();
  if (llvm::Error error = checkImports(*object))
    return error;
  if (form == ObjectForm::Relocatable)
    return std::vector<char>(object->begin(), object->end());
  std::lock_guard<std::mutex> lock(backendMutex());
  return elf::linkShared(*object, {"-Bsymbolic", "-znow"});
}

FailureOr<ObjectFile> compileObject(ModuleOp module, const TargetProfile &profile, ObjectForm form,
                                    bool wantsHeader, const LoweringOptions &options) {
  llvm::LLVMContext context;
  FailureOr<LoweredModule> lowered = lowerForX86(module, profile, context, options);
  if (failed(lowered))
    return failure();
  FailureOr<SmallVector<KernelDefOp>> kernels = collectKernels(module, lowered->kernels);
  if (failed(kernels))
    return failure();
  bool ok = true;
  ObjectFile result;
  Facts facts(module);
  for (auto [kernel, info] : llvm::zip_equal(*kernels, lowered->kernels)) {
    int64_t storage = fixedStorageBytes(kernel, facts);
    result.fixedStorageBytes.push_back(storage);
    ok &= succeeded(addLaunchFunction(kernel, info, storage, profile, *lowered->module));
  }
  if (wantsHeader) {
    FailureOr<std::string> header = writeCHeader(*kernels, lowered->kernels, profile);
    ok &= succeeded(header);
    if (succeeded(header))
      result.header = std::move(*header);
  }
  if (!ok)
    return failure();
  hideEverythingElse(*lowered->module, lowered->kernels);
  llvm::Expected<std::vector<char>> bytes = emit(*lowered->module, profile, form);
  if (!bytes) {
    Location place = kernels->empty() ? module.getLoc() : kernels->front().getLoc();
    return emitCoded(place, DiagCode::TargetUnsupported, llvm::toString(bytes.takeError()));
  }
  result.bytes = std::move(*bytes);
  result.kernels = std::move(lowered->kernels);
  return result;
}

} // namespace loom::x86
