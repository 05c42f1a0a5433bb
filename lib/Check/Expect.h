//===- Expect.h - Evaluating expectations -----------------------*- C++ -*-===//
#ifndef LOOM_LIB_CHECK_EXPECT_H
#define LOOM_LIB_CHECK_EXPECT_H

#include "Slots.h"
#include "loom/Check/TestReport.h"

namespace loom::check {

/// Why an expectation cannot be evaluated: a provider that does not exist, or options that it does
/// not have. Nothing when it can.
std::optional<std::string> refuseExpectation(mlir::Operation *op);

/// What an expectation is called in reports: "equal", "custom".
llvm::StringRef expectationKind(mlir::Operation *op);

/// Evaluates expectations, in order, and adds what does not hold to the result. `log` holds what
/// the device has reported; an error in it that no pattern of these expectations matches, and
/// events that were dropped, count as one failure more each.
void evaluateExpectations(llvm::ArrayRef<mlir::Operation *> expectations, Slots &slots,
                          const runtime::EventLog &log, RunResult &result);

/// Adds the failures that events are which nobody expected, of a run whose expectations were not
/// evaluated.
void addUnexpectedEvents(const runtime::EventLog &log, RunResult &result);

/// Why two tensors do not have the same bits, named as given; nothing when they do.
std::optional<std::string> differenceInBits(const runtime::Tensor &actual,
                                            const std::string &actualName,
                                            const runtime::Tensor &expected,
                                            const std::string &expectedName);

/// Whether an event has everything that the pattern of a `check.expect.event` names.
bool matchesPattern(mlir::DictionaryAttr pattern, const runtime::Event &event);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_EXPECT_H
