//===- Progress.cpp - Showing that work goes on ---------------------------===//
#include "loom/Bench/Progress.h"
#include "llvm/Support/Format.h"

namespace loom::bench {

Progress::~Progress() = default;

std::string readableTime(uint64_t nanoseconds) {
  static constexpr const char *units[] = {"ns", "us", "ms", "s"};
  double value = static_cast<double>(nanoseconds);
  unsigned unit = 0;
  // 999.5 is the first number that three digits would write as 1000.
  while (value >= 999.5 && unit < 3) {
    value /= 1000;
    ++unit;
  }
  unsigned decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f %s", decimals, value, units[unit]);
  return text;
}

TerminalProgress::~TerminalProgress() { clear(); }

void TerminalProgress::begin(uint64_t step, uint64_t total, llvm::StringRef what) {
  head = "[" + std::to_string(step) + "/" + std::to_string(total) + "] " + what.str();
  current.clear();
  show("");
}

void TerminalProgress::phase(llvm::StringRef what) {
  current = what.str();
  shownAt = 0;
  show("");
}

void TerminalProgress::timing(uint64_t now, const Times &timed) {
  constexpr uint64_t kInterval = 100000000;
  if (shownAt != 0 && now - shownAt < kInterval)
    return;
  shownAt = now;
  if (timed.count() == 0)
    return show("warming up");
  show(std::to_string(timed.count()) + " timed, p50 " + readableTime(timed.summarize().p50));
}

void TerminalProgress::show(llvm::StringRef details) {
  std::string line = head;
  for (llvm::StringRef part : {llvm::StringRef(current), details})
    if (!part.empty())
      line += ": " + part.str();
  // One column stays free, so that no terminal begins another line.
  if (width > 1 && line.size() >= width)
    line.resize(width - 1);
  os << '\r' << line << "\x1b[K\r";
  os.flush();
  isVisible = true;
}

void TerminalProgress::clear() {
  if (!isVisible)
    return;
  os << "\r\x1b[K";
  os.flush();
  isVisible = false;
}

} // namespace loom::bench
