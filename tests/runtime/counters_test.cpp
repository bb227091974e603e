// What the telemetry segment says is the truth, and what is asked for through it is done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <limits>
#include <numeric>
#include <thread>

#include "runtime/pipelines.h"
#include "runtime/run.h"
#include "sluice/base/clock.h"
#include "sluice/probes/segment_view.h"

namespace sluice::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Got = Pipeline::Got;
constexpr std::size_t kRange = 0, kFirst = 1, kJumpy = 2, kLast = 3, kBatch = 4;

void WaitUntil(const std::function<bool()>& done) {
  while (!done()) std::this_thread::yield();
}

class CountersTest : public testing::TestWithParam<std::pair<int, int>> {};
INSTANTIATE_TEST_SUITE_P(WorkersAndCapacity, CountersTest,
                         testing::Values(std::pair(1, 1), std::pair(1, 64), std::pair(4, 2),
                                         std::pair(16, 16)));

void ExpectExact(const Snapshot& seen) {
  for (const std::size_t op : {kRange, kFirst, kJumpy, kLast}) {
    EXPECT_EQ(seen.ops[op].items, 2000u) << seen.graph->ops[op].name;
    EXPECT_EQ(seen.connectors[op].pushed, 2002u) << "rows and two marks";
    EXPECT_EQ(seen.connectors[op].popped, 2002u);
  }
  EXPECT_EQ(seen.ops[kBatch].items, 2 * 143u);
  EXPECT_EQ(seen.connectors[kBatch].popped, 2 * 144u);
  EXPECT_EQ(seen.consumer.items, 2 * 143u);
  EXPECT_EQ(seen.consumer.rows, 2000u);
  EXPECT_EQ(seen.epoch, 2u);
  for (const OpReading& op : seen.ops) {
    EXPECT_EQ(std::accumulate(op.latency.begin(), op.latency.end(), std::uint64_t{0}), op.items);
    EXPECT_EQ(op.failed, 0u);
  }
  for (const ConnectorReading& connector : seen.connectors) {
    EXPECT_EQ(connector.depth, 0u);
    EXPECT_EQ(connector.bytes, Bytes{0});
  }
}

TEST_P(CountersTest, AreExactAtTheEnd) {
  const auto pipeline = MustBuild(Sized(RangeAndMaps(1000), GetParam().first, GetParam().second));
  static_cast<void>(TakeAll(*pipeline));
  ExpectExact(ReadCounters(*pipeline));
}

TEST_P(CountersTest, AreExactHoweverTheWorkersChanged) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto pipeline = MustBuild(Sized(RangeAndMaps(1000), GetParam().first, GetParam().second));
    {
      const RandomResizer resizer(*pipeline, seed);
      static_cast<void>(TakeAll(*pipeline));
    }
    ExpectExact(ReadCounters(*pipeline));
  }
}

TEST_P(CountersTest, NeverFallWhileTheRunGoesOn) {
  const auto pipeline = MustBuild(Sized(RangeAndMaps(1000), GetParam().first, GetParam().second));
  std::atomic<bool> over{false};
  std::jthread reader([&] {
    const auto segment = probes::SegmentReader::Over(pipeline->segment());
    Snapshot before = segment->Read(MonoNow(), WallNow());
    while (!over) {
      const Snapshot now = segment->Read(MonoNow(), WallNow());
      for (std::size_t i = 0; i < now.ops.size(); ++i) {
        ASSERT_GE(now.ops[i].items, before.ops[i].items);
        ASSERT_GE(now.ops[i].busy, before.ops[i].busy);
        ASSERT_GE(now.connectors[i].popped, before.connectors[i].popped);
        ASSERT_GE(now.connectors[i].depth_seconds, before.connectors[i].depth_seconds);
      }
      before = now;
    }
  });
  static_cast<void>(TakeAll(*pipeline));
  over = true;
}

void ExpectGrown(const std::vector<WorkerReading>& before, const std::vector<WorkerReading>& now) {
  ASSERT_GE(now.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(now[i].op, before[i].op);
    ASSERT_EQ(now[i].number, before[i].number);
    ASSERT_GE(now[i].items, before[i].items);
    ASSERT_GE(now[i].busy, before[i].busy);
    ASSERT_GE(now[i].starved, before[i].starved);
    ASSERT_GE(now[i].backed_up, before[i].backed_up);
  }
}

