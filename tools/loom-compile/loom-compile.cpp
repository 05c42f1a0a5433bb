//===- loom-compile.cpp - From a program to an artifact -------------------===//
#include "loom/Compiler/Compiler.h"
#include "loom/Link/Config.h"
#include "loom/Link/Link.h"
#include "loom/Report/ReportDocument.h"
#include "loom/Report/Status.h"
#include "loom/Support/CommandLine.h"
#include "loom/Support/FileIO.h"
#include "loom/Support/Json.h"
#include "loom/Support/NearMatches.h"
#include "loom/ToolSupport/ToolContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace loom;

namespace {

struct Options {
  std::vector<std::string> inputs, libraries, roots, config, configFiles;
  std::string target, format, output, report, reportOutput = "stderr";
};

/// The form that `--compile-report` asks for.
struct ReportForm {
  bool wanted = false, text = false;
  report::Mode mode = report::Mode::Summary;
};

ReportForm parseReportForm(llvm::StringRef spelling) {
  ReportForm form;
  form.wanted = !spelling.empty() && spelling != "none";
  form.text = spelling.starts_with("text");
  if (spelling.ends_with("details"))
    form.mode = report::Mode::Details;
  return form;
}

/// What the command line selects, looked up; fails after reporting.
mlir::LogicalResult resolve(ToolContext &tool, const Options &options, CompileRequest &request) {
  if (options.target.empty()) {
    tool.error("--target is missing; for example --target=amdgpu:gfx1151");
    return mlir::failure();
  }
  std::vector<std::string> suggestions;
  bool amdgpuFormat = llvm::StringRef(options.format).starts_with("amdgpu-");
  request.target = lookupTargetProfile(
      options.target, amdgpuFormat ? std::optional(TargetFamily::AMDGPU) : std::nullopt,
      &suggestions);
  if (!request.target) {
    std::string message = "unknown target '" + options.target + "'";
    for (auto [i, near] : llvm::enumerate(suggestions))
      message += (i == 0 ? "; did you mean " : ", ") + near;
    tool.error(message);
    return mlir::failure();
  }
  std::vector<std::string> known;
  for (const ArtifactFormat &format : artifactFormats())
    known.push_back(format.name);
  std::string family = stringifyFamily(request.target->family).str();
  if (options.format.empty()) {
    request.format = defaultArtifactFormat(request.target->family);
    if (!request.format)
      tool.error("--format is missing: " + family + " targets have no default format");
    return mlir::success(request.format);
  }
  request.format = lookupArtifactFormat(options.format);
  if (!request.format) {
    tool.error("format '" + options.format + "' is not available in this build" +
               didYouMean(options.format, known) + "; the formats are " + llvm::join(known, ", "));
    return mlir::failure();
  }
  bool fits =
      request.target->family == TargetFamily::AMDGPU ? request.format->amdgpu : request.format->x86;
  if (!fits)
    tool.error("format '" + options.format + "' does not exist for " + family + " targets");
  return mlir::success(fits);
}

/// Everything that can fail for the input's sake; the report records it.
mlir::LogicalResult compile(ToolContext &tool, const Options &options, CompileRequest &request,
                            CompileResult &result) {
  llvm::Expected<std::vector<ConfigBinding>> bindings =
      collectConfigBindings(options.config, options.configFiles);
  if (!bindings) {
    tool.error(llvm::toString(bindings.takeError()));
    return mlir::failure();
  }
  auto module = loadProgram(
      &tool.context(), options.inputs.empty() ? "-" : options.inputs.front(), options.libraries,
      [&](llvm::StringRef path) { return tool.load(path); },
      [&](const llvm::Twine &message) { tool.error(message); });
  std::vector<EffectiveBinding> effective;
  if (!module || mlir::failed(applyConfig(*module, *bindings, &effective)))
    return mlir::failure();
  for (EffectiveBinding &binding : effective)
    request.configBindings.push_back({binding.key, binding.value});
  for (llvm::StringRef root : options.roots)
    request.roots.push_back(root.trim().ltrim('@').str());
  return compileModule(*module, request, result);
}

void recordDiagnostics(ToolContext &tool, report::CompileReport &report) {
  static const char *const names[] = {"note", "warning", "error", "remark"};
  auto place = [](const ShownDiagnostic &diag) {
    return diag.file.empty()
               ? std::string()
               : diag.file + ":" + std::to_string(diag.line) + ":" + std::to_string(diag.column);
  };
  for (const ShownDiagnostic &diag : tool.diagnostics().diagnostics()) {
    report.diagnostics.push_back(
        {names[static_cast<unsigned>(diag.severity)], place(diag), diag.message});
    for (const ShownDiagnostic &note : diag.notes)
      report.diagnostics.push_back({"note", place(note), note.message});
  }
}

mlir::LogicalResult writeReport(ToolContext &tool, const Options &options, ReportForm form,
                                const report::CompileReport &report) {
  std::string text = form.text ? report::toText(report) : jsonLine(report::toJson(report));
  if (options.reportOutput == "stderr") {
    llvm::errs() << text;
    return mlir::success();
  }
  return tool.write(options.reportOutput, text);
}

int run(const Options &options) {
  ToolContext tool("loom-compile");
  ReportForm form = parseReportForm(options.report);
  if (form.wanted && options.reportOutput != "stderr" && isStandardStream(options.reportOutput) &&
      isStandardStream(options.output)) {
    tool.error("the artifact and the report cannot both go to standard output");
    return 1;
  }
  CompileRequest request;
  request.reportMode = form.mode;
  if (mlir::failed(resolve(tool, options, request)))
    return 1;
  // An output that cannot be written is found before any work is spent on it.
  llvm::Expected<AtomicOutput> output = AtomicOutput::open(options.output);
  if (!output) {
    tool.error(llvm::toString(output.takeError()));
    return 1;
  }
  CompileResult result;
  result.report.mode = form.mode;
  result.report.status = report::makeStatus(report::StatusCode::InvalidArgument);
  bool ok = mlir::succeeded(compile(tool, options, request, result)) &&
            tool.diagnostics().errorCount() == 0;
  recordDiagnostics(tool, result.report);
  if (ok) {
    output->stream().write(result.artifact.data(), result.artifact.size());
    if (llvm::Error problem = output->commit()) {
      tool.error(llvm::toString(std::move(problem)));
      ok = false;
    }
  }
  if (form.wanted && mlir::failed(writeReport(tool, options, form, result.report)))
    return 1;
  return !ok;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine commandLine("loom-compile", "Compiles the kernels of a program.");
  commandLine.positionals(options.inputs, 0, 1, "[FILE]",
                          "program, text or bytecode; standard input when there is none");
  commandLine.list("library", options.libraries,
                   "program that satisfies declarations and implements families", "PATH");
  commandLine.list("root", options.roots, "kernel to compile; all when there is none", "@SYMBOL");
  commandLine.option("target", options.target, "what to compile for: amdgpu:gfx1151", {},
                     "FAMILY:SELECTOR");
  commandLine.option("format", options.format,
                     "amdgpu-hsaco, amdgpu-asm or llvm-ir; the family's own when empty", {},
                     "FORMAT");
  commandLine.option("output", options.output, "where the artifact goes", {}, "PATH");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.option("compile-report", options.report, "what the report contains, and its form",
                     {"none", "summary", "json", "json-summary", "details", "json-details", "text",
                      "text-summary", "text-details"});
  commandLine.option("compile-report-output", options.reportOutput, "where the report goes", {},
                     "stderr|PATH");
  for (llvm::StringRef later : {"artifact-manifest", "emit-artifact-manifest"})
    commandLine.refused(later, "artifact manifests are not supported yet");
  commandLine.refused("emit-launch-config", "launch-configuration companions are not supported "
                                            "yet");
  commandLine.refused("emit-target-artifact", "the artifact of --output is the target's own; a "
                                              "second copy is not supported");
  commandLine.refused("sanitizer", "sanitizers are not supported yet");
  commandLine.refused("sanitizer-reporting", "sanitizers are not supported yet");
  commandLine.refused("product", "only kernels can be compiled; --product is not supported");
  commandLine.refused("pipeline", "the default pipeline is the only one; loom-opt runs single "
                                  "passes");
  for (llvm::StringRef later : {"dump-ir-before", "dump-ir-after", "dump-ir-before-all",
                                "dump-ir-after-all", "dump-ir-format", "dump-ir-output"})
    commandLine.refused(later, "IR dumps are not supported yet; loom-opt runs single passes");
  commandLine.refused("source-prefix-map", "this flag is not supported yet");
  if (auto status = commandLine.parse(argc, argv))
    return *status;
  return run(options);
}
