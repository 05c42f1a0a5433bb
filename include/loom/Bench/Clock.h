//===- Clock.h - What measurements read the time from -----------*- C++ -*-===//
#ifndef LOOM_BENCH_CLOCK_H
#define LOOM_BENCH_CLOCK_H

#include <cstdint>

namespace loom::bench {

/// A clock that never goes back. Everything that depends on time reads it through this interface,
/// so that tests can say what time it is.
class Clock {
public:
  virtual ~Clock();
  /// Nanoseconds since some fixed moment.
  virtual uint64_t now() = 0;
};

/// The monotonic clock of the host.
class HostClock : public Clock {
public:
  uint64_t now() override;
};

} // namespace loom::bench

#endif // LOOM_BENCH_CLOCK_H
