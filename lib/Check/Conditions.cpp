//===- Conditions.cpp - Where a case can run ------------------------------===//
#include "loom/Check/Conditions.h"
#include "loom/Support/NearMatches.h"
#include "llvm/TargetParser/Host.h"

namespace loom::check {
using namespace mlir;

using Answer = Conditions::Answer;

const Conditions::Provider *Conditions::find(StringRef name) const {
  auto provider = providers.find(name.str());
  return provider == providers.end() ? nullptr : &provider->second;
}

std::vector<std::string> Conditions::names() const {
  std::vector<std::string> names;
  for (auto &[name, provider] : providers)
    names.push_back(name);
  return names;
}

//===----------------------------------------------------------------------===//
// Providers
//===----------------------------------------------------------------------===//

/// The entries of `options`, each of which has to be one of `keys`; there has to be one.
static llvm::Expected<ArrayRef<NamedAttribute>>
entriesOf(DictionaryAttr options, StringRef provider, const std::vector<std::string> &keys) {
  ArrayRef<NamedAttribute> entries = options ? options.getValue() : ArrayRef<NamedAttribute>();
  for (NamedAttribute entry : entries) {
    StringRef key = entry.getName().getValue();
    if (!llvm::is_contained(keys, key))
      return llvm::createStringError("'" + provider + "' has no option '" + key + "'" +
                                     didYouMean(key, keys));
  }
  if (entries.empty())
    return llvm::createStringError("'" + provider + "' needs {" + keys.front() + " = ...}");
  return entries;
}

/// The one string that `provider` takes.
static llvm::Expected<StringRef> wordOf(DictionaryAttr options, StringRef provider,
                                        const std::string &key) {
  auto entries = entriesOf(options, provider, {key});
  if (!entries)
    return entries.takeError();
  auto word = dyn_cast<StringAttr>(entries->front().getValue());
  if (!word)
    return llvm::createStringError("'" + key + "' of '" + provider + "' is a string");
  return word.getValue();
}

/// Whether a device of `profile` can run subgroups of `size`. x86 runs any of four sizes in
/// software; AMDGPU hardware with a wave of 32 has one of 64 too (RDNA ISA, "Wave32 and Wave64").
static bool runsSubgroups(const TargetProfile &profile, unsigned size) {
  if (profile.family == TargetFamily::X86)
    return size == 8 || size == 16 || size == 32 || size == 64;
  return size == profile.subgroupSize || (size == 64 && profile.subgroupSize == 32);
}

static bool hasFeature(const TargetProfile &profile, StringRef feature) {
  if (feature == stringifyFamily(profile.family) || feature == profile.key)
    return true;
  unsigned size;
  if (StringRef rest = feature; rest.consume_front("wave") && !rest.getAsInteger(10, size))
    return runsSubgroups(profile, size);
  if (profile.family != TargetFamily::X86)
    return false;
  // Kernels run on this processor, whatever the profile leaves unused.
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return host.lookup(feature);
}

static llvm::Expected<Answer> compareMemory(DictionaryAttr options,
                                            std::optional<uint64_t> memoryBytes) {
  auto entries = entriesOf(options, "device.memory", {"min_bytes", "max_bytes"});
  if (!entries)
    return entries.takeError();
  bool holds = true;
  for (NamedAttribute entry : *entries) {
    auto bytes = dyn_cast<IntegerAttr>(entry.getValue());
    if (!bytes || isa<BoolAttr>(entry.getValue()) || bytes.getInt() < 0)
      return llvm::createStringError("'" + entry.getName().getValue() +
                                     "' of 'device.memory' is a number of bytes");
    if (memoryBytes)
      holds &= entry.getName() == "min_bytes" ? *memoryBytes >= uint64_t(bytes.getInt())
                                              : *memoryBytes <= uint64_t(bytes.getInt());
  }
  return memoryBytes ? Answer(holds) : std::nullopt;
}

Conditions standardConditions(const TargetProfile &profile, std::optional<uint64_t> memoryBytes) {
  Conditions conditions;
  conditions.add("target.family", [&profile](DictionaryAttr options) -> llvm::Expected<Answer> {
    auto word = wordOf(options, "target.family", "family");
    if (!word)
      return word.takeError();
    return Answer(*word == stringifyFamily(profile.family));
  });
  conditions.add("target.feature", [&profile](DictionaryAttr options) -> llvm::Expected<Answer> {
    auto word = wordOf(options, "target.feature", "feature");
    if (!word)
      return word.takeError();
    return Answer(hasFeature(profile, *word));
  });
  conditions.add("device.memory", [memoryBytes](DictionaryAttr options) {
    return compareMemory(options, memoryBytes);
  });
  return conditions;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Whether `name`, which is no provider, is one that was misspelled.
static bool isMisspelled(StringRef name, ArrayRef<std::string> known) {
  return llvm::any_of(known, [&](StringRef provider) {
    return name.edit_distance(provider, /*AllowReplacements=*/true, /*MaxEditDistance=*/2) <= 2;
  });
}

/// `target.feature {feature = "wave64"}`, as the program writes it.
static std::string conditionText(StringRef provider, DictionaryAttr options) {
  std::string text = provider.str();
  if (!options)
    return text;
  llvm::raw_string_ostream os(text);
  os << " {";
  llvm::interleaveComma(options, os, [&](NamedAttribute entry) {
    os << entry.getName().getValue() << " = ";
    if (auto word = dyn_cast<StringAttr>(entry.getValue()))
      os << '"' << word.getValue() << '"';
    else if (isa<IntegerAttr, FloatAttr>(entry.getValue()))
      printLiteral(os, entry.getValue());
    else
      os << entry.getValue();
  });
  os << '}';
  return text;
}

std::optional<SkippedCase> evaluateConditions(ArrayRef<Operation *> conditions, StringRef caseName,
                                              const Conditions &providers,
                                              std::optional<PlanningIssue> &malformed) {
  for (Operation *op : conditions) {
    auto required = dyn_cast<CheckRequiresOp>(op);
    auto skipped = dyn_cast<CheckSkipIfOp>(op);
    StringRef name = required ? required.getProvider() : skipped.getProvider();
    DictionaryAttr options = required ? required.getOptionsAttr() : skipped.getOptionsAttr();
    auto skip = [&](StringRef code, const Twine &message) {
      return std::optional(SkippedCase{caseName.str(), name.str(), getTextName(op).str(),
                                       code.str(), message.str(), sourceLocation(op->getLoc())});
    };
    auto refuse = [&](const Twine &message) {
      malformed = PlanningIssue();
      malformed->kind = PlanningIssueKind::UnsupportedCaseBodyOp;
      malformed->message = message.str();
      malformed->op = getTextName(op).str();
      malformed->location = sourceLocation(op->getLoc());
      return std::nullopt;
    };
    const Conditions::Provider *provider = providers.find(name);
    std::vector<std::string> known = providers.names();
    if (!provider && isMisspelled(name, known))
      return refuse("nothing answers '" + name + "' here" + didYouMean(name, known));
    if (!provider)
      return skip("provider_not_registered", "nothing answers '" + name + "' here");
    llvm::Expected<Answer> answer = (*provider)(options);
    if (!answer)
      return refuse(llvm::toString(answer.takeError()));
    if (!*answer)
      return skip("provider_unavailable", "'" + name + "' is not known of this device");
    if (required && !**answer)
      return skip("requirement_not_satisfied",
                  "the device does not satisfy " + conditionText(name, options));
    if (skipped && **answer)
      return skip("skip_predicate_matched", skipped.getReason()
                                                ? std::string(*skipped.getReason())
                                                : conditionText(name, options) + " holds");
  }
  return std::nullopt;
}

} // namespace loom::check
