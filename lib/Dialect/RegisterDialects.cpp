//===- RegisterDialects.cpp - All dialects of the language ----------------===//
#include "loom/Dialect/Dialects.h"

namespace loom {

void registerLoomDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<LoomDialect, ConfigDialect, IndexDialect, ScalarDialect, VectorDialect, BufferDialect,
              ViewDialect, EncodingDialect, SCFDialect, FuncDialect, TemplateDialect, KernelDialect, CheckDialect,
              TargetDialect, AMDGPUDialect, X86Dialect, ModuleDialect>();
}

} // namespace loom