void ExpectAddUp(const std::vector<WorkerReading>& workers, const Snapshot& seen) {
  std::vector<std::uint64_t> items(seen.ops.size());
  std::vector<int> count(seen.ops.size());
  for (const WorkerReading& worker : workers) {
    items[Index(worker.op)] += worker.items;
    EXPECT_EQ(worker.number, count[Index(worker.op)]++);
  }
  for (std::size_t op = 0; op < seen.ops.size(); ++op) EXPECT_EQ(items[op], seen.ops[op].items);
}

// A worker that leaves and the one that comes in its place are the same to who counts.
TEST_P(CountersTest, OfEachWorkerNeverFallWhileWorkersComeAndGo) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const auto pipeline = MustBuild(Sized(RangeAndMaps(1000), GetParam().first, GetParam().second));
    std::atomic<bool> over{false};
    std::jthread reader([&] {
      const auto segment = probes::SegmentReader::Over(pipeline->segment());
      for (std::vector<WorkerReading> before; !over;) {
        std::vector<WorkerReading> now = segment->Workers(MonoNow());
        ExpectGrown(before, now);
        before = std::move(now);
      }
    });
    {
      const RandomResizer resizer(*pipeline, seed);
      static_cast<void>(TakeAll(*pipeline));
    }
    over = true;
    reader.join();
    const auto segment = probes::SegmentReader::Over(pipeline->segment());
    ExpectAddUp(segment->Workers(MonoNow()), ReadCounters(*pipeline));
  }
}

TEST(Counters, BytesAreThoseThatPassed) {
  const formats::ScratchFolder folder;
  WriteCifar(folder, 100);
  auto description = CifarTraining(folder);
  description.epochs = 1;
  const auto pipeline = MustBuild(description);
  static_cast<void>(TakeAll(*pipeline));
  const Snapshot seen = ReadCounters(*pipeline);
  EXPECT_EQ(seen.ops[0].bytes, (Bytes{100 * 3072}));
  EXPECT_EQ(seen.ops[1].bytes, (Bytes{100 * 3072 * 4}));
  EXPECT_EQ(seen.ops[2].bytes, (Bytes{100 * 3072 * 4}));
}

TEST(Counters, TheTimeInsideTheOpIsBusyAndTheTimeWithoutInputIsStarved) {
  Describe p("times");
  p.Memory(16_MiB);
  p.Range(20);
  p.Synthetic("slow", {.wait = Distribution{.mean = std::chrono::milliseconds(5)}});
  p.Map("after", [](Item&) {});
  const auto pipeline = MustBuild(p);
  static_cast<void>(TakeAll(*pipeline));
  const Snapshot seen = ReadCounters(*pipeline);
  EXPECT_GE(seen.ops[1].busy, std::chrono::milliseconds(100));
  EXPECT_GE(seen.ops[2].starved, std::chrono::milliseconds(80));
  EXPECT_GE(seen.consumer.starved, std::chrono::milliseconds(80));
  EXPECT_GE(seen.ops[0].backed_up + seen.ops[0].starved, Nanos(0));
  EXPECT_LT(seen.ops[2].busy, seen.ops[2].starved);
}

TEST(Counters, EachStepOfTheConsumerAndEachWaitAreCountedByTheirTime) {
  Describe p("steps");
  p.Memory(16_MiB);
  p.Range(20);
  p.Synthetic("slow", {.wait = Distribution{.mean = std::chrono::milliseconds(5)}});
  const auto pipeline = MustBuild(p);
  static_cast<void>(TakeAll(*pipeline));
  const Snapshot seen = ReadCounters(*pipeline);
  const auto sum = [](const LatencyHistogram& counted) {
    return std::accumulate(counted.begin(), counted.end(), std::uint64_t{0});
  };
  EXPECT_EQ(sum(seen.consumer.waits), seen.consumer.items);
  EXPECT_EQ(sum(seen.consumer.steps), seen.consumer.items);
  EXPECT_GE(std::accumulate(seen.consumer.waits.begin() + 22, seen.consumer.waits.end(), std::uint64_t{0}),
            10u)
      << "longer than 4.2 ms";
}

