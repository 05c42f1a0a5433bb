//===- Documents.h - Parts that both forms of a document share --*- C++ -*-===//
#ifndef LOOM_LIB_BENCH_DOCUMENTS_H
#define LOOM_LIB_BENCH_DOCUMENTS_H

#include "loom/Bench/Results.h"

namespace loom::bench {

/// Appends the members of `from`.
void addMembers(Json &object, const Json &from);
/// Sets a member unless the text is empty.
void addText(Json &object, const char *key, const std::string &text);

/// `candidate_id`, `candidate_index`.
Json candidateFields(const Candidate &candidate);
/// `sample_id`, `sample_index`, `sample`; nothing for a case without parameters.
Json sampleFields(const check::CasePlan &subject, uint64_t ordinal);
/// The same for the sample at a position of a candidate, nothing without a position.
Json sampleFields(const Candidate &candidate, std::optional<uint64_t> position);

Json sanitizerJson(const RunDescription &run);
Json deviceJson(const RunDescription &run);
Json bundleJson(const ArtifactBundle &bundle);
/// `stage`, `kind`, `message`, counts and rows of diagnostics.
Json failureJson(const Failure &failure);
/// The failure of a candidate that could not be planned.
Json planningFailureJson(const Candidate &candidate);
/// Candidates that could not be planned.
std::vector<const Candidate *> unplanned(const BenchmarkPlan &plan);

/// Everything that is known of a work item or a turn.
Json evidenceJson(const RunDescription &run, const Evidence &evidence);
/// What became of a row.
RowState stateOf(const BenchmarkPlan &plan, const BenchmarkResults &results,
                 const BenchmarkRow &row);
Json summaryJson(const RunDescription &run, const BenchmarkPlan &plan,
                 const BenchmarkResults &results);

/// The name of the one group of turns that a run has.
inline constexpr const char *kComparisonGroup = "g0";
/// divisor 0 gives 0; six decimals.
double ratio(uint64_t dividend, uint64_t divisor);

} // namespace loom::bench

#endif // LOOM_LIB_BENCH_DOCUMENTS_H
