//===- Compiler.h - From a module to an artifact ----------------*- C++ -*-===//
//
// The one place that assembles pipelines. Tools parse flags and call it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_COMPILER_COMPILER_H
#define LOOM_COMPILER_COMPILER_H

#include "loom/Report/CompileReport.h"
#include "loom/Target/Common/Lowering.h"
#include "loom/Target/TargetProfile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
}

namespace loom {

/// An artifact format that this build can write.
struct ArtifactFormat {
  const char *name; ///< as `--format` spells it
  /// Families it exists for.
  bool amdgpu, x86;
  /// What the report calls the artifact: `hal-executable`, `hal-kernel-library`, or
  /// `target-artifact` for text.
  const char *reportKind;
  const char *summary;
};
llvm::ArrayRef<ArtifactFormat> artifactFormats();
const ArtifactFormat *lookupArtifactFormat(llvm::StringRef name);
/// The one format that an empty `--format` selects: what a loader of the family takes.
const ArtifactFormat &defaultArtifactFormat(TargetFamily family);

struct CompileRequest {
  const TargetProfile *target = nullptr;
  const ArtifactFormat *format = nullptr;
  /// Symbols without `@`; empty compiles every kernel of the module.
  std::vector<std::string> roots;
  /// Bindings that were applied to the module, for the report.
  std::vector<std::pair<std::string, std::string>> configBindings;
  report::Mode reportMode = report::Mode::Summary;
  /// Whether a header for C is wanted beside the artifact; only for formats with hasCHeader().
  bool wantsCHeader = false;
  /// Checks that the kernels carry out; one that fails traps. Only for x86.
  SanitizerChecks checks;
};

/// Whether the kernels of an artifact of that format are called from C.
bool hasCHeader(const ArtifactFormat &format);

struct CompileResult {
  std::vector<char> artifact;
  std::string cHeader; ///< empty unless the request wants it
  report::CompileReport report;
};

/// Everything that happens on Loom IR, the same for all targets: bind the configuration, choose
/// implementations and inline, make addresses explicit, pipeline, unroll. `checks` says what the
/// lowering is going to check, so that what it needs for that is kept.
void buildSourcePipeline(mlir::OpPassManager &manager, const TargetProfile *target,
                         llvm::ArrayRef<std::string> roots, const SanitizerChecks &checks = {});

/// Runs the source pipeline on `module`, which changes. Checks the roots and the targets that
/// kernels name. Fails after reporting.
mlir::LogicalResult specializeModule(mlir::ModuleOp module, const TargetProfile *target,
                                     llvm::ArrayRef<std::string> roots,
                                     const SanitizerChecks &checks = {});

/// Compiles a verified module; the module changes. Fails after reporting; `result.report` then
/// holds what was established, and the status.
mlir::LogicalResult compileModule(mlir::ModuleOp module, const CompileRequest &request,
                                  CompileResult &result);

} // namespace loom

#endif // LOOM_COMPILER_COMPILER_H
