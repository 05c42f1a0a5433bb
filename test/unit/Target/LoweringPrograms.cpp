//===- LoweringPrograms.cpp - Small programs, lowered and run -------------===//
#include "LoweringPrograms.h"
#include "loom/IR/Loom.h"
#include "loom/Text/Text.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace loom::test {

static DialectRegistry dialects() {
  DialectRegistry registry;
  registerLoomDialects(registry);
  return registry;
}

LoweringTest::LoweringTest()
    : context(dialects(), MLIRContext::Threading::DISABLED), errorStream(errors),
      diagnostics(std::make_unique<DiagnosticEngineScope>(&context, errorStream)) {
  context.loadAllAvailableDialects();
}

ModuleOp LoweringTest::parse(const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceText(text, "test.loom", &context);
  if (!module || failed(verifyModule(*module))) {
    ADD_FAILURE() << takeErrors() << text;
    return {};
  }
  modules.push_back(std::move(module));
  return *modules.back();
}

std::string LoweringTest::takeErrors() {
  std::string result;
  std::swap(result, errors);
  return result;
}

const TargetProfile &LoweringTest::x86() { return *lookupTargetProfile("x86:native"); }
const TargetProfile &LoweringTest::amdgpu() { return *lookupTargetProfile("amdgpu:gfx1151"); }

x86::CompiledKernels LoweringTest::compile(const std::string &text) {
  ModuleOp module = parse(text);
  FailureOr<x86::CompiledKernels> kernels = failure();
  if (module)
    kernels = x86::compileKernels(module, x86());
  if (failed(kernels)) {
    ADD_FAILURE() << takeErrors();
    std::abort(); // there is nothing to return
  }
  return std::move(*kernels);
}

std::string LoweringTest::lowerToText(const std::string &text, const TargetProfile &profile) {
  ModuleOp module = parse(text);
  if (!module)
    return "";
  llvm::LLVMContext llvmContext;
  LoweringOptions options;
  options.verifyIntermediate = true;
  auto lower = profile.family == TargetFamily::AMDGPU ? lowerForAMDGPU : lowerForX86;
  FailureOr<LoweredModule> lowered = lower(module, profile, llvmContext, options);
  if (failed(lowered)) {
    ADD_FAILURE() << takeErrors();
    return "";
  }
  std::string ir;
  llvm::raw_string_ostream(ir) << *lowered->module;
  return ir;
}

void launch(const x86::CompiledKernels &kernels, const std::string &symbol, int64_t groups,
            const Arguments &arguments) {
  const x86::CompiledKernel *kernel = kernels.lookup(symbol);
  ASSERT_NE(kernel, nullptr);
  const int64_t grid[3] = {groups, 1, 1};
  int64_t size[3];
  for (unsigned d = 0; d < 3; ++d)
    size[d] = kernel->info.workgroupSize[d].value_or(1);
  kernel->run(arguments.data(), 0, groups, grid, size);
}

std::string elementwise(const std::vector<std::string> &elements, const std::string &body,
                        int64_t size) {
  std::string parameters, views;
  for (size_t i = 0; i < elements.size(); ++i) {
    std::string number = std::to_string(i);
    parameters += ", %b" + number + ": buffer";
    views += "  %v" + number + " = buffer.view %b" + number + "[%base] : buffer -> view<[%n]x" +
             elements[i] + ">\n";
  }
  return R"(
kernel.def export("k") @k(%n: index) {
  %one = index.constant 1 : index
  %size = index.constant )" +
         std::to_string(size) + R"( : index
  %pad = index.constant )" +
         std::to_string(size - 1) + R"( : index
  %padded = index.add %n, %pad : index
  %groups = index.div %padded, %size : index
  kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%n: index)" +
         parameters + R"() {
  %base = index.constant 0 : offset
)" + views +
         R"(  %i = kernel.workitem.dispatch.id<x> : index
  %inside = index.cmp slt, %i, %n : index
  scf.if %inside {
)" + body +
         R"(
  }
  kernel.return
}
)";
}

} // namespace loom::test
