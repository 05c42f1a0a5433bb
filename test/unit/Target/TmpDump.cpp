#include "LoweringPrograms.h"
#include "loom/Target/AMDGPU/CodeGen.h"
#include "loom/Text/Text.h"
#include "loom/Compiler/Compiler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
using namespace mlir;
namespace loom::test {
TEST_F(LoweringTest, Dump) {
  const char *file = getenv("LOOM_DUMP");
  if (!file) return;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  ModuleOp module = parse((*buffer)->getBuffer().str());
  const TargetProfile &p = *lookupTargetProfile(getenv("LOOM_TARGET") ? getenv("LOOM_TARGET") : "amdgpu:gfx1151");
  if (failed(specializeModule(module, &p, {}))) { puts(takeErrors().c_str()); return; }
  if (getenv("LOOM_MID")) llvm::outs() << printSourceText(module);
  if (p.family == TargetFamily::X86) {
    llvm::LLVMContext c;
    auto l = lowerForX86(module, p, c);
    if (failed(l)) { puts(takeErrors().c_str()); return; }
    llvm::outs() << *l->module; l->module.reset(); return;
  }
  for (auto kind : {amdgpu::OutputKind::Assembly, amdgpu::OutputKind::CodeObject}) {
    llvm::LLVMContext c;
    auto l = lowerForAMDGPU(module, p, c);
    if (failed(l)) { puts(takeErrors().c_str()); return; }
    if (kind == amdgpu::OutputKind::Assembly && getenv("LOOM_IR")) llvm::outs() << *l->module;
    auto r = amdgpu::compileModule(*l->module, p, kind, l->operations);
    l->module.reset();
    if (!r) { llvm::outs() << llvm::toString(r.takeError()); return; }
    if (kind == amdgpu::OutputKind::Assembly) llvm::outs() << StringRef(r->artifact.data(), r->artifact.size());
  }
}
}
