// Thousands of live changes of workers and capacities while items flow: order, coverage and contents stay.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/pipelines.h"
#include "runtime/run.h"
#include "sluice/base/rng.h"
#include "stress/rounds.h"

namespace sluice {
namespace {

using Got = Pipeline::Got;

// Ops that cost next to nothing, about as much as a wake-up, and much more, burning and waiting, in turns.
PipelineDescription ManyCosts(std::uint64_t rows, bool ordered) {
  const auto exponential = [](int us) {
    return Distribution{Distribution::Kind::kExponential, std::chrono::microseconds(us)};
  };
  Describe p("costs");
  p.Seed(11).Epochs(0).Memory(32_MiB);
  p.Range(rows).Shuffled();
  p.Map("cheap", [](Item& item) { item.label += 1; });
  p.Synthetic("medium", {.burn = exponential(25)});
  p.Map("jumpy", JumpyWork);
  p.Synthetic("waits", {.wait = exponential(100), .allocate = 3_KiB});
  p.Shuffle(16);
  p.Map("last", [](Item& item) { item.label ^= static_cast<std::int64_t>(item.index); });
  p.Batch(4);
  PipelineDescription description = p;
  for (OpSpec& op : description.ops) op.ordered = ordered;
  return description;
}

// Takes items until there were so many changes; returns them.
std::vector<Taken> TakeDuringChanges(const PipelineDescription& description, std::uint64_t seed,
                                     std::uint64_t changes) {
  const auto pipeline = MustBuild(description);
  const Watchdog watchdog(*pipeline);
  const RandomResizer resizer(*pipeline, seed);
  pipeline->Start();
  std::vector<Taken> taken;
  Item item;
  while (resizer.changes() < changes) taken.push_back(Keep(pipeline->Next(item), item));
  return taken;
}

// The first `count` items without any change.
std::vector<Taken> TakeFirst(const PipelineDescription& description, std::size_t count) {
  const auto pipeline = MustBuild(description);
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  std::vector<Taken> taken;
  Item item;
  while (taken.size() < count) taken.push_back(Keep(pipeline->Next(item), item));
  return taken;
}

TEST(Resize, KeepsOrderAndContents) {
  const PipelineDescription description = ManyCosts(100, true);
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 500);
    ExpectSame(TakeFirst(Sized(description, 2, 16), taken.size()), taken, fmt::format("seed {}", seed));
  }
}

TEST(Resize, KeepsEveryRowAndTheEpochsApartWithoutOrder) {
  constexpr std::uint64_t kRows = 100;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(ManyCosts(kRows, false), seed, 500);
    std::vector<std::uint64_t> rows;
    std::uint64_t epoch = 0;
    for (const Taken& t : taken) {
      ASSERT_EQ(t.epoch, epoch) << "seed " << seed;
      rows.insert(rows.end(), t.indices.begin(), t.indices.end());
      if (t.got != Got::kEpochEnd) continue;
      std::ranges::sort(rows);
      ASSERT_EQ(rows, UpTo(kRows)) << "seed " << seed;
      rows.clear();
      ++epoch;
    }
    EXPECT_GT(epoch, 0u);
  }
}

TEST(Resize, OfTwoPipelinesSideBySide) {
  const PipelineDescription description = ManyCosts(100, true);
  std::vector<Taken> taken[2];
  {
    std::jthread other([&] { taken[1] = TakeDuringChanges(description, 8, Rounds(250)); });
    taken[0] = TakeDuringChanges(description, 9, Rounds(250));
  }
  const auto wanted = TakeFirst(Sized(description, 2, 16), std::max(taken[0].size(), taken[1].size()));
  for (const auto& got : taken)
    ExpectSame({wanted.begin(), wanted.begin() + got.size()}, got, "side by side");
}

TEST(Resize, OfImagesStraightIntoTheirBatches) {
  const ScratchFolder folder;
  WriteCifar(folder, 100);
  PipelineDescription description = CifarTraining(folder);
  description.epochs = 0;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 300);
    ExpectSame(TakeFirst(description, taken.size()), taken, fmt::format("seed {}", seed));
  }
}

TEST(Resize, WithAStopInTheMiddle) {
  const int before = Threads();
  for (std::uint64_t seed = 1; seed <= Rounds(20); ++seed) {
    static_cast<void>(TakeDuringChanges(ManyCosts(50, seed % 2 == 0), seed, 1 + seed % 10));
  }
  EXPECT_EQ(Threads(), before);
}

TEST(Resize, WithinATightBudget) {
  PipelineDescription description = ManyCosts(100, true);
  description.memory = 600_KiB;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 200);
    ASSERT_TRUE(std::ranges::none_of(taken, [](const Taken& t) { return t.got == Got::kError; }))
        << std::ranges::find_if(taken, [](const Taken& t) { return t.got == Got::kError; })->error;
    ExpectSame(TakeFirst(Sized(description, 2, 16), taken.size()), taken, fmt::format("seed {}", seed));
  }
}

}  // namespace
}  // namespace sluice
