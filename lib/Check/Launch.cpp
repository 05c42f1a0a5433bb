//===- Launch.cpp - From launch operations to launches --------------------===//
#include "Launch.h"
#include "loom/Check/LaunchConfig.h"
#include "loom/IR/Diagnostics.h"
#include <chrono>

namespace loom::check {
using namespace mlir;

using runtime::Argument;
using runtime::Issue;
using runtime::Tensor;

namespace {
/// The code of the first error that is reported on a context while this exists. Everything reported
/// goes on to the handlers before.
class FirstCode {
public:
  explicit FirstCode(MLIRContext *context)
      : handler(context, [this](Diagnostic &diag) {
          if (diag.getSeverity() == DiagnosticSeverity::Error && !isSet) {
            isSet = true;
            code = codeOf(diag);
          }
          return failure();
        }) {}

  std::string code;

private:
  /// emitCoded keeps the code in the metadata of the diagnostic.
  static std::string codeOf(Diagnostic &diag) {
    for (DiagnosticArgument &argument : diag.getMetadata())
      if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned &&
          argument.getAsUnsigned() < diagnosticCodes().size())
        return stringifyCode(static_cast<DiagCode>(argument.getAsUnsigned()));
    return "";
  }

  bool isSet = false;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Adds the time until it is destroyed to a sum, if there is one.
namespace {
class Timer {
public:
  explicit Timer(uint64_t *sum) : sum(sum), begin(Clock::now()) {}
  ~Timer() {
    if (sum)
      *sum += std::chrono::nanoseconds(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  uint64_t *sum;
  Clock::time_point begin;
};
} // namespace

std::optional<Issue> Launcher::prepare(StringRef symbol) {
  Timer timer(options.times ? &options.times->compileNs : nullptr);
  return device.prepare(symbol);
}

std::optional<Issue> Launcher::compile(StringRef symbol) {
  FirstCode first(module.getContext());
  std::optional<Issue> issue = prepare(symbol);
  if (!issue)
    return std::nullopt;
  std::string &code = diagnostics[symbol.str()];
  if (code.empty())
    code = first.code;
  if (issue->diagnostic.empty())
    issue->diagnostic = code;
  return issue;
}

std::optional<Issue> Launcher::resolve(PreparedLaunch &launch) {
  if (std::optional<Issue> issue = compile(launch.kernel))
    return issue;
  KernelDefOp kernel;
  if (options.resolveKernel)
    kernel = options.resolveKernel(launch.kernel);
  if (!kernel)
    kernel = module.lookupSymbol<KernelDefOp>(launch.kernel);
  if (std::optional<Issue> issue = checkWhereClause(kernel, launch.arguments))
    return issue;
  LaunchEvaluation evaluation = evaluateLaunchConfig(kernel, launch.workload, device.limits());
  launch.geometry = evaluation.geometry;
  return evaluation.issue;
}

std::optional<Issue> Launcher::launchTimed(const runtime::Launch &launch) {
  if (options.times)
    ++options.times->launches;
  Timer timer(options.times ? &options.times->launchNs : nullptr);
  return device.launch(launch);
}

std::optional<Issue> Launcher::run(const PreparedLaunch &launch, runtime::EventLog &log) {
  std::optional<Issue> issue = launchTimed(launch.launch());
  log.append(device.takeEvents());
  return issue;
}

Argument argumentOf(Value value, Slots &slots) {
  if (Tensor *tensor = slots.tensor(value))
    return tensor;
  return slots.scalar(value);
}

} // namespace loom::check
