//===- LanesControlTest.cpp - Random control flow over lanes --------------===//
#include "LanesGenerator.h"

namespace loom::test {
using namespace generator;
namespace {

struct Trial {
  std::shared_ptr<Generator> generator;
  std::string name, text;
  Launch launch;
};

class LanesControlTest : public LanesTest {
protected:
  void check(const Trial &trial, const x86::CompiledKernels &kernels);
  void run(Options options, unsigned programs, unsigned firstSeed);
  void runPart(Options options, unsigned programs, unsigned firstSeed, const LaneProfile &profile);
};

void LanesControlTest::check(const Trial &trial, const x86::CompiledKernels &kernels) {
  for (int64_t count : {0, 3, 40}) {
    Launch launch = trial.launch;
    launch.count = count;
    std::mt19937 random(count);
    // Guards behind the rows that are there.
    for (std::vector<int32_t> &rows : launch.rows) {
      rows.resize(kMostItems * kSlots);
      for (int32_t &slot : rows)
        slot = static_cast<int32_t>(random() % 64) - 20;
    }
    std::vector<int32_t> actual[] = {launch.rows[0], launch.rows[1]};
    launchSized(kernels, trial.name, launch.groups, launch.size,
                Arguments().add(count).add(actual[0]).add(actual[1]));
    Machine machine;
    machine.launch = &launch;
    machine.values.assign(trial.generator->valueCount(), std::vector<Value>(launch.items()));
    machine.left.assign(launch.items(), false);
    // One workgroup after the other.
    for (int64_t group = 0; group < launch.groups; ++group) {
      Items items;
      for (int64_t i = 0; i < launch.groupItems(); ++i)
        items.push_back(group * launch.groupItems() + i);
      trial.generator->body->run(machine, items);
    }
    for (int view = 0; view < 2; ++view)
      for (size_t i = 0; i < actual[view].size(); ++i) {
        bool bothNaN = asFloat(actual[view][i]) != asFloat(actual[view][i]) &&
                       launch.rows[view][i] == 0x7fc00000;
        ASSERT_TRUE(actual[view][i] == launch.rows[view][i] || bothNaN)
            << trial.name << ", %n = " << count << ", " << launch.lanes << " lanes, workgroup "
            << launch.size[0] << "x" << launch.size[1] << "x" << launch.size[2] << ", view " << view
            << ", item " << i / kSlots << ", slot " << i % kSlots << ": " << actual[view][i]
            << ", expected " << launch.rows[view][i] << "\n"
            << trial.text;
      }
  }
}

void LanesControlTest::run(Options options, unsigned programs, unsigned firstSeed) {
  if (isLong())
    programs *= 4;
  forEachProfile(
      [&](const LaneProfile &profile) { runPart(options, programs, firstSeed, profile); });
}

/// The programs whose turn it is at the size of this profile.
void LanesControlTest::runPart(Options options, unsigned programs, unsigned firstSeed,
                               const LaneProfile &profile) {
  const std::array<int64_t, 3> sizes[] = {{16, 1, 1}, {64, 1, 1}, {40, 1, 1},  {7, 1, 1},
                                          {8, 4, 2},  {1, 1, 1},  {100, 1, 1}, {128, 1, 1}};
  constexpr unsigned kProfiles = std::size(kLaneProfiles);
  std::vector<Trial> trials;
  std::string text, errors;
  for (unsigned k = &profile - kLaneProfiles; k < programs; k += kProfiles) {
    Trial trial;
    trial.launch.size = sizes[k / kProfiles % std::size(sizes)];
    trial.launch.groups = 2;
    trial.launch.lanes = profile.lanes;
    options.isFlat = trial.launch.size[1] == 1;
    trial.generator = std::make_shared<Generator>(firstSeed + k, options);
    trial.name = "k" + std::to_string(firstSeed + k);
    trial.text = trial.generator->generate(trial.name, trial.launch, k % 3 != 0);
    text += trial.text;
    trials.push_back(trial);
  }
  std::optional<x86::CompiledKernels> kernels = tryCompile(text, profile.key, errors);
  if (!kernels) {
    // Which one it is.
    for (const Trial &trial : trials)
      if (!compileFor(trial.text, profile.key))
        return;
    FAIL() << errors;
  }
  for (const Trial &trial : trials) {
    check(trial, *kernels);
    if (HasFatalFailure())
      return;
  }
}

TEST_F(LanesControlTest, Divergent) { run({false, false, false}, 40, 1000); }
TEST_F(LanesControlTest, WithCollectives) { run({false, false, true}, 24, 2000); }
TEST_F(LanesControlTest, WithExits) { run({false, true, true}, 20, 3000); }
TEST_F(LanesControlTest, WithBarriers) { run({true, false, true}, 40, 4000); }

} // namespace
} // namespace loom::test
