//===- SpecializeSelect.h - Choosing implementations ------------*- C++ -*-===//
//
// An implementation of a template family is eligible for an application when its target fits, its
// `where` predicates are proven from the facts at the application, and its `requires` conditions
// hold for the target. Each condition is proven, disproven or unknown; among the proven the highest
// priority wins. Neither the order of symbols nor the file they come from decides anything.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TRANSFORMS_SPECIALIZESELECT_H
#define LOOM_LIB_TRANSFORMS_SPECIALIZESELECT_H

#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/Target/TargetProfile.h"
#include <string>

namespace loom {

/// An answer with its reason, which is empty when it is proven.
struct Verdict {
  Proof proof = Proof::Proven;
  std::string reason;
};

/// Whether code of `symbol` may run on `actual`: the record that its `target(@t)` names, if any, is
/// satisfied. Unknown when `actual` is null.
Verdict checkTarget(mlir::Operation *symbol, const TargetProfile *actual);

/// Whether the contract of `callee`, a template or function, holds at the call `site`: `target`,
/// `where` and `requires`.
Verdict checkContract(mlir::Operation *callee, mlir::Operation *site, const Facts &facts,
                      const TargetProfile *actual);

/// What keeps the body of `callee`, an implementation or a function with a body, from taking the
/// place of a call; empty when nothing does.
llvm::StringRef whyNotInlined(mlir::Operation *callee);

/// What came of an application: a choice, an error that was reported, or neither, when a condition
/// that matters is unknown.
struct Selection {
  mlir::Operation *choice = nullptr;
  bool failed = false;
};

/// `implementations` are operations `template.def` and `template.ukernel` of the family. `final`
/// treats unknown conditions as not met, so that the selection is decided.
Selection selectImplementation(TemplateApplyOp apply, TemplateDeclOp family,
                               llvm::ArrayRef<mlir::Operation *> implementations,
                               const Facts &facts, const TargetProfile *actual, bool final);

} // namespace loom

#endif // LOOM_LIB_TRANSFORMS_SPECIALIZESELECT_H
