//===- SpecializeSelect.cpp - Choosing implementations --------------------===//
#include "SpecializeSelect.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/Signatures.h"
#include "loom/IR/SourceInfo.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static std::string spellProfile(const TargetProfile &profile) {
  return (stringifyFamily(profile.family) + ":" + profile.key).str();
}

Verdict checkTarget(Operation *symbol, const TargetProfile *actual) {
  auto name = symbol->getAttrOfType<FlatSymbolRefAttr>("target");
  if (!name)
    return {};
  Operation *record = lookupSymbol(symbol, name);
  if (!record)
    return {Proof::Disproven, ("its target @" + name.getValue() + " is not defined").str()};
  if (!actual)
    return {Proof::Unknown, "it is for " + spellRecord(record) + ", and no target is given"};
  const TargetProfile *required = profileOfRecord(record);
  if (required && satisfiesTarget(*actual, *required))
    return {};
  return {Proof::Disproven, "it is for " + spellRecord(record) + ", which " +
                                spellProfile(*actual) + " does not satisfy"};
}

static Verdict checkRequirements(Operation *callee, const TargetProfile *actual) {
  auto requirements = callee->getAttrOfType<ArrayAttr>("requirements");
  if (!requirements)
    return {};
  for (auto condition : requirements.getAsRange<SubgroupSizeAttr>()) {
    std::string wanted = "it requires a subgroup of " + std::to_string(condition.getSize());
    if (!actual)
      return {Proof::Unknown, wanted + ", and no target is given"};
    if (actual->subgroupSize != condition.getSize())
      return {Proof::Disproven, wanted + ", but " + spellProfile(*actual) + " has " +
                                    std::to_string(actual->subgroupSize)};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The author's name of a parameter of a definition or declaration.
static std::string parameterName(Operation *callee, unsigned position) {
  StringRef name;
  if (auto names = callee->getAttrOfType<ArrayAttr>("arg_names"))
    name = cast<StringAttr>(names[position]).getValue();
  else if (callee->getNumRegions())
    name = getValueName(callee->getRegion(0).getArgument(position));
  return "%" + (name.empty() ? std::to_string(position) : name.str());
}

static std::string spellPredicate(Operation *callee, PredicateAttr predicate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyPredicateKind(predicate.getKind()) << '(';
  for (auto [i, argument] : llvm::enumerate(predicate.getArgs())) {
    if (i)
      os << ", ";
    if (predicate.isValue(i))
      os << parameterName(callee, argument);
    else
      os << argument;
  }
  os << ')';
  return text;
}

/// ": %n is 5" or ": %n is in [0, 64]", or nothing when nothing is known.
static std::string describeKnown(Operation *callee, PredicateAttr predicate, Operation *site,
                                 const Facts &facts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, argument] : llvm::enumerate(predicate.getArgs())) {
    if (!predicate.isValue(i))
      continue;
    Value value = site->getOperand(argument);
    auto exact = facts.exact(value, site);
    auto range = facts.range(value, site);
    if (!exact && !range)
      continue;
    os << (text.empty() ? "; here " : ", ") << parameterName(callee, argument) << " is ";
    if (exact)
      os << *exact;
    else
      os << "in [" << range->smin() << ", " << range->smax() << ']';
  }
  return text;
}

