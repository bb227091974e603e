// Wherever a run ends early, no thread and no buffer is left. (A buffer that is left aborts in the pool's
// destructor.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "runtime/pipelines.h"
#include "runtime/run.h"

namespace sluice::runtime {
namespace {

using Got = Pipeline::Got;

// Everything that can hold items: rows of its own memory, a shuffle buffer, direct slots, batches in the
// making. Endless.
PipelineDescription Everything(const formats::ScratchFolder& folder) {
  Describe p("everything");
  p.Epochs(0).Memory(32_MiB);
  p.Cifar10(folder.Path("cifar")).Shuffled();
  p.Synthetic("jumpy",
              {.burn = Distribution{Distribution::Kind::kExponential, std::chrono::microseconds(20)}});
  p.Shuffle(20);
  p.Repeat(2);
  p.Map("augment", {image::RandomCrop{32, 32, 4, 0}, image::ToFloat{}});
  p.Batch(8);
  p.Skip(1);
  return p;
}

// Takes `items`, then ends by the destructor or by Stop and the destructor.
void TakeSome(const PipelineDescription& description, int items, bool stop) {
  const auto pipeline = MustBuild(description);
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  Item item;
  for (int i = 0; i < items; ++i) ASSERT_NE(pipeline->Next(item), Got::kEnd);
  if (!stop) return;
  pipeline->Stop();
  EXPECT_EQ(pipeline->Next(item), Got::kEnd);
  EXPECT_EQ(item.buffer.get(), nullptr);
}

class EarlyStopTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, EarlyStopTest, testing::Values(1, 4, 16));

TEST_P(EarlyStopTest, LeavesNoThreadAndNoBufferAfterAnyNumberOfItems) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 50);
  const int before = Threads();
  for (const int capacity : {1, 8}) {
    const auto description = Sized(Everything(folder), GetParam(), capacity);
    for (const int items : {0, 1, 2, 3, 5, 8, 13, 40, 100}) {
      TakeSome(description, items, items % 2 == 0);
      ASSERT_EQ(Threads(), before) << items << " items";
    }
  }
}

TEST_P(EarlyStopTest, LeavesNothingBehindJpegs) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 12);
  const int before = Threads();
  for (const bool in_steps : {false, true}) {
    auto description = in_steps ? JpegInSteps(folder) : JpegTraining(folder, true);
    description.epochs = 0;
    for (const int items : {0, 1, 4, 9}) TakeSome(Sized(description, GetParam(), 4), items, true);
  }
  EXPECT_EQ(Threads(), before);
}

// Who cannot wait for a call that does not come back learns so, and in which row it is.
TEST_P(EarlyStopTest, LeavesNothingOfPairsInTheMaking) {
  const int before = Threads();
  PipelineDescription description = CaptionedImages(20, 10, 33);
  description.epochs = 0;
  for (const int items : {0, 1, 2, 7, 30}) TakeSome(Sized(description, GetParam(), 3), items, items % 2 == 0);
  EXPECT_EQ(Threads(), before);
}

TEST_P(EarlyStopTest, SaysWhetherTheWorkersHaveLeftInTime) {
  std::latch release(1), inside(1);
  Describe p("stuck");
  p.Memory(16_MiB).Epochs(0);
  p.Range(100);
  p.Map("stuck",
        [&](Item& item) {
          if (item.index != 7) return;
          inside.count_down();
          release.wait();
        })
      .Workers(GetParam())
      .Capacity(16);
  const auto pipeline = MustBuild(p);
  pipeline->Start();
  inside.wait();
  EXPECT_FALSE(pipeline->StopWithin(std::chrono::milliseconds(1)));
  EXPECT_THAT(pipeline->Inside(), testing::StartsWith("stuck has been inside row 7 for "));
  release.count_down();
  EXPECT_TRUE(pipeline->StopWithin(std::chrono::minutes(1)));
  EXPECT_EQ(pipeline->Inside(), "");
}

TEST_P(EarlyStopTest, APipelineThatNeverStartedLeavesNothing) {
  const int before = Threads();
  {
    const auto pipeline = MustBuild(Sized(RangeAndMaps(100), GetParam(), 4));
  }
  EXPECT_EQ(Threads(), before);
}

TEST_P(EarlyStopTest, APipelineWhoseItemsNobodyTakesLeavesNothing) {
  const int before = Threads();
  for (int i = 0; i < 20; ++i) {
    const auto pipeline = MustBuild(Sized(RangeAndMaps(100), GetParam(), 4));
    pipeline->Start();
  }
  EXPECT_EQ(Threads(), before);
}

TEST_P(EarlyStopTest, AnItemInTheUsersHandsMayBeGivenBackLast) {
  const auto pipeline = MustBuild(Sized(RangeAndMaps(100), GetParam(), 4));
  pipeline->Start();
  Item item;
  ASSERT_EQ(pipeline->Next(item), Got::kItem);
  pipeline->Stop();
  EXPECT_EQ(item.Rows(), 7u);
}

TEST_P(EarlyStopTest, StopFromAnotherThreadWakesANextThatWaits) {
  Describe p("blocked");
  p.Memory(16_MiB);
  std::latch entered(1), release(1);
  p.Range(1);
  p.Map("blocks", [&](Item&) {
    entered.count_down();
    release.wait();
  });
  const auto pipeline = MustBuild(Sized(p, GetParam(), 1));
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  std::jthread stopper([&] {
    entered.wait();
    pipeline->Stop();
  });
  Item item;
  EXPECT_EQ(pipeline->Next(item), Got::kEnd);
  release.count_down();
}

TEST_P(EarlyStopTest, StopAfterAnErrorAndAfterTheEndChangesNothing) {
  Describe p("error");
  p.Memory(16_MiB);
  p.Range(100);
  p.Map("fails", [](Item& item) {
    if (item.index == 3) throw std::runtime_error("three");
  });
  const auto pipeline = MustBuild(Sized(p, GetParam(), 2));
  EXPECT_EQ(TakeAll(*pipeline).size(), 5u);
  pipeline->Stop();
  Item item;
  EXPECT_EQ(pipeline->Next(item), Got::kEnd);
}

TEST_P(EarlyStopTest, InTheMiddleOfResizes) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 50);
  const int before = Threads();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto pipeline = MustBuild(Sized(Everything(folder), GetParam(), 2));
    const RandomResizer resizer(*pipeline, seed);
    const Watchdog watchdog(*pipeline);
    pipeline->Start();
    Item item;
    for (std::uint64_t i = 0; i < 5 * seed; ++i) ASSERT_NE(pipeline->Next(item), Got::kEnd);
    pipeline->Stop();
  }
  EXPECT_EQ(Threads(), before);
}

}  // namespace
}  // namespace sluice::runtime
