//===- text_bench.cpp - How fast programs are read and written ------------===//
//
// text_bench PROGRAM: parse, print, verify, and bytecode out and in, each on its own, with lines a
// second where lines are meant. Text and bytecode are loaded into a context of their own, from
// bytes in memory to a whole module; making and taking down context and module is in neither time.
// test/bench/language.py runs it and judges ratios.
//
//===----------------------------------------------------------------------===//
#include "loom/Bytecode/Bytecode.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include "loom/Text/Text.h"
#include "mlir/IR/MLIRContext.h"
#include <benchmark/benchmark.h>

using namespace loom;

namespace {

std::string program;
int64_t lines;

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerLoomDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->disableMultithreading();
  context->loadAllAvailableDialects();
  return context;
}

void countLines(benchmark::State &state) { state.SetItemsProcessed(state.iterations() * lines); }

/// Times `load` alone, which returns a module.
template <typename Load> void timeLoading(benchmark::State &state, Load load) {
  for (auto _ : state) {
    state.PauseTiming();
    auto context = makeContext();
    state.ResumeTiming();
    auto module = load(context.get());
    state.PauseTiming();
    if (!module)
      state.SkipWithError("the program cannot be loaded");
    module = nullptr;
    context = nullptr;
    state.ResumeTiming();
  }
}

void parse(benchmark::State &state) {
  timeLoading(state, [](mlir::MLIRContext *context) {
    return parseSourceText(program, "program.loom", context);
  });
  countLines(state);
}

void parseAndPrint(benchmark::State &state) {
  for (auto _ : state) {
    auto context = makeContext();
    auto module = parseSourceText(program, "program.loom", context.get());
    benchmark::DoNotOptimize(printSourceText(*module));
  }
  countLines(state);
}

void verify(benchmark::State &state) {
  auto context = makeContext();
  auto module = parseSourceText(program, "program.loom", context.get());
  for (auto _ : state)
    benchmark::DoNotOptimize(mlir::succeeded(verifyModule(*module)));
  countLines(state);
}

void writeBinary(benchmark::State &state) {
  auto context = makeContext();
  auto module = parseSourceText(program, "program.loom", context.get());
  for (auto _ : state) {
    std::string bytes;
    benchmark::DoNotOptimize(mlir::succeeded(writeBytecode(*module, bytes)));
  }
}

void readBinary(benchmark::State &state) {
  std::string bytes;
  {
    auto context = makeContext();
    auto module = parseSourceText(program, "program.loom", context.get());
    if (mlir::failed(writeBytecode(*module, bytes)))
      state.SkipWithError("the program cannot be written");
  }
  timeLoading(state, [&](mlir::MLIRContext *context) {
    return readBytecode(llvm::MemoryBufferRef(bytes, "program.loombc"), context);
  });
  state.counters["bytes"] = bytes.size();
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  auto buffer = argc == 2 ? llvm::MemoryBuffer::getFile(argv[1])
                          : llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(
                                std::make_error_code(std::errc::invalid_argument));
  if (!buffer) {
    llvm::errs() << "usage: text_bench [--benchmark_...] PROGRAM\n";
    return 1;
  }
  program = (*buffer)->getBuffer().str();
  lines = llvm::StringRef(program).count('\n');
  for (auto [name, function] :
       {std::pair("parse", parse), std::pair("parse+print", parseAndPrint),
        std::pair("verify", verify), std::pair("write bytecode", writeBinary),
        std::pair("read bytecode", readBinary)})
    benchmark::RegisterBenchmark(name, function)->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}
