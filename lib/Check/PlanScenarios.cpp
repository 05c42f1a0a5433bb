//===- PlanScenarios.cpp - From check.scenario to trials ------------------===//
#include "Expect.h"
#include "Planner.h"
#include "Values.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom::check {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Functions on the target
//===----------------------------------------------------------------------===//

/// The operations that bring result `i` of a function, of type `type`, into its 8 bytes.
static void storeResult(llvm::raw_ostream &os, unsigned i, Type type) {
  std::string value = "%r" + std::to_string(i), stored = stringifyType(type);
  if (isAddressType(type)) {
    os << "  %s" << i << " = index.cast " << value << " : " << stored << " to i64\n";
    stored = "i64";
    value = "%s" + std::to_string(i);
  } else if (type.isInteger(1)) {
    os << "  %s" << i << " = scalar.extui " << value << " : i1 to i8\n";
    stored = "i8";
    value = "%s" + std::to_string(i);
  }
  os << "  %o" << i << " = index.constant " << 8 * i << " : offset\n"
     << "  %v" << i << " = buffer.view %results[%o" << i << "] : buffer -> view<1x" << stored
     << ">\n"
     << "  view.store " << value << ", %v" << i << "[0] : " << stored << ", view<1x" << stored
     << ">\n";
}

/// A module with a declaration of `function` and the kernel `name` that calls it.
static std::string entryText(FuncDefOp function, StringRef name) {
  auto signature = cast<SignatureOpInterface>(*function);
  std::string parameters, values, inputs, results, resultNames, text;
  auto add = [](std::string &list, const Twine &item) {
    list += (list.empty() ? "" : ", ") + item.str();
  };
  for (auto [i, type] : llvm::enumerate(signature.getSignatureInputs())) {
    add(parameters, "%a" + Twine(i) + ": " + stringifyType(type));
    add(values, "%a" + Twine(i));
    add(inputs, stringifyType(type));
  }
  for (auto [i, type] : llvm::enumerate(signature.getSignatureResults())) {
    add(resultNames, "%r" + Twine(i));
    add(results, stringifyType(type));
  }
  std::string arrow = results.empty() ? "" : " -> (" + results + ")";
  llvm::raw_string_ostream os(text);
  os << "func.decl @" << function.getSymName() << '(' << parameters << ')' << arrow
     << "\n\nkernel.def @" << name
     << "() {\n  %one = index.constant 1 : index\n"
        "  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%one, %one, %one) : "
        "index\n} launch("
     << parameters << (parameters.empty() ? "" : ", ") << "%results: buffer) {\n  " << resultNames
     << (results.empty() ? "" : " = ") << "func.call @" << function.getSymName() << '(' << values
     << ") : (" << inputs << ')' << arrow << '\n';
  for (auto [i, type] : llvm::enumerate(signature.getSignatureResults()))
    storeResult(os, i, type);
  os << "  kernel.return\n}\n";
  return text;
}

std::string makeEntryKernel(ModuleOp module, FuncDefOp function) {
  std::string name = (function.getSymName() + ".check_entry").str();
  if (module.lookupSymbol(name))
    return name;
  OwningOpRef<ModuleOp> made =
      parseSourceText(entryText(function, name), "entry.loom", module.getContext());
  auto kernel = made->lookupSymbol<KernelDefOp>(name);
  Location location = stripSourceInfo(function.getLoc());
  kernel->walk([&](Operation *op) { op->setLoc(location); });
  kernel->remove();
  module.push_back(kernel);
  return name;
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

/// A kernel takes scalars and tensors.
void Planner::checkKernelArguments(Operation *op, OperandRange arguments) {
  for (Value value : arguments)
    if (!elementTypeOf(value.getType()))
      report(Kind::InvalidInvocation, op,
             scenario.valueName(value) + " is neither a scalar nor a dense tensor");
}

/// Checks that the target can be asked to run `subject`.
void Planner::planSubject(Operation *op, FlatSymbolRefAttr subject) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, subject);
  if (isa_and_nonnull<KernelDefOp>(symbol))
    return;
  auto function = dyn_cast_or_null<FuncDefOp>(symbol);
  if (!function)
    return report(Kind::InvalidInvocation, op,
                  "@" + subject.getValue() + " is declared and never defined",
                  "link the input that defines it with loom-link");
  auto signature = cast<SignatureOpInterface>(*function);
  for (Type type :
       llvm::concat<Type>(signature.getSignatureInputs(), signature.getSignatureResults()))
    if (isa<TensorType>(type) || !elementTypeOf(type))
      return report(Kind::InvalidInvocation, op,
                    "@" + subject.getValue() + " has a parameter or result of type " +
                        stringifyType(type) + "; a trial runs functions of scalars, and kernels");
  makeEntryKernel(module, function);
}

