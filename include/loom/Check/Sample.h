//===- Sample.h - One sample of a case, step by step ------------*- C++ -*-===//
//
// Tools that check and tools that measure run a sample the same way: its values are made, its
// kernels are compiled and their launches resolved, they are launched, and what came out is
// checked. An object is used for many samples of its case, one after another, and keeps storage and
// values that do not change between them.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_CHECK_SAMPLE_H
#define LOOM_CHECK_SAMPLE_H

#include "loom/Check/Execute.h"

namespace loom::check {

/// A launch of a case with everything resolved.
struct PreparedLaunch {
  KernelLaunchOp op;
  std::string kernel; ///< symbol without `@`
  runtime::LaunchGeometry geometry;
  std::vector<runtime::Scalar> workload;
  std::vector<runtime::Argument> arguments; ///< tensors are those of the sample

  /// Refers to this object.
  runtime::Launch launch() const { return {kernel, geometry, arguments}; }
};

class Sample {
public:
  /// `plan` and `device` outlive the object.
  Sample(const CasePlan &plan, runtime::Device &device, const ExecuteOptions &options = {});
  ~Sample();
  Sample(const Sample &) = delete;

  /// Begins the sample `ordinal` of the case: binds the parameters and makes all values anew, as
  /// they are before the first launch. Returns why a value cannot be made.
  std::optional<runtime::Issue> materialize(uint64_t ordinal);

  /// Has the device compile the kernels and evaluates the geometry of each launch. Returns why one
  /// of them cannot be launched.
  std::optional<runtime::Issue> prepare();

  /// What prepare() resolved, in the order of the source; valid until the next materialize().
  llvm::ArrayRef<PreparedLaunch> launches() const;

  /// Launches everything once, in order, and keeps the events that the device reports for check().
  std::optional<runtime::Issue> launch();

  /// Evaluates the expectations on the values as they are now and writes the files of the case.
  SampleResult check();

  /// materialize(), prepare(), launch() and check(); an issue of a step ends the sample.
  SampleResult run(uint64_t ordinal);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace loom::check

#endif // LOOM_CHECK_SAMPLE_H
