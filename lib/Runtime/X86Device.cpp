//===- X86Device.cpp - The processor as a device --------------------------===//
#include "loom/Runtime/X86Device.h"
#include "X86Monitor.h"
#include "X86Pool.h"
#include "X86Races.h"
#include "X86Watchdog.h"
#include "loom/Compiler/Compiler.h"
#include "loom/Dialect/Kernel/Messages.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Target/X86/X86Device.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdlib>
#include <thread>

namespace loom::runtime {
using namespace mlir;

/// A kernel that was asked for, compiled or refused.
struct X86Device::Kernel {
  std::string symbol;
  OwningOpRef<ModuleOp> module; ///< specialized for this kernel
  KernelDefOp op;
  std::optional<x86::CompiledKernels> code;
  const x86::CompiledKernel *entry = nullptr;
  bool hasMonitor = false; ///< it tells what it checks
  std::optional<Issue> refusal;
};

/// The number of threads that the environment asks for; 0 when it says nothing, nothing when it
/// cannot be understood.
static std::optional<unsigned> threadsOfEnvironment() {
  const char *text = std::getenv("LOOM_X86_THREADS");
  if (!text || !*text)
    return 0;
  unsigned threads;
  if (StringRef(text).getAsInteger(10, threads) || threads < 1 ||
      threads > X86DeviceOptions::kMaxThreads)
    return std::nullopt;
  return threads;
}

X86Device::X86Device(ModuleOp module, const TargetProfile &profile, const X86DeviceOptions &options)
    : module(module), profile(profile), launchLimitMs(options.launchLimitMs) {
  std::optional<unsigned> threads = options.threads ? options.threads : threadsOfEnvironment();
  if (!threads)
    badOptions =
        makeIssue("launch", "invalid_thread_count",
                  "LOOM_X86_THREADS is '" + Twine(std::getenv("LOOM_X86_THREADS")) +
                      "'; it has to be a number from 1 to " + Twine(X86DeviceOptions::kMaxThreads));
  unsigned wanted = threads.value_or(1);
  unsigned all = std::max(std::thread::hardware_concurrency(), 1u);
  pool = std::make_unique<WorkgroupPool>(
      std::min(wanted ? wanted : all, X86DeviceOptions::kMaxThreads));
  if (launchLimitMs != 0)
    watchdog = std::make_unique<LaunchWatchdog>(std::chrono::milliseconds(launchLimitMs));
}
X86Device::~X86Device() = default;

Issue X86Device::makeIssue(StringRef stage, StringRef kind, const Twine &message) const {
  Issue issue;
  issue.provider = name().str();
  issue.stage = stage.str();
  issue.kind = kind.str();
  issue.message = message.str();
  return issue;
}

LaunchLimits X86Device::limits() const { return launchLimits(profile); }

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// The first error that is reported on a context while this exists, with its place. Everything
/// reported goes on to the handlers before.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diag) {
          if (text.empty() && diag.getSeverity() == DiagnosticSeverity::Error) {
            text = placeText(diag.getLocation()) + diag.str();
            code = codeOf(diag);
          }
          return failure();
        }) {}

  std::string text, code;

private:
  /// The code that emitCoded gave it, or nothing.
  static std::string codeOf(Diagnostic &diag) {
    for (DiagnosticArgument &argument : diag.getMetadata())
      if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned &&
          argument.getAsUnsigned() < diagnosticCodes().size())
        return stringifyCode(static_cast<DiagCode>(argument.getAsUnsigned()));
    return "";
  }

  ScopedDiagnosticHandler handler;
};
} // namespace

std::optional<Issue> X86Device::setSanitizers(const SanitizerOptions &options) {
  sanitizers = options;
  return std::nullopt;
}

EventLog X86Device::takeEvents() { return std::exchange(events, {}); }

