//===- RegisterDialects.cpp - All dialects of the language ----------------===//
#include "loom/Dialect/Dialects.h"

namespace loom {

void registerLoomDialects(mlir::DialectRegistry &registry) {
  registry.insert<LoomDialect, ConfigDialect, IndexDialect, ScalarDialect, VectorDialect,
                  BufferDialect, ViewDialect, EncodingDialect, SanitizerDialect, SCFDialect,
                  FuncDialect, TemplateDialect, KernelDialect, CheckDialect, TargetDialect,
                  AMDGPUDialect, SPIRVDialect, X86Dialect, ModuleDialect, LowDialect>();
}

} // namespace loom
