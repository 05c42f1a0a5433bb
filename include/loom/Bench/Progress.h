//===- Progress.h - Showing that work goes on -------------------*- C++ -*-===//
#ifndef LOOM_BENCH_PROGRESS_H
#define LOOM_BENCH_PROGRESS_H

#include "loom/Bench/Statistics.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace loom::bench {

/// Hears what a run does. This class shows nothing.
class Progress {
public:
  virtual ~Progress();
  /// The next `step` of `total` begins, counted from one.
  virtual void begin(uint64_t step, uint64_t total, llvm::StringRef what) {}
  /// What is done in this step from now on: "checking".
  virtual void phase(llvm::StringRef what) {}
  /// So far `timed` was measured; `now` is the time of the clock.
  virtual void timing(uint64_t now, const Times &timed) {}
  /// Nothing follows, or somebody else writes to the terminal.
  virtual void clear() {}
};

/// One line of a terminal, written over and over, at most ten times a second while times come in.
/// Lines are cut to `width` columns, and the cursor waits at their beginning, so that what others
/// write replaces them.
class TerminalProgress : public Progress {
public:
  TerminalProgress(llvm::raw_ostream &os, unsigned width) : os(os), width(width) {}
  ~TerminalProgress() override;

  void begin(uint64_t step, uint64_t total, llvm::StringRef what) override;
  void phase(llvm::StringRef what) override;
  void timing(uint64_t now, const Times &timed) override;
  void clear() override;

private:
  void show(llvm::StringRef details);

  llvm::raw_ostream &os;
  unsigned width;
  std::string head, current;
  uint64_t shownAt = 0;
  bool isVisible = false;
};

/// "412 ns", "12.3 us", "4.56 ms", "1.23 s": three digits that count.
std::string readableTime(uint64_t nanoseconds);

} // namespace loom::bench

#endif // LOOM_BENCH_PROGRESS_H