/// Whether the author wrote checks.
static bool hasChecks(KernelDefOp kernel) {
  return kernel.getBody()
      .walk([](Operation *op) {
        return isa<SanitizerDialect>(op->getDialect()) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

std::unique_ptr<X86Device::Kernel> X86Device::compile(StringRef symbol) {
  auto kernel = std::make_unique<Kernel>();
  kernel->symbol = symbol.str();
  kernel->module = module.clone();
  FirstError error(module.getContext());
  LoweringOptions options;
  options.checks = {sanitizers.access, sanitizers.value, sanitizers.operation, sanitizers.race};
  if (succeeded(specializeModule(*kernel->module, &profile, {kernel->symbol}, options.checks))) {
    kernel->op = kernel->module->lookupSymbol<KernelDefOp>(symbol);
    options.monitor = kernel->hasMonitor = sanitizers.any() || hasChecks(kernel->op);
    if (FailureOr<x86::CompiledKernels> code =
            x86::compileKernels(*kernel->module, profile, options);
        succeeded(code)) {
      kernel->code = std::move(*code);
      kernel->entry = kernel->code->lookup(kernel->op.getArtifactName());
    }
  }
  if (!kernel->entry) {
    kernel->refusal =
        makeIssue("compile", "",
                  error.text.empty() ? "@" + kernel->symbol + " was not compiled" : error.text);
    kernel->refusal->category = Issue::Category::CompileRejected;
    kernel->refusal->diagnostic = error.code;
  }
  return kernel;
}

const X86Device::Kernel *X86Device::find(StringRef symbol) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->symbol == symbol)
      return kernel.get();
  return nullptr;
}

std::optional<Issue> X86Device::prepare(StringRef symbol) {
  if (badOptions)
    return badOptions;
  if (!find(symbol))
    kernels.push_back(compile(symbol));
  return find(symbol)->refusal;
}

KernelDefOp X86Device::specialized(StringRef symbol) const {
  const Kernel *kernel = find(symbol);
  return kernel ? kernel->op : KernelDefOp();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// One slot of 8 bytes for each parameter: the bits of a scalar, the address of a tensor.
static std::vector<uint64_t> argumentBlock(ArrayRef<Argument> arguments) {
  std::vector<uint64_t> block;
  for (const Argument &argument : arguments) {
    if (auto *scalar = std::get_if<Scalar>(&argument))
      block.push_back(scalar->bits());
    else
      block.push_back(reinterpret_cast<uintptr_t>(std::get<Tensor *>(argument)->data()));
  }
  return block;
}

std::optional<Issue> X86Device::launch(const Launch &launch) {
  if (std::optional<Issue> refusal = prepare(launch.kernel))
    return refusal;
  const Kernel &kernel = *find(launch.kernel);
  assert(kernel.entry->info.arguments.size() == launch.arguments.size() &&
         "one argument a parameter");
  const LaunchGeometry &geometry = launch.geometry;
  int64_t groups;
  if (llvm::MulOverflow(geometry.workgroups[0], geometry.workgroups[1], groups) ||
      llvm::MulOverflow(groups, geometry.workgroups[2], groups))
    return makeIssue("launch", "too_many_workgroups",
                     "@" + launch.kernel + " is launched with more than 2^63 - 1 workgroups");
  std::vector<uint64_t> block = argumentBlock(launch.arguments);
  std::unique_ptr<KernelMonitor> monitor;
  if (kernel.hasMonitor) {
    bool traps = sanitizers.reporting == SanitizerReporting::Trap;
    if (sanitizers.race)
      monitor = std::make_unique<RaceMonitor>(kernel.code->sites(), launch, traps,
                                              kernel.entry->info.subgroupSize);
    else
      monitor = std::make_unique<KernelMonitor>(kernel.code->sites(), launch, traps);
    block.push_back(reinterpret_cast<uintptr_t>(static_cast<const Monitor *>(monitor.get())));
  }
  if (kernel.entry->info.hasLengths)
    for (const Argument &argument : launch.arguments)
      if (auto *tensor = std::get_if<Tensor *>(&argument))
        block.push_back((*tensor)->byteSize());
  FaultHandlers handlers;
  SignalStack stack;
  StopRequest stop(kernel.code->codeRange());
  std::optional<LaunchWatchdog::Watch> watch;
  if (watchdog)
    watch.emplace(*watchdog, stop);
  std::optional<KernelFault> fault =
      pool->run({kernel.entry->run, block.data(), groups, geometry.workgroups.data(),
                 geometry.workgroupSize.data(), watchdog ? &stop : nullptr});
  watch.reset();
  if (monitor)
    events.append(monitor->takeEvents());
  if (!fault || fault->kind == KernelFault::Kind::Check)
    return std::nullopt;
  return describe(*fault, kernel, launch);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Where `address` is, seen from the tensor argument that is nearest to it; empty when none is
/// near.
static std::string nearestArgument(uint64_t address, KernelDefOp kernel,
                                   ArrayRef<Argument> arguments) {
  // Further away than this it says nothing.
  uint64_t nearest = Tensor::kGuardBytes;
  std::string text;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto *tensor = std::get_if<Tensor *>(&argument);
    if (!tensor)
      continue;
    uint64_t begin = reinterpret_cast<uintptr_t>((*tensor)->data()), size = (*tensor)->byteSize();
    bool isBefore = address < begin;
    uint64_t distance = isBefore ? begin - address : address - begin;
    uint64_t outside = isBefore ? distance : distance < size ? 0 : distance - size;
    if (outside >= nearest)
      continue;
    nearest = outside;
    text = byteText(kernel, i, static_cast<int64_t>(address - begin), size);
  }
  return text;
}

namespace {
/// Which operation of a kernel faults.
struct FaultPlace {
  std::string place;     ///< "file:line:column: ", or nothing when it is not known
  std::string operation; ///< " in 'view.load'", or nothing
};
} // namespace

/// `seen` is what the line table says, null when it says nothing: optimizations that join or move
/// instructions forget where those come from. Then the place is at least that of the kernel.
static FaultPlace placeOf(KernelDefOp kernel, const LoweredOperation *seen,
                          const KernelFault &fault) {
  if (seen && getFileLoc(seen->location))
    return {placeText(seen->location), " in '" + seen->name + "'"};
  Operation *op = nullptr;
  if (seen)
    op = findOnlyOp(kernel, [&](Operation *op) { return getTextName(op) == seen->name; });
  else if (fault.isWrite == true)
    op = findOnlyOp(kernel, [](Operation *op) { return hasEffect<MemoryEffects::Write>(op); });
  else if (fault.isWrite == false)
    op = findOnlyOp(kernel, [](Operation *op) { return hasEffect<MemoryEffects::Read>(op); });
  std::string text = op ? getTextName(op).str() : seen ? seen->name : std::string();
  return {placeText(op ? op->getLoc() : kernel.getLoc()), text.empty() ? "" : " in '" + text + "'"};
}

/// ": lane below eight", what the assertion that was seen says, if it says something.
static std::string assertionText(KernelDefOp kernel, const LoweredOperation *seen) {
  Operation *op = findOnlyOp(kernel, [&](Operation *op) {
    return isa<KernelAssertOp>(op) && (!seen || op->getLoc() == seen->location);
  });
  auto assertion = dyn_cast_or_null<KernelAssertOp>(op);
  return assertion && assertion.getMessage() ? ": " + assertion.getMessage()->str() : std::string();
}

static bool isLoop(Operation *op) { return isa<ScfForOp, ScfWhileOp>(op); }

/// The loop of a kernel that does not end, as far as it can be told: the innermost one around the
/// operation that was seen, else the only one. What passes made of one operation of the source
/// counts as that.
static Operation *endlessLoop(KernelDefOp kernel, const LoweredOperation *seen) {
  Operation *found = nullptr;
  bool isOne = true;
  kernel.getBody().walk([&](Operation *op) {
    if (!seen || getTextName(op) != seen->name || op->getLoc() != seen->location)
      return;
    while (op && !isLoop(op))
      op = op->getParentOp();
    isOne &= op && (!found || found->getLoc() == op->getLoc());
    found = found ? found : op;
  });
  return found && isOne ? found : findOnlyOp(kernel, isLoop);
}

Issue X86Device::describeTimeout(const KernelFault &fault, const Kernel &kernel,
                                 StringRef symbol) const {
  KernelDefOp op = kernel.op;
  Operation *loop = endlessLoop(op, kernel.code->operationAt(fault.instruction));
  std::string where = loop ? ", in '" + getTextName(loop).str() + "'" : std::string();
  return makeIssue("launch", "timeout",
                   placeText((loop ? loop : op.getOperation())->getLoc()) + "@" + symbol +
                       " did not end within " + Twine(launchLimitMs) + " ms" + where);
}

Issue X86Device::describe(const KernelFault &fault, const Kernel &kernel,
                          const Launch &launch) const {
  if (fault.kind == KernelFault::Kind::Time)
    return describeTimeout(fault, kernel, launch.kernel);
  std::string name = "@" + launch.kernel.str();
  KernelDefOp op = kernel.op;
  const LoweredOperation *seen = kernel.code->operationAt(fault.instruction);
  auto [place, where] = placeOf(kernel.op, seen, fault);
  switch (fault.kind) {
  case KernelFault::Kind::Overwritten:
    return makeIssue("launch", "memory_fault",
                     placeText(op.getLoc()) + name +
                         " has written behind memory that it reserved, to what it works with");
  case KernelFault::Kind::Arithmetic:
    return makeIssue("launch", "arithmetic_fault",
                     place + name + " divides by zero, or its quotient does not fit," + where);
  case KernelFault::Kind::Trap:
    return makeIssue("launch", "trap",
                     place + name + " is stopped" + where + assertionText(op, seen));
  case KernelFault::Kind::Check:
  case KernelFault::Kind::Time:
  case KernelFault::Kind::Memory:
    break;
  }
  std::string access = !fault.isWrite ? " accesses" : *fault.isWrite ? " writes to" : " reads from";
  if (!fault.address)
    return makeIssue("launch", "memory_fault",
                     place + name + access + " an address that cannot exist" + where);
  // Where that is changes nothing, and is another place each time.
  if (fault.isBesideStack)
    return makeIssue("launch", "memory_fault",
                     place + name + access + " memory beside what it reserved for itself" + where);
  return makeIssue("launch", "memory_fault",
                   place + name + access + " memory that is not there" + where + ": address 0x" +
                       llvm::utohexstr(*fault.address, /*LowerCase=*/true) +
                       nearestArgument(*fault.address, kernel.op, launch.arguments));
}

} // namespace loom::runtime
