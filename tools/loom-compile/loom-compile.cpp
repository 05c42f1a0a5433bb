//===- loom-compile.cpp - From a program to an artifact -------------------===//
#include "loom/Compiler/Compiler.h"
#include "loom/Link/Config.h"
#include "loom/Link/Link.h"
#include "loom/Report/ReportDocument.h"
#include "loom/Report/Status.h"
#include "loom/Runtime/Sanitizer.h"
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
  std::string target, format, output, cHeader, report, reportOutput = "stderr";
  std::string sanitizer = "none", sanitizerReporting = "default";
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
    tool.error("--target is missing; for example --target=amdgpu:gfx1151 or --target=x86:avx2");
    return mlir::failure();
  }
  std::vector<std::string> suggestions;
  request.format = lookupArtifactFormat(options.format);
  // A format of one family makes the family's name superfluous in the target.
  std::optional<TargetFamily> family;
  if (request.format && request.format->amdgpu != request.format->x86)
    family = request.format->amdgpu ? TargetFamily::AMDGPU : TargetFamily::X86;
  request.target = lookupTargetProfile(options.target, family, &suggestions);
  if (!request.target) {
    tool.error(describeUnknownTarget(options.target, suggestions));
    return mlir::failure();
  }
  if (options.format.empty()) {
    request.format = &defaultArtifactFormat(request.target->family);
    return mlir::success();
  }
  if (!request.format) {
    std::vector<std::string> known;
    for (const ArtifactFormat &format : artifactFormats())
      known.push_back(format.name);
    tool.error("format '" + options.format + "' is not available in this build" +
               didYouMean(options.format, known) + "; the formats are " + llvm::join(known, ", "));
    return mlir::failure();
  }
  bool fits =
      request.target->family == TargetFamily::AMDGPU ? request.format->amdgpu : request.format->x86;
  if (!fits)
    tool.error("format '" + options.format + "' does not exist for " +
               stringifyFamily(request.target->family) + " targets");
  return mlir::success(fits);
}

/// Whether the outputs of the request exist and go to different places; fails after reporting.
mlir::LogicalResult checkOutputs(ToolContext &tool, const Options &options, ReportForm form,
                                 const CompileRequest &request) {
  bool wantsHeader = request.wantsCHeader;
  if (wantsHeader && !hasCHeader(*request.format)) {
    tool.error("--emit-c-header is for x86-object and x86-shared-library; kernels of the format " +
               std::string(request.format->name) + " are not called from C");
    return mlir::failure();
  }
  std::vector<const char *> streams;
  if (isStandardStream(options.output))
    streams.push_back("the artifact");
  if (wantsHeader && isStandardStream(options.cHeader))
    streams.push_back("the header");
  if (form.wanted && options.reportOutput != "stderr" && isStandardStream(options.reportOutput))
    streams.push_back("the report");
  if (streams.size() < 2)
    return mlir::success();
  tool.error(std::string(streams[0]) + " and " + streams[1] + " cannot both go to standard output");
  return mlir::failure();
}

