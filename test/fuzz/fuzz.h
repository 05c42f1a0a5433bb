//===- fuzz.h - What the fuzz targets share ---------------------*- C++ -*-===//
#ifndef LOOM_TEST_FUZZ_FUZZ_H
#define LOOM_TEST_FUZZ_FUZZ_H

#include "loom/Bytecode/Bytecode.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include "loom/Text/Text.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace loom {

/// A context with every dialect, and diagnostics that go nowhere. Contexts are made anew after a
/// number of inputs, since types and attributes of old ones stay in memory.
class FuzzContext {
public:
  FuzzContext() : engine(&shared(), llvm::nulls()) {}

  mlir::MLIRContext *context() { return &shared(); }

  /// Stops the process when `printed`, the text of `module`, does not read back to the same text,
  /// or when bytecode changes it.
  void expectSameProgram(mlir::ModuleOp module, const std::string &printed) {
    auto again = parseSourceText(printed, "fuzz.loom", context());
    if (!again || mlir::failed(verifyModule(*again)))
      fail("the canonical text does not read back", printed);
    if (printSourceText(*again) != printed)
      fail("the canonical text is no fixed point", printed);
    std::string bytes;
    if (mlir::failed(writeBytecode(module, bytes)))
      fail("the module cannot be written as bytecode", printed);
    auto loaded = readBytecode(llvm::MemoryBufferRef(bytes, "fuzz.loombc"), context());
    if (!loaded || printSourceText(*loaded) != printed)
      fail("bytecode changes the program", printed);
  }

  [[noreturn]] static void fail(const char *what, const std::string &printed) {
    llvm::errs() << "fuzz: " << what << ":\n" << printed << '\n';
    abort();
  }

private:
  static mlir::MLIRContext &shared() {
    static constexpr unsigned kInputsPerContext = 2000;
    static unsigned inputs = 0;
    static std::unique_ptr<mlir::MLIRContext> context;
    if (!context || (inputs >= kInputsPerContext && !inUse)) {
      mlir::DialectRegistry registry;
      registerLoomDialects(registry);
      context =
          std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
      context->disableMultithreading();
      context->loadAllAvailableDialects();
      inputs = 0;
    }
    if (!inUse) {
      inUse = true;
      ++inputs;
    }
    return *context;
  }

  inline static bool inUse = false;
  DiagnosticEngineScope engine;

public:
  ~FuzzContext() { inUse = false; }
};

} // namespace loom

#endif // LOOM_TEST_FUZZ_FUZZ_H
