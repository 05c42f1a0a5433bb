//===- Launch.cpp - From launch operations to launches --------------------===//
#include "Launch.h"
#include "HostCode.h"
#include "loom/Check/LaunchConfig.h"
#include "loom/Dialect/Kernel/Messages.h"
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

KernelDefOp Launcher::kernelOf(StringRef symbol) {
  KernelDefOp kernel;
  if (options.resolveKernel)
    kernel = options.resolveKernel(symbol);
  return kernel ? kernel : module.lookupSymbol<KernelDefOp>(symbol);
}

std::optional<Issue> Launcher::resolve(PreparedLaunch &launch) {
  if (std::optional<Issue> issue = compile(launch.kernel))
    return issue;
  KernelDefOp kernel = kernelOf(launch.kernel);
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
  std::optional<Issue> stray = findStrayWrite(launch);
  return issue ? issue : stray;
}

//===----------------------------------------------------------------------===//
// Writes beside tensors
//===----------------------------------------------------------------------===//

static std::string strayWriteText(KernelDefOp kernel, unsigned argument, int64_t at,
                                  uint64_t size) {
  Operation *op =
      findOnlyOp(kernel, [](Operation *op) { return hasEffect<MemoryEffects::Write>(op); });
  std::string text = "@" + kernel.getSymName().str() + " writes outside of a tensor" +
                     (op ? " in '" + getTextName(op).str() + "'" : std::string());
  text += byteText(kernel, argument, at, size);
  return withPlace((op ? op : kernel.getOperation())->getLoc(), text);
}

std::optional<Issue> Launcher::findStrayWrite(const PreparedLaunch &launch) {
  std::optional<Issue> issue;
  for (auto [i, argument] : llvm::enumerate(launch.arguments)) {
    auto *tensor = std::get_if<Tensor *>(&argument);
    std::optional<int64_t> place = tensor ? (*tensor)->takeStrayWrite() : std::nullopt;
    if (!place || issue)
      continue;
    issue.emplace();
    issue->provider = device.name().str();
    issue->stage = "launch";
    issue->kind = "memory_fault";
    issue->message = strayWriteText(kernelOf(launch.kernel), i, *place, (*tensor)->byteSize());
  }
  return issue;
}

Argument argumentOf(Value value, Slots &slots) {
  if (Tensor *tensor = slots.tensor(value))
    return tensor;
  return slots.scalar(value);
}

} // namespace loom::check