void Planner::planCompare(CheckCompareOp op) {
  planSubject(op, op.getSubjectAttr());
  checkKernelArguments(op, op.getArguments());
  bool isKernel =
      isa_and_nonnull<KernelDefOp>(SymbolTable::lookupSymbolIn(module, op.getSubjectAttr()));
  FlatSymbolRefAttr oracle = op.getOracleAttr();
  if (!isKernel) {
    if (std::optional<std::string> reason =
            functions.refuse((oracle ? oracle : op.getSubjectAttr()).getValue()))
      report(Kind::InvalidInvocation, op, *reason);
  } else if (!oracle) {
    report(Kind::InvalidInvocation, op,
           "a kernel is compared with an oracle; the host does not evaluate kernels",
           "write check.compare<@" + op.getSubject() + ", @oracle>");
  } else if (!isa_and_nonnull<KernelDefOp>(SymbolTable::lookupSymbolIn(module, oracle))) {
    report(Kind::InvalidInvocation, op,
           "the oracle of a kernel is a kernel that is defined; @" + oracle.getValue() + " is not");
  }
  if (op.getBody().empty())
    return;
  scenario.number(op.getBody().getArguments());
  for (Operation &expectation : op.getBody().front())
    if (std::optional<std::string> reason = refuseExpectation(&expectation))
      report(Kind::InvalidExpectation, &expectation, *reason);
}

void Planner::planTrial(CheckTrialOp op) {
  TrialPlan &trial = scenario.trials.emplace_back();
  trial.op = op;
  scenario.number(op.getBody().getArguments());
  for (Operation &bodyOp : op.getBody().front()) {
    scenario.number(bodyOp.getResults());
    if (planSource(&bodyOp, trial.sources))
      continue;
    trial.subject = &bodyOp;
    if (&bodyOp != &op.getBody().front().back())
      report(Kind::UnsupportedCaseBodyOp, &bodyOp,
             "'" + getTextName(&bodyOp) + "' cannot stand before the end of a trial");
    else if (auto compare = dyn_cast<CheckCompareOp>(bodyOp))
      planCompare(compare);
    else if (auto invoke = dyn_cast<CheckInvokeOp>(bodyOp)) {
      planSubject(invoke, invoke.getSubjectAttr());
      checkKernelArguments(invoke, invoke.getArguments());
    }
  }
}

void Planner::planScenario(CheckScenarioOp op, uint64_t index) {
  scenario = ScenarioPlan();
  isSound = isScenario = true;
  scenario.op = op;
  scenario.name = recordName = op.getSymName().str();
  scenario.index = recordIndex = index;
  scenario.configurations = op.getConfigurations().value_or(1);
  scenario.number(op.getBody().getArguments());
  for (Operation &bodyOp : op.getBody().front()) {
    scenario.number(bodyOp.getResults());
    if (planSource(&bodyOp, scenario.sources))
      continue;
    llvm::TypeSwitch<Operation *>(&bodyOp)
        .Case<CheckRequiresOp, CheckSkipIfOp>(
            [&](Operation *op) { scenario.conditions.push_back(op); })
        .Case<CheckTrialOp>([&](CheckTrialOp trial) {
          scenario.trialsPerConfiguration =
              llvm::SaturatingAdd(scenario.trialsPerConfiguration, uint64_t(trial.getTrials()));
          planTrial(trial);
        })
        .Case<CheckReturnOp>([](auto) {})
        .Default([&](Operation *op) {
          report(Kind::UnsupportedCaseBodyOp, op,
                 "'" + getTextName(op) +
                     "' cannot be run by a scenario; a scenario has operations "
                     "of 'check' and calls of functions");
        });
  }
  scenario.totalTrials =
      llvm::SaturatingMultiply(scenario.configurations, scenario.trialsPerConfiguration);
  if (isSound)
    scenario.trialCount = std::min(scenario.totalTrials, options.maxSamplesPerCase);
  plan.scenarios.push_back(std::move(scenario));
}

} // namespace loom::check