// A pipeline that waits for nothing but what the test does.
class KnobsTest : public testing::Test {
 protected:
  KnobsTest() {
    Describe p("knobs");
    p.Epochs(0).Memory(16_MiB);
    p.Range(100);
    p.Map("work", JumpyWork).Workers(2).Capacity(4);
    p.Take(50);
    pipeline_ = MustBuild(p);
    watchdog_ = std::make_unique<Watchdog>(*pipeline_);
    pipeline_->Start();
  }
  Knob Applied(std::size_t knob) {
    Knob seen;
    WaitUntil([&] {
      seen = ReadCounters(*pipeline_).knobs[knob];
      return seen.value == seen.requested;
    });
    return seen;
  }
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<Watchdog> watchdog_;
};

TEST_F(KnobsTest, ARequestThroughTheSegmentIsApplied) {
  auto requester = probes::KnobRequester::Over(pipeline_->segment());
  ASSERT_TRUE(requester);
  ASSERT_TRUE(requester->Request({KnobKind::kWorkers, 1}, 5));
  ASSERT_TRUE(requester->Request({KnobKind::kCapacity, 1}, 9));
  EXPECT_EQ(Applied(2).value, 5);
  EXPECT_EQ(Applied(3).value, 9);
  EXPECT_EQ(ReadCounters(*pipeline_).connectors[1].capacity, 9u);
  EXPECT_EQ(ReadCounters(*pipeline_).ops[1].workers, 5);
}

TEST_F(KnobsTest, WhatElseSomebodyWritesIntoTheCellIsNotLookedAt) {
  const auto view = probes::SegmentView::Over(pipeline_->segment());
  ASSERT_TRUE(view);
  probes::segment::KnobCell& cell = *view->knob(2);
  // As another process would, beside whoever reads (the watchdog).
  std::atomic_ref(cell.target).store(2);
  std::atomic_ref(cell.kind).store(static_cast<std::uint32_t>(KnobKind::kCapacity));
  std::atomic_ref(cell.max).store(1'000'000);
  cell.requested = std::numeric_limits<std::int64_t>::max();
  WaitUntil([&] { return cell.applied == 64; });
  WaitUntil([&] { return cell.requested == 64; });
}

TEST_F(KnobsTest, FewerWorkersLeave) {
  const int before = Threads();
  pipeline_->SetWorkers(OpId{1}, 12);
  EXPECT_EQ(Applied(2).value, 12);
  EXPECT_EQ(Threads(), before + 10);
  pipeline_->SetWorkers(OpId{1}, 1);
  WaitUntil([&] { return Threads() == before - 1; });
  EXPECT_EQ(ReadCounters(*pipeline_).ops[1].workers, 1);
}

TEST_F(KnobsTest, AWrongRequestIsRefusedOrMovedToTheNearestBound) {
  auto requester = probes::KnobRequester::Over(pipeline_->segment());
  EXPECT_FALSE(requester->Request({KnobKind::kWorkers, 1}, 65));
  EXPECT_FALSE(requester->Request({KnobKind::kWorkers, 2}, 2)) << "take is serial";
  pipeline_->SetWorkers(OpId{1}, 1000);
  EXPECT_EQ(Applied(2).value, 64);
  pipeline_->SetWorkers(OpId{1}, -3);
  EXPECT_EQ(Applied(2).value, 1);
  pipeline_->SetWorkers(OpId{2}, 8);
  EXPECT_EQ(Applied(4).value, 1);
}

TEST_F(KnobsTest, AnAppliedChangeCountsOnce) {
  const std::uint64_t before = ReadCounters(*pipeline_).knobs[2].generation;
  pipeline_->SetWorkers(OpId{1}, 3);
  EXPECT_EQ(Applied(2).generation, before + 1);
}

// Knobs are changed while nobody takes anything: nothing may depend on items that flow.
TEST_F(KnobsTest, AWiderConnectorIsFilledWithoutTheConsumersHelp) {
  pipeline_->SetCapacity(ConnectorId{2}, 30);
  WaitUntil([&] { return ReadCounters(*pipeline_).connectors[2].depth == 30; });
}

