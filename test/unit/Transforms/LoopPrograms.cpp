#include "LoopPrograms.h"
#include "LoopInterpreter.h"
#include "loom/Text/Text.h"
#include "loom/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <cstring>

namespace loom::test {
using namespace mlir;

static const char *bodyText(Body body) {
  switch (body) {
  case Body::Scalar:
    return "    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "    %next = scalar.addf %sum, %value : f32\n";
  case Body::Vector:
    return "    %value = vector.load %vectors[%row, %lane, %zero] : view<64x32x4xf32> -> "
           "vector<4xf32>\n"
           "    %next = vector.reduce<addf> %value, %sum : vector<4xf32>, f32\n";
  case Body::Weighted:
    return "    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "    %faded = scalar.mulf %sum, %weight : f32\n"
           "    %next = scalar.addf %faded, %value : f32\n";
  case Body::TwoReads:
    return "    %a = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "    %b = view.load %values[%row, 3] : view<64x32xf32> -> f32\n"
           "    %product = scalar.mulf %a, %b : f32\n"
           "    %next = scalar.addf %sum, %product : f32\n";
  case Body::Indexed:
    return "    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "    %number = index.cast %row : index to i32\n"
           "    %scale = scalar.sitofp %number : i32 to f32\n"
           "    %product = scalar.mulf %value, %scale : f32\n"
           "    %next = scalar.addf %sum, %product : f32\n";
  case Body::Guarded:
    return "    %bit = index.div %row, %two : index\n"
           "    %even = index.mul %bit, %two : index\n"
           "    %wanted = index.cmp eq, %row, %even : index\n"
           "    %value = scf.if %wanted -> (f32) {\n"
           "      %read = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "      scf.yield %read : f32\n"
           "    } else {\n"
           "      scf.yield %initial : f32\n"
           "    }\n"
           "    %next = scalar.addf %sum, %value : f32\n";
  case Body::Chained:
    return "    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "    %product = scalar.mulf %other, %value : f32\n"
           "    %next = scalar.addf %sum, %product : f32\n";
  case Body::Nested:
    return "    %value = scf.for %column = [%zero to %lane step %one](%part = %initial : f32) -> "
           "(f32) pipeline(%two) unroll(%two) {\n"
           "      %read = view.load %values[%row, %column] : view<64x32xf32> -> f32\n"
           "      %more = scalar.addf %part, %read : f32\n"
           "      scf.yield %more : f32\n"
           "    }\n"
           "    %next = scalar.addf %sum, %value : f32\n";
  case Body::Collective:
    return "    %value = view.load %values[%row, %lane] : view<64x32xf32> -> f32\n"
           "    %all = kernel.subgroup.reduce<addf> %value : f32\n"
           "    %next = scalar.addf %sum, %all : f32\n";
  }
  return "";
}

static std::string constant(const std::string &name, int64_t value, const std::string &type) {
  return "  %" + name + " = index.constant " + std::to_string(value) + " : " + type + "\n";
}

std::string LoopProgram::text() const {
  bool chained = body == Body::Chained, isOffset = bounds == Bounds::Offset;
  std::string type = isOffset ? "offset" : "index";
  std::string out = "kernel.def @k() {\n  %unit = index.constant 1 : index\n"
                    "  %width = index.constant 32 : index\n"
                    "  kernel.launch.config workgroups(%unit, %unit, %unit) "
                    "workgroup_size(%width, %unit, %unit) : index\n"
                    "} launch(%from: index, %to: index, %input: buffer, %output: buffer) {\n"
                    "  %lane = kernel.workitem.id<x> : index\n"
                    "  %base = index.constant 0 : offset\n"
                    "  %values = buffer.view %input[%base] : buffer -> view<64x32xf32>\n"
                    "  %vectors = buffer.view %input[%base] : buffer -> view<64x32x4xf32>\n"
                    "  %sums = buffer.view %output[%base] : buffer -> view<1xf32>\n"
                    "  %initial = scalar.constant 0.0 : f32\n"
                    "  %weight = scalar.constant 0.6 : f32\n";
  out += constant("zero", 0, "index") + constant("one", 1, "index") + constant("two", 2, "index");
  out += constant("depth", depth, "index") + constant("step", step, type);
  if (factor)
    out += constant("factor", *factor, "index");
  switch (bounds) {
  case Bounds::Count:
    out += constant("begin", 0, type);
    out += "  %end = index.assume %to [range(%to, 0, 64)] : index\n";
    break;
  case Bounds::Free:
    out += "  %begin = index.assume %from [] : index\n  %end = index.assume %to [] : index\n";
    break;
  case Bounds::Exact:
    out += constant("begin", first, type) + constant("end", last, type);
    break;
  case Bounds::Offset:
    out += constant("begin", 0, type) + "  %end = index.cast %to : index to offset\n";
    break;
  }
  out += chained ? "  %result, %final" : "  %result";
  out += " = scf.for %at = [%begin to %end step %step](%sum = %initial : f32";
  out += chained ? ", %other = %initial : f32) -> (f32, f32)" : ") -> (f32)";
  out += " pipeline(%depth) unroll";
  out += factor ? "(%factor)" : "";
  out += " schedule(" + schedule + ") {\n";
  out += isOffset ? "    %row = index.cast %at : offset to index\n"
                  : "    %row = index.sub %at, %begin : index\n";
  out += bodyText(body);
  out += chained ? "    scf.yield %next, %value : f32, f32\n" : "    scf.yield %next : f32\n";
  out += "  }\n  view.store %result, %sums[0] : f32, view<1xf32>\n  kernel.return\n}\n";
  return out;
}

std::string LoopProgram::describe() const {
  return "body " + std::to_string(int(body)) + " bounds " + std::to_string(int(bounds)) +
         " depth " + std::to_string(depth) + " factor " +
         (factor ? std::to_string(*factor) : "full") + " step " + std::to_string(step) + " " +
         schedule;
}

OwningOpRef<ModuleOp> build(MLIRContext &context, const std::string &text,
                            const std::string &passes) {
  static bool registered =
      (registerLinearizeAddresses(), registerReadAhead(), registerUnroll(), true);
  (void)registered;
  OwningOpRef<ModuleOp> module = parseSourceText(text, "test.loom", &context);
  if (!module || failed(verify(*module)))
    return {};
  if (passes.empty())
    return module;
  PassManager manager(&context, ModuleOp::getOperationName());
  if (failed(parsePassPipeline(passes, manager)) || failed(manager.run(*module)))
    return {};
  return module;
}

KernelDefOp onlyKernel(ModuleOp module) { return *module.getBody()->getOps<KernelDefOp>().begin(); }

std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    // All bits of sign and mantissa, so that sums round.
    uint32_t random = engine(), exponent = 127 - 2 + engine() % 5;
    uint32_t bits = (random & 0x807fffff) | exponent << 23;
    std::memcpy(&values.emplace_back(), &bits, sizeof bits);
  }
  return values;
}

Outcome runLoop(KernelDefOp kernel, const LoopProgram &program, int64_t first, int64_t last) {
  static const std::vector<float> input = randomFloats(64 * 32 * 4, 1);
  size_t rowSize = program.body == Body::Vector ? 32 * 4 : 32;
  __int128 rows = 0;
  if (first < last)
    rows = (__int128(last) - first - 1) / program.step * program.step + 1;
  LoopInterpreter interpreter;
  interpreter.workitem = program.lane;
  interpreter.buffers.resize(2);
  interpreter.buffers[0].assign(input.begin(), input.begin() + size_t(rows) * rowSize);
  interpreter.buffers[1] = {-1};
  interpreter.run(kernel, {first, last, 0, 1});
  return {interpreter.error, interpreter.buffers[1][0], interpreter.reads};
}

} // namespace loom::test
