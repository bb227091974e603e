// The same input, seed and settings give the same items in the same order, however many workers there are
// and however their number changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>

#include "ops/synthetic.h"
#include "runtime/pipelines.h"
#include "runtime/run.h"

namespace sluice::runtime {
namespace {

struct Size {
  int workers, capacity;
};
constexpr Size kSizes[] = {{1, 1}, {1, 64}, {2, 1}, {4, 3}, {16, 1}, {16, 16}};

void ExpectTheSameAtAnySize(const PipelineDescription& description) {
  const auto wanted = RunAll(description);
  for (const auto& [workers, capacity] : kSizes) {
    ExpectSame(wanted, RunAll(Sized(description, workers, capacity)),
               std::to_string(workers) + " workers, capacity " + std::to_string(capacity));
  }
  for (const std::uint64_t seed : {1, 2, 3}) {
    ExpectSame(wanted, RunAllResized(description, seed), "resized with seed " + std::to_string(seed));
  }
}

TEST(Order, OfRowsThroughMapsOfJumpyCost) {
  const auto description = RangeAndMaps(1000);
  ExpectTheSameAtAnySize(description);
  auto rows = IndicesOf(RunAll(Sized(description, 4, 4)));
  ASSERT_EQ(rows.size(), 2000u);
  EXPECT_FALSE(std::ranges::is_sorted(rows.begin(), rows.begin() + 1000));
  std::ranges::sort(rows.begin(), rows.begin() + 1000);
  EXPECT_TRUE(std::equal(rows.begin(), rows.begin() + 1000, UpTo(1000).begin()));
}

TEST(Order, OfPairsOfTwoSourcesInTurnAndAThird) {
  ExpectTheSameAtAnySize(CaptionedImages(150, 50, 203));
}

TEST(Order, OfCifarBatchesAndTheirPixels) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 250);
  ExpectTheSameAtAnySize(CifarTraining(folder));
}

TEST(Order, OfCifarBatchesReadFromDisk) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 250);
  auto description = CifarTraining(folder);
  const auto in_memory = RunAll(description);
  description.memory = 2_MiB;  // too little to keep the files
  ExpectSame(in_memory, RunAll(Sized(description, 4, 4)), "from disk");
}

TEST(Order, OfCifarBatchesWithOneHotLabels) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 100);
  auto description = CifarTraining(folder);
  std::get<MapSpec>(description.ops[1].what).one_hot = 10;
  const auto wanted = RunAll(description);
  EXPECT_TRUE(wanted[0].labels.empty());
  ExpectSame(wanted, RunAll(Sized(description, 16, 2)), "16 workers");
}

TEST(Order, OfFusedJpegBatchesAndTheirPixels) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 24);
  ExpectTheSameAtAnySize(JpegTraining(folder, true));
}

TEST(Order, OfUnfusedJpegBatchesAndTheirPixels) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 24);
  ExpectTheSameAtAnySize(JpegTraining(folder, false));
}

TEST(Order, OfJpegsThroughAShuffleBufferAndSeveralMaps) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 24);
  ExpectTheSameAtAnySize(JpegInSteps(folder));
}

// Rows copied into their batch, and rows written straight into it.
TEST(Order, BatchesHoldTheSamePixelsWithAndWithoutDirectSlots) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 100);
  Describe direct("direct"), copied("copied");
  for (Describe* p : {&direct, &copied}) {
    p->Memory(64_MiB);
    p->Cifar10(folder.Path("cifar"));
    p->Map("augment", {image::RandomCrop{32, 32, 4, 0}, image::RandomHorizontalFlip{}}).Workers(4);
    if (p == &copied) p->Take(1000);
    p->Batch(16);
  }
  ExpectSame(RunAll(direct), RunAll(copied), "direct against copied");
}

TEST(Order, WithoutItRowsStillComeOnceAndWithinTheirEpoch) {
  for (const auto& [workers, capacity] : kSizes) {
    Describe p("unordered");
    p.Epochs(4).Memory(16_MiB);
    p.Range(500).Unordered();
    p.Map("jumpy", JumpyWork).Unordered();
    p.Map("also", JumpyWork).Unordered();
    const auto taken = RunAll(Sized(p, workers, capacity));
    ASSERT_EQ(taken.size(), 4 * 501u + 1);
    for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
      const auto first = taken.begin() + static_cast<std::ptrdiff_t>(epoch * 501);
      auto rows = IndicesOf({first, first + 500});
      std::ranges::sort(rows);
      ASSERT_EQ(rows, UpTo(500)) << workers << " workers, epoch " << epoch;
      ASSERT_EQ(first[500].got, Pipeline::Got::kEpochEnd);
      for (int i = 0; i <= 500; ++i) ASSERT_EQ(first[i].epoch, epoch);
    }
  }
}

TEST(Order, WithoutItRowsStillComeOnceWhileWorkersChange) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Describe p("unordered");
    p.Epochs(3).Memory(16_MiB);
    p.Range(1000);
    p.Map("jumpy", JumpyWork).Unordered().Workers(4);
    p.Batch(8);
    auto rows = IndicesOf(RunAllResized(p, seed));
    ASSERT_EQ(rows.size(), 3000u);
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(1000 * epoch);
      std::sort(first, first + 1000);
      ASSERT_TRUE(std::equal(first, first + 1000, UpTo(1000).begin())) << "seed " << seed;
    }
  }
}

// A cheap op before it must not keep a dear op down to one worker, however little it may put ahead.
TEST(Order, AllWorkersOfADearOpWorkAtTheSameTimeEvenAtCapacityOne) {
  for (const int capacity : {1, 2, 16}) {
    constexpr int kWorkers = 4;
    std::barrier all_inside(kWorkers);
    Describe p("parallel");
    p.Memory(16_MiB);
    p.Range(20 * kWorkers).Capacity(capacity);
    p.Map("cheap", [](Item&) {}).Capacity(capacity);
    p.Map("dear",
          [&](Item&) {
            WaitFor(std::chrono::microseconds(300));
            all_inside.arrive_and_wait();
          })
        .Workers(kWorkers)
        .Capacity(capacity);
    EXPECT_EQ(RunAll(p).size(), 20u * kWorkers + 2);
  }
}

TEST(Order, SeveralPipelinesRunSideBySideInOneProcess) {
  const auto description = RangeAndMaps(500);
  const auto wanted = RunAll(description);
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      ExpectSame(wanted, RunAllResized(description, static_cast<std::uint64_t>(i)), "beside others");
    });
  }
}

TEST(Order, IsTheSameWithoutCounters) {
  const auto description = Sized(RangeAndMaps(1000), 4, 8);
  PipelineOptions options = Private();
  options.measure = false;
  ExpectSame(RunAll(description), TakeAll(*MustBuild(description, options)), "without counters");
}

}  // namespace
}  // namespace sluice::runtime