TEST(Stall, IsReportedWithWhatEveryOpWaitsFor) {
  Describe p("stalls");
  p.Memory(16_MiB);
  std::latch release(1);
  p.Range(100);
  p.Map("stuck", [&](Item&) { release.wait(); }).Workers(2);
  p.Map("behind", [](Item&) {});
  PipelineOptions options = Private();
  options.stall_after = std::chrono::seconds(1);
  const auto pipeline = MustBuild(p, options);
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  std::jthread consumer([&] {
    Item item;
    while (pipeline->Next(item) == Got::kItem) {
    }
  });
  WaitUntil([&] { return !EventsOf(*pipeline).empty(); });
  EXPECT_THAT(EventsOf(*pipeline)[0],
              AllOf(HasSubstr("nothing has reached the consumer for 1 s; stuck has been inside row 0 for "),
                    HasSubstr("stuck: 2 of 2 workers inside the op"), HasSubstr("behind: 0 of 1 workers"),
                    HasSubstr("no input"), HasSubstr("range: 0 of 1 workers inside the op, 1 parked")));
  EXPECT_EQ(EventsOf(*pipeline).size(), 1u);
  release.count_down();
}

// Two workers are inside rows, one since before the other was there: its file is named.
TEST(Stall, NamesTheFileThatAnOpHasBeenInsideOfForLongest) {
  const formats::ScratchFolder folder;
  WriteJpegs(folder, 6);
  Describe p("stalls");
  p.Memory(16_MiB);
  std::latch release(1), four(1), five(1);
  p.ImageFolder(folder.Path("jpegs"));
  p.Map("stuck", [&](Item& item) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // dear: run by its own threads, row by row
    if (item.index < 4) return;
    (item.index == 4 ? four : five).count_down();
    release.wait();
  });
  PipelineOptions options = Private();
  options.stall_after = std::chrono::seconds(1);
  const auto pipeline = MustBuild(p, options);
  const Watchdog watchdog(*pipeline);
  EXPECT_EQ(pipeline->Inside(), "");
  pipeline->Start();
  std::jthread consumer([&] {
    Item item;
    while (pipeline->Next(item) == Got::kItem) {
    }
  });
  four.wait();
  pipeline->SetWorkers(OpId{1}, 2);
  five.wait();
  const std::string named = "stuck has been inside row 4 (" + JpegPath(folder, 4, 6) + ") for ";
  EXPECT_THAT(pipeline->Inside(), HasSubstr(named));
  WaitUntil([&] { return !EventsOf(*pipeline).empty(); });
  EXPECT_THAT(EventsOf(*pipeline)[0], HasSubstr("1 s; " + named));
  release.count_down();
}

// The op before holds the others up, and was inside of its row first.
TEST(Stall, NamesTheOpThatHasBeenInsideForLongest) {
  Describe p("stalls");
  p.Memory(16_MiB);
  std::latch release(1), before_is_inside(1), behind_is_inside(1);
  p.Range(100);
  p.Map("before", [&](Item& item) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // dear, as above
    if (item.index != 2) return;
    before_is_inside.count_down();
    release.wait();
  });
  p.Map("behind", [&](Item& item) {
    before_is_inside.wait();
    if (item.index != 1) return;
    behind_is_inside.count_down();
    release.wait();
  });
  const auto pipeline = MustBuild(p);
  const Watchdog watchdog(*pipeline);
  pipeline->Start();
  behind_is_inside.wait();
  EXPECT_THAT(pipeline->Inside(), HasSubstr("before has been inside row 2 for "));
  release.count_down();
}

TEST(Decisions, LandInTheSegmentsRing) {
  const auto pipeline = MustBuild(RangeAndMaps(10));
  pipeline->LogDecision(42, R"({"because": "a test"})");
  const auto reader = probes::SegmentReader::Over(pipeline->segment());
  ASSERT_EQ(reader->Decisions().size(), 1u);
  EXPECT_EQ(reader->Decisions()[0].text, R"({"because": "a test"})");
}

}  // namespace
}  // namespace sluice::runtime
