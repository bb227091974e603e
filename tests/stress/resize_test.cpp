// Thousands of live changes of workers and capacities while items flow: order, coverage and contents stay.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/pipelines.h"
#include "runtime/run.h"
#include "sluice/base/rng.h"
#include "stress/rounds.h"

namespace sluice::stress {
namespace {

using Got = runtime::Pipeline::Got;

// Ops that cost next to nothing, about as much as a wake-up, and much more, burning and waiting, in turns.
runtime::PipelineDescription ManyCosts(std::uint64_t rows, bool ordered) {
  const auto exponential = [](int us) {
    return Distribution{Distribution::Kind::kExponential, std::chrono::microseconds(us)};
  };
  runtime::Describe p("costs");
  p.Seed(11).Epochs(0).Memory(32_MiB);
  p.Range(rows).Shuffled();
  p.Map("cheap", [](runtime::Item& item) { item.label += 1; });
  p.Synthetic("medium", {.burn = exponential(25)});
  p.Map("jumpy", runtime::JumpyWork);
  p.Synthetic("waits", {.wait = exponential(100), .allocate = 3_KiB});
  p.Shuffle(16);
  p.Map("last", [](runtime::Item& item) { item.label ^= static_cast<std::int64_t>(item.index); });
  p.Batch(4);
  runtime::PipelineDescription description = p;
  for (runtime::OpSpec& op : description.ops) op.ordered = ordered;
  return description;
}

// Takes items until there were so many changes; returns them.
std::vector<runtime::Taken> TakeDuringChanges(const runtime::PipelineDescription& description,
                                              std::uint64_t seed, std::uint64_t changes) {
  const auto pipeline = runtime::MustBuild(description);
  const runtime::Watchdog watchdog(*pipeline);
  const runtime::RandomResizer resizer(*pipeline, seed);
  pipeline->Start();
  std::vector<runtime::Taken> taken;
  runtime::Item item;
  while (resizer.changes() < changes) taken.push_back(runtime::Keep(pipeline->Next(item), item));
  return taken;
}

// The first `count` items without any change.
std::vector<runtime::Taken> TakeFirst(const runtime::PipelineDescription& description, std::size_t count) {
  const auto pipeline = runtime::MustBuild(description);
  const runtime::Watchdog watchdog(*pipeline);
  pipeline->Start();
  std::vector<runtime::Taken> taken;
  runtime::Item item;
  while (taken.size() < count) taken.push_back(runtime::Keep(pipeline->Next(item), item));
  return taken;
}

TEST(Resize, KeepsOrderAndContents) {
  const runtime::PipelineDescription description = ManyCosts(100, true);
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 500);
    runtime::ExpectSame(TakeFirst(runtime::Sized(description, 2, 16), taken.size()), taken,
                        fmt::format("seed {}", seed));
  }
}

TEST(Resize, KeepsEveryRowAndTheEpochsApartWithoutOrder) {
  constexpr std::uint64_t kRows = 100;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(ManyCosts(kRows, false), seed, 500);
    std::vector<std::uint64_t> rows;
    std::uint64_t epoch = 0;
    for (const runtime::Taken& t : taken) {
      ASSERT_EQ(t.epoch, epoch) << "seed " << seed;
      rows.insert(rows.end(), t.indices.begin(), t.indices.end());
      if (t.got != Got::kEpochEnd) continue;
      std::ranges::sort(rows);
      ASSERT_EQ(rows, runtime::UpTo(kRows)) << "seed " << seed;
      rows.clear();
      ++epoch;
    }
    EXPECT_GT(epoch, 0u);
  }
}

TEST(Resize, OfTwoPipelinesSideBySide) {
  const runtime::PipelineDescription description = ManyCosts(100, true);
  std::vector<runtime::Taken> taken[2];
  {
    std::jthread other([&] { taken[1] = TakeDuringChanges(description, 8, Rounds(250)); });
    taken[0] = TakeDuringChanges(description, 9, Rounds(250));
  }
  const auto wanted =
      TakeFirst(runtime::Sized(description, 2, 16), std::max(taken[0].size(), taken[1].size()));
  for (const auto& got : taken)
    runtime::ExpectSame({wanted.begin(), wanted.begin() + got.size()}, got, "side by side");
}

TEST(Resize, OfImagesStraightIntoTheirBatches) {
  const formats::ScratchFolder folder;
  runtime::WriteCifar(folder, 100);
  runtime::PipelineDescription description = runtime::CifarTraining(folder);
  description.epochs = 0;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 300);
    runtime::ExpectSame(TakeFirst(description, taken.size()), taken, fmt::format("seed {}", seed));
  }
}

// The order, the pairs and the ends of epochs of branches that run ahead of each other, in a budget that they
// share.
TEST(Resize, OfBranchesThatAreTakenInTurnAndZipped) {
  runtime::PipelineDescription description = runtime::CaptionedImages(40, 15, 70);
  description.epochs = 0;
  description.memory = 1_MiB;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 500);
    runtime::ExpectSame(TakeFirst(runtime::Sized(description, 2, 16), taken.size()), taken,
                        fmt::format("seed {}", seed));
  }
}

TEST(Resize, WithAStopInTheMiddle) {
  const int before = runtime::Threads();
  for (std::uint64_t seed = 1; seed <= Rounds(20); ++seed) {
    static_cast<void>(TakeDuringChanges(ManyCosts(50, seed % 2 == 0), seed, 1 + seed % 10));
  }
  EXPECT_EQ(runtime::Threads(), before);
}

TEST(Resize, WithinATightBudget) {
  runtime::PipelineDescription description = ManyCosts(100, true);
  description.memory = 600_KiB;
  for (std::uint64_t seed = 1; seed <= Rounds(2); ++seed) {
    const auto taken = TakeDuringChanges(description, seed, 200);
    ASSERT_TRUE(std::ranges::none_of(taken, [](const runtime::Taken& t) { return t.got == Got::kError; }))
        << std::ranges::find_if(taken, [](const runtime::Taken& t) { return t.got == Got::kError; })->error;
    runtime::ExpectSame(TakeFirst(runtime::Sized(description, 2, 16), taken.size()), taken,
                        fmt::format("seed {}", seed));
  }
}

}  // namespace
}  // namespace sluice::stress
