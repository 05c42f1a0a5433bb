//===- Conditions.h - Where a case can run ----------------------*- C++ -*-===//
//
// `check.requires<provider>` and `check.skip_if<provider>` ask a provider of the host whether a
// condition holds. The names are an open set that the tool registers.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_CHECK_CONDITIONS_H
#define LOOM_CHECK_CONDITIONS_H

#include "loom/Check/Plan.h"
#include "loom/Target/TargetProfile.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>

namespace loom::check {

class Conditions {
public:
  /// Whether a condition holds; nothing when it cannot be answered here.
  using Answer = std::optional<bool>;
  /// Answers for what stands in braces (null when nothing does). The error says what is wrong with
  /// that.
  using Provider = std::function<llvm::Expected<Answer>(mlir::DictionaryAttr options)>;

  void add(llvm::StringRef name, Provider provider) { providers[name.str()] = std::move(provider); }
  /// Null when nothing of that name is registered.
  const Provider *find(llvm::StringRef name) const;
  /// What is registered.
  std::vector<std::string> names() const;

private:
  std::map<std::string, Provider> providers;
};

/// What a device of `profile` answers:
///  - `target.family {family = "x86"}`
///  - `target.feature {feature = "..."}`: the family or the key of the profile; `wave16` and the
///    like for each subgroup size that the device can run; for x86 a feature of the processor as
///    LLVM calls it
///  - `device.memory {min_bytes = N, max_bytes = N}`: at least, at most; unavailable when
///    `memoryBytes` is unknown
Conditions standardConditions(const TargetProfile &profile, std::optional<uint64_t> memoryBytes);

/// A case or scenario that was not run because of a condition.
struct SkippedCase {
  std::string caseName; ///< without `@`
  std::string provider;
  std::string op; ///< "check.requires"
  /// "provider_not_registered", "provider_unavailable", "requirement_not_satisfied" or
  /// "skip_predicate_matched".
  std::string code;
  std::string message; ///< for people; the reason of a skip_if
  std::optional<SourceLocation> location;
};

/// Evaluates conditions in order; the first one that skips decides, nothing means that the case can
/// run. A condition whose options mean nothing, or whose provider is one that was misspelled,
/// becomes the issue `malformed`, which has no name of a case yet.
std::optional<SkippedCase> evaluateConditions(llvm::ArrayRef<mlir::Operation *> conditions,
                                              llvm::StringRef caseName, const Conditions &providers,
                                              std::optional<PlanningIssue> &malformed);

} // namespace loom::check

#endif // LOOM_CHECK_CONDITIONS_H
