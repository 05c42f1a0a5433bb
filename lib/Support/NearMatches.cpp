//===- NearMatches.cpp - Suggestions for misspelled names -----------------===//
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace loom {

static std::string foldSpelling(StringRef name) {
  std::string folded = name.lower();
  std::replace(folded.begin(), folded.end(), '_', '-');
  return folded;
}

std::vector<std::string> nearMatches(StringRef name, ArrayRef<std::string> known) {
  constexpr size_t limit = 3;
  std::string wanted = foldSpelling(name);
  unsigned bound = std::max<unsigned>(1, wanted.size() / 3);
  std::vector<std::pair<unsigned, StringRef>> ranked;
  for (const std::string &candidate : known) {
    std::string folded = foldSpelling(candidate);
    unsigned distance = StringRef(folded).edit_distance(wanted, /*AllowReplacements=*/true, bound);
    if (distance <= bound)
      ranked.push_back({distance, candidate});
    else if (wanted.size() >= limit && StringRef(folded).contains(wanted))
      ranked.push_back({bound + 1, candidate});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (const auto &entry : ranked) {
    if (result.size() == limit)
      break;
    result.push_back(entry.second.str());
  }
  return result;
}

std::string didYouMean(StringRef name, ArrayRef<std::string> known) {
  std::string text;
  std::vector<std::string> matches = nearMatches(name, known);
  for (auto [index, match] : enumerate(matches)) {
    if (index == 0)
      text += "; did you mean ";
    else
      text += index + 1 == matches.size() ? " or " : ", ";
    text += "'" + match + "'";
  }
  return text.empty() ? text : text + "?";
}

} // namespace loom