Verdict checkContract(Operation *callee, Operation *site, const Facts &facts,
                      const TargetProfile *actual) {
  // A disproven condition says more than an unknown one, so all are asked.
  Verdict unknown;
  Verdict target = checkTarget(callee, actual), requirements = checkRequirements(callee, actual);
  for (Verdict *verdict : {&target, &requirements}) {
    if (verdict->proof == Proof::Disproven)
      return *verdict;
    if (verdict->proof == Proof::Unknown && unknown.proof == Proof::Proven)
      unknown = *verdict;
  }
  auto where = callee->getAttrOfType<ArrayAttr>("where");
  unsigned failing = 0;
  Proof proof = facts.prove(where, site->getOperands(), &failing, site);
  if (proof == Proof::Proven)
    return unknown;
  auto predicate = cast<PredicateAttr>(where[failing]);
  std::string known = describeKnown(callee, predicate, site, facts);
  std::string spelled = "its fact " + spellPredicate(callee, predicate);
  if (proof == Proof::Disproven)
    return {proof, spelled + " does not hold" + known};
  return unknown.proof == Proof::Unknown ? unknown
                                         : Verdict{proof, spelled + " is not proven" + known};
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

StringRef whyNotInlined(Operation *callee) {
  if (isa<TemplateUkernelOp>(callee))
    return "is provided outside";
  if (!callee->getRegion(0).hasOneBlock())
    return "has several blocks";
  if (!callee->getRegion(0).front().back().hasTrait<OpTrait::ReturnLike>())
    return "does not return";
  // The policy of a function is weighed against that of the call.
  auto implementation = dyn_cast<TemplateDefOp>(callee);
  if (implementation && implementation.getInlinePolicy() == InlinePolicy::NoInline)
    return "is 'noinline'";
  return {};
}

namespace {

struct Candidate {
  Operation *op;
  Verdict verdict;

  /// An implementation without priority stands below all others.
  std::pair<bool, int64_t> priority() const {
    auto stated = op->getAttrOfType<IntegerAttr>("priority");
    return {stated != nullptr, stated ? stated.getInt() : 0};
  }
};

class Selector {
public:
  Selector(TemplateApplyOp apply, TemplateDeclOp family) : apply(apply), family(family) {}

  Selection select(ArrayRef<Operation *> implementations, const Facts &facts,
                   const TargetProfile *actual, bool final);

private:
  /// Reports that nothing can be chosen. `reason` is the name of the rule that was broken.
  Selection fail(StringRef reason, const Twine &explanation, bool noteCandidates = true);
  void note(InFlightDiagnostic &diag, const Candidate &candidate);
  Selection decide(bool final);

  TemplateApplyOp apply;
  TemplateDeclOp family;
  SmallVector<Candidate> candidates;
};

void Selector::note(InFlightDiagnostic &diag, const Candidate &candidate) {
  Diagnostic &note = diag.attachNote(candidate.op->getLoc());
  note << "@" << SymbolTable::getSymbolName(candidate.op).getValue();
  if (auto [stated, priority] = candidate.priority(); stated)
    note << " (priority " << priority << ")";
  if (candidate.verdict.proof == Proof::Proven)
    note << " fits";
  else
    note << (candidate.verdict.proof == Proof::Disproven ? " is rejected: " : " is undecided: ")
         << candidate.verdict.reason;
}

Selection Selector::fail(StringRef reason, const Twine &explanation, bool noteCandidates) {
  InFlightDiagnostic diag =
      emitCoded(apply, DiagCode::LoweringTemplate, "cannot choose an implementation of @");
  diag << apply.getFamily() << ": " << explanation.str() << " (" << reason << ")";
  if (noteCandidates)
    for (const Candidate &candidate : candidates)
      note(diag, candidate);
  else
    diag.attachNote(family.getLoc()) << "the family is declared here";
  return {nullptr, true};
}

Selection Selector::decide(bool final) {
  Candidate *best = nullptr;
  bool anyUnknown = false;
  for (Candidate &candidate : candidates) {
    anyUnknown |= candidate.verdict.proof == Proof::Unknown;
    if (candidate.verdict.proof == Proof::Proven &&
        (!best || candidate.priority() > best->priority()))
      best = &candidate;
  }
  if (!final)
    for (const Candidate &candidate : candidates)
      if (candidate.verdict.proof == Proof::Unknown &&
          (!best || candidate.priority() >= best->priority()))
        return {};
  if (!best)
    return anyUnknown ? fail("missing_facts", "none is proven to fit")
                      : fail("all_rejected", "every implementation is rejected");
  unsigned equals = llvm::count_if(candidates, [&](const Candidate &candidate) {
    return candidate.verdict.proof == Proof::Proven && candidate.priority() == best->priority();
  });
  if (equals > 1)
    return fail("ambiguous", Twine(equals) + " implementations of the same priority fit");
  if (StringRef reason = whyNotInlined(best->op); !reason.empty())
    return fail("materialization_blocked", "@" + SymbolTable::getSymbolName(best->op).getValue() +
                                               " " + reason + " and cannot be inlined");
  return {best->op, false};
}

Selection Selector::select(ArrayRef<Operation *> implementations, const Facts &facts,
                           const TargetProfile *actual, bool final) {
  Verdict contract = checkContract(family, apply, facts, actual);
  if (contract.proof == Proof::Disproven)
    return fail("family_rejected", "the contract of the family is broken, " + contract.reason,
                /*noteCandidates=*/false);
  if (implementations.empty())
    return fail("no_provider", "the program has none", /*noteCandidates=*/false);
  for (Operation *op : implementations)
    candidates.push_back({op, checkContract(op, apply, facts, actual)});
  if (contract.proof == Proof::Proven)
    return decide(final);
  if (!final)
    return {};
  return fail("missing_facts", "the contract of the family is not proven, " + contract.reason,
              /*noteCandidates=*/false);
}

} // namespace

Selection selectImplementation(TemplateApplyOp apply, TemplateDeclOp family,
                               ArrayRef<Operation *> implementations, const Facts &facts,
                               const TargetProfile *actual, bool final) {
  return Selector(apply, family).select(implementations, facts, actual, final);
}

} // namespace loom