/// Which checks the kernels carry out; fails after reporting.
mlir::LogicalResult resolveSanitizers(ToolContext &tool, const Options &options,
                                      CompileRequest &request) {
  llvm::Expected<runtime::SanitizerOptions> parsed = runtime::parseSanitizers(options.sanitizer);
  if (!parsed) {
    tool.error("--sanitizer: " + llvm::toString(parsed.takeError()));
    return mlir::failure();
  }
  // What all artifacts can have.
  if (llvm::StringRef(options.sanitizer).trim() == "all")
    parsed->race = false;
  if (!parsed->any())
    return mlir::success();
  std::string flag = "--sanitizer=" + options.sanitizer;
  if (parsed->race)
    tool.error(flag +
               ": races are found by a device that listens, in loom-test and loom-benchmark; "
               "an artifact checks access, value and operation");
  else if (request.target->family == TargetFamily::AMDGPU)
    tool.error(flag + " is not supported for amdgpu targets yet; x86 kernels can carry checks");
  else if (options.sanitizerReporting == "report-only")
    tool.error(
        "--sanitizer-reporting=report-only: an artifact has nobody to report to; a check that "
        "fails traps");
  else {
    request.checks = {parsed->access, parsed->value, parsed->operation, /*race=*/false};
    return mlir::success();
  }
  return mlir::failure();
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

/// Where the artifact and its companions go. An output that cannot be written is found before any
/// work is spent on it.
class Outputs {
public:
  static llvm::Expected<Outputs> open(const Options &options, const CompileRequest &request) {
    Outputs outputs;
    if (llvm::Error error = outputs.add(options.output))
      return error;
    if (request.wantsCHeader)
      if (llvm::Error error = outputs.add(options.cHeader))
        return error;
    return outputs;
  }

  llvm::Error write(const CompileResult &result) {
    files.front().stream().write(result.artifact.data(), result.artifact.size());
    if (files.size() > 1)
      files[1].stream() << result.cHeader;
    for (AtomicOutput &file : files)
      if (llvm::Error error = file.commit())
        return error;
    return llvm::Error::success();
  }

private:
  llvm::Error add(llvm::StringRef path) {
    llvm::Expected<AtomicOutput> file = AtomicOutput::open(path);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return llvm::Error::success();
  }

  std::vector<AtomicOutput> files; ///< the artifact, the header
};

int run(const Options &options) {
  ToolContext tool("loom-compile");
  ReportForm form = parseReportForm(options.report);
  CompileRequest request;
  request.reportMode = form.mode;
  request.wantsCHeader = !options.cHeader.empty();
  if (mlir::failed(resolve(tool, options, request)) ||
      mlir::failed(resolveSanitizers(tool, options, request)) ||
      mlir::failed(checkOutputs(tool, options, form, request)))
    return 1;
  llvm::Expected<Outputs> outputs = Outputs::open(options, request);
  if (!outputs) {
    tool.error(llvm::toString(outputs.takeError()));
    return 1;
  }
  CompileResult result;
  result.report.mode = form.mode;
  result.report.status = report::makeStatus(report::StatusCode::InvalidArgument);
  bool ok = mlir::succeeded(compile(tool, options, request, result)) &&
            tool.diagnostics().errorCount() == 0;
  recordDiagnostics(tool, result.report);
  if (ok)
    if (llvm::Error problem = outputs->write(result)) {
      tool.error(llvm::toString(std::move(problem)));
      ok = false;
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
  commandLine.option("target", options.target, "what to compile for: amdgpu:gfx1151, x86:avx2", {},
                     "FAMILY:SELECTOR");
  commandLine.option("format", options.format,
                     "amdgpu-hsaco, amdgpu-asm, x86-shared-library, x86-object or llvm-ir; when "
                     "empty amdgpu-hsaco or x86-shared-library",
                     {}, "FORMAT");
  commandLine.option("output", options.output, "where the artifact goes", {}, "PATH");
  commandLine.option("emit-c-header", options.cHeader,
                     "where a header for C goes; with x86-object and x86-shared-library", {},
                     "PATH");
  commandLine.list("config", options.config, "value for a configuration key", "KEY=VALUE");
  commandLine.list("config-file", options.configFiles, "JSON object with such values", "PATH");
  commandLine.option("compile-report", options.report, "what the report contains, and its form",
                     {"none", "summary", "json", "json-summary", "details", "json-details", "text",
                      "text-summary", "text-details"});
  commandLine.option("compile-report-output", options.reportOutput, "where the report goes", {},
                     "stderr|PATH");
  for (llvm::StringRef later : {"artifact-manifest", "emit-artifact-manifest"})
    commandLine.refused(later, "artifact manifests are not supported yet");
  commandLine.refused("emit-launch-config",
                      "launch-configuration companions are not supported yet; an x86 artifact has "
                      "its launch configurations in it");
  commandLine.refused("emit-target-artifact", "the artifact of --output is the target's own; a "
                                              "second copy is not supported");
  commandLine.option("sanitizer", options.sanitizer,
                     "checks that kernels carry out, on x86: none, access, value, operation, asan, "
                     "ubsan or all, with '|' between several",
                     {}, "CHECKS");
  commandLine.option("sanitizer-reporting", options.sanitizerReporting,
                     "what happens when one fails; an artifact traps",
                     {"default", "trap", "report-only"});
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
