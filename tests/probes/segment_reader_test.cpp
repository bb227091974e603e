#include "sluice/probes/segment_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "probes/segment_fixture.h"
#include "sluice/probes/intervals.h"

namespace sluice::probes {
namespace {

using segment::WorkerState;
using std::chrono::milliseconds;

constexpr MonoTime kNow = std::chrono::seconds(1000);

std::uint32_t Code(WorkerState state) {
  return static_cast<std::uint32_t>(state);
}

class SegmentReaderTest : public testing::Test {
 protected:
  SegmentReader Reader() { return *SegmentReader::Over(writer_.bytes()); }
  Snapshot Read(MonoTime now = kNow) { return Reader().Read(now, Nanos(7)); }

  SegmentWriter writer_{PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{1.5, 64_MiB}};
};

TEST_F(SegmentReaderTest, GivesBackTheGraphKnobsAndBudgetThatWereWritten) {
  const Snapshot seen = Read();
  ASSERT_EQ(seen.graph->ops.size(), 3u);
  EXPECT_EQ(seen.graph->ops[2].name, "batch");
  EXPECT_EQ(seen.graph->ops[2].rows_per_item, 64u);
  EXPECT_TRUE(seen.graph->ops[0].serial);
  EXPECT_FALSE(seen.graph->ops[0].passes_on);
  EXPECT_FALSE(seen.graph->ops[1].serial);
  EXPECT_TRUE(seen.graph->ops[1].passes_on);
  EXPECT_FALSE(seen.graph->ops[0].reads_nothing);
  EXPECT_TRUE(seen.graph->ops[1].reads_nothing);
  EXPECT_EQ(seen.graph->connectors[1].to, OpId{2});
  EXPECT_EQ(seen.graph->connectors[2].to, std::nullopt);
  ASSERT_EQ(seen.knobs.size(), 2u);
  EXPECT_EQ(seen.knobs[1].name, "decode.capacity");
  EXPECT_EQ(seen.knobs[1].value, 4);
  EXPECT_EQ(seen.knobs[1].max, 64);
  EXPECT_EQ(seen.budget, (Budget{1.5, 64_MiB}));
  EXPECT_EQ(seen.at, kNow);
  EXPECT_EQ(seen.wall, Nanos(7));
}

TEST_F(SegmentReaderTest, TheGraphIsBuiltOnceAndShared) {
  const auto reader = Reader();
  EXPECT_EQ(reader.Read(kNow, Nanos{0}).graph, reader.Read(kNow, Nanos{0}).graph);
}

TEST_F(SegmentReaderTest, SumsCountersOverTheWorkersOfAnOpRetiredOnesIncluded) {
  for (const auto state : {WorkerState::kStarved, WorkerState::kRetired}) {
    auto& slot = writer_.AddWorker(OpId{1});
    slot.state = Code(state);
    slot.items = 10;
    slot.bytes = 1000;
    slot.busy_ns = 500;
    slot.latency[5] = 10;
  }
  writer_.op(OpId{1}).failed = 3;
  const OpReading decode = Read().ops[1];
  EXPECT_EQ(decode.items, 20u);
  EXPECT_EQ(decode.bytes, Bytes{2000});
  EXPECT_EQ(decode.busy, Nanos(1000));
  EXPECT_EQ(decode.failed, 3u);
  EXPECT_EQ(decode.latency[5], 20u);
  EXPECT_EQ(decode.workers, 1);
  EXPECT_EQ(decode.on_cpu, std::nullopt);
}

TEST_F(SegmentReaderTest, AnIntervalStillOpenCountsUpToNow) {
  auto& busy = writer_.AddWorker(OpId{1});
  segment::Enter(busy, WorkerState::kStarved, (kNow - milliseconds(30)).count());
  segment::Enter(busy, WorkerState::kBusy, (kNow - milliseconds(10)).count());
  auto& full = writer_.AddWorker(OpId{1});
  segment::Enter(full, WorkerState::kBackedUp, (kNow - milliseconds(5)).count());
  const OpReading decode = Read().ops[1];
  EXPECT_EQ(decode.starved, milliseconds(20));
  EXPECT_EQ(decode.busy, milliseconds(10));
  EXPECT_EQ(decode.backed_up, milliseconds(5));
  EXPECT_EQ(decode.workers, 2);
}

TEST_F(SegmentReaderTest, ATimeBeforeTheLastWriteAddsNothing) {
  auto& slot = writer_.AddWorker(OpId{1});
  segment::Enter(slot, WorkerState::kBusy, (kNow + milliseconds(5)).count());
  EXPECT_EQ(Read().ops[1].busy, Nanos(0));
}

TEST_F(SegmentReaderTest, ConnectorTimesAreBroughtUpToNow) {
  auto& connector = writer_.connector(ConnectorId{1});
  connector.changed = (kNow - milliseconds(500)).count();
  connector.depth = 4;
  connector.depth_integral = 2'000'000'000;
  connector.capacity = 4;
  connector.full_since = (kNow - milliseconds(100)).count();
  connector.full_ns = 50'000'000;
  connector.empty_ns = 1000;
  connector.pushed_bytes = 500;
  connector.popped_bytes = 200;
  const ConnectorReading seen = Read().connectors[1];
  EXPECT_DOUBLE_EQ(seen.depth_seconds, 2.0 + 4 * 0.5);
  EXPECT_EQ(seen.full, milliseconds(150));
  EXPECT_EQ(seen.empty, Nanos(1000));
  EXPECT_EQ(seen.bytes, Bytes{300});
  EXPECT_EQ(seen.capacity, 4u);
}

TEST_F(SegmentReaderTest, DepthSetByAWriterAddsToItsIntegralAndEmptyTime) {
  auto& connector = writer_.connector(ConnectorId{0});
  connector.changed = (kNow - milliseconds(30)).count();
  segment::SetDepth(connector, 3, (kNow - milliseconds(20)).count());
  segment::SetDepth(connector, 1, (kNow - milliseconds(10)).count());
  const ConnectorReading seen = Read().connectors[0];
  EXPECT_EQ(seen.empty, milliseconds(10));
  EXPECT_DOUBLE_EQ(seen.depth_seconds, 0.03 + 0.01);
  EXPECT_EQ(seen.depth, 1u);
}

TEST_F(SegmentReaderTest, AnEmptyConnectorIsEmptySinceItsLastChange) {
  auto& connector = writer_.connector(ConnectorId{0});
  connector.changed = (kNow - milliseconds(500)).count();
  EXPECT_EQ(Read().connectors[0].empty, milliseconds(500));
}

TEST_F(SegmentReaderTest, TheConsumersOpenWaitCountsUpToNow) {
  auto& consumer = writer_.consumer();
  segment::Enter(consumer, WorkerState::kBusy, (kNow - milliseconds(90)).count());
  segment::Enter(consumer, WorkerState::kStarved, (kNow - milliseconds(20)).count());
  consumer.rows = 640;
  const ConsumerReading seen = Read().consumer;
  EXPECT_EQ(seen.busy, milliseconds(70));
  EXPECT_EQ(seen.starved, milliseconds(20));
  EXPECT_EQ(seen.rows, 640u);
}

TEST_F(SegmentReaderTest, AReaderNeverSeesATimeFall) {
  auto& slot = writer_.AddWorker(OpId{1});
  segment::Enter(slot, WorkerState::kBusy, (kNow - milliseconds(10)).count());
  const auto reader = Reader();
  EXPECT_EQ(reader.Read(kNow, Nanos{0}).ops[1].busy, milliseconds(10));
  slot.since = kNow.count();  // as between the two stores of a writer
  EXPECT_EQ(reader.Read(kNow, Nanos{0}).ops[1].busy, milliseconds(10));
}

TEST_F(SegmentReaderTest, ThreadsComeInTheOrderOfSlots) {
  auto& one = writer_.AddWorker(OpId{1});
  auto& two = writer_.AddWorker(OpId{0});
  one.tid = 11;
  one.state = Code(WorkerState::kRetired);
  two.tid = 12;
  two.helped_ns = 5;
  two.thread_helping_ns = 6;
  segment::Enter(two, WorkerState::kBusy, (kNow - milliseconds(1)).count());
  const auto threads = Reader().Threads(kNow);
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[0].tid, 11);
  EXPECT_TRUE(threads[0].retired);
  EXPECT_EQ(threads[1].op, OpId{0});
  EXPECT_EQ(threads[1].busy, milliseconds(1));
  EXPECT_EQ(threads[1].helped, Nanos(5));
  EXPECT_EQ(threads[1].helping, Nanos(6));
  EXPECT_EQ(Reader().Threads()[1].busy, Nanos(0));
}

TEST_F(SegmentReaderTest, TellsWorkersApartByTheirOpAndTheirPlaceInIt) {
  for (const std::uint32_t op : {1, 0, 1}) {
    auto& slot = writer_.AddWorker(OpId{op});
    slot.items = 5 + op;
    slot.starved_ns = 7;
    slot.backed_up_ns = 9;
    segment::Enter(slot, WorkerState::kBusy, (kNow - milliseconds(3)).count());
  }
  const WorkerReading first{OpId{1}, 0, 6, milliseconds(3), Nanos(7), Nanos(9)};
  EXPECT_THAT(Reader().Workers(kNow),
              testing::ElementsAre(first, WorkerReading{OpId{0}, 0, 5, milliseconds(3), Nanos(7), Nanos(9)},
                                   WorkerReading{OpId{1}, 1, 6, milliseconds(3), Nanos(7), Nanos(9)}));
}

TEST_F(SegmentReaderTest, AWorkerThatTakesTheSlotOfAnotherGoesOnCounting) {
  auto& slot = writer_.AddWorker(OpId{1});
  segment::Enter(slot, WorkerState::kBusy, (kNow - milliseconds(10)).count());
  segment::Enter(slot, WorkerState::kRetired, (kNow - milliseconds(6)).count());
  segment::Enter(slot, WorkerState::kStarved, (kNow - milliseconds(2)).count());
  EXPECT_THAT(Reader().Workers(kNow),
              testing::ElementsAre(WorkerReading{OpId{1}, 0, 0, milliseconds(4), milliseconds(2), Nanos(0)}));
}

TEST_F(SegmentReaderTest, AWorkersTimesDoNotFallWhileItChangesItsState) {
  auto& slot = writer_.AddWorker(OpId{1});
  segment::Enter(slot, WorkerState::kBusy, (kNow - milliseconds(10)).count());
  const auto reader = Reader();
  EXPECT_EQ(reader.Workers(kNow).at(0).busy, milliseconds(10));
  slot.since = 0;  // as between the stores of a writer
  EXPECT_EQ(reader.Workers(kNow).at(0).busy, milliseconds(10));
}

TEST_F(SegmentReaderTest, AWorkerIsToldOnceItsSlotIsUsed) {
  static_cast<void>(writer_.AddWorker(OpId{1}));
  auto& used = writer_.AddWorker(OpId{2});
  EXPECT_TRUE(Reader().Workers(kNow).empty());
  segment::Enter(used, WorkerState::kStarved, kNow.count());
  EXPECT_EQ(Reader().Workers(kNow).size(), 2u) << "each keeps its place";
}

TEST(SegmentWorkers, AreNotTheStepsInsideThem) {
  Graph graph = SmallGraph();
  graph.ops.push_back({.name = "crop", .kind = "in decode"});
  SegmentWriter writer(PrivateSegment(), graph, SmallKnobs(), Budget{});
  for (const std::uint32_t op : {3, 1}) static_cast<void>(writer.AddWorker(OpId{op}));
  auto& worker = writer.AddWorker(OpId{1});
  segment::Enter(worker, WorkerState::kStarved, kNow.count());
  const auto workers = SegmentReader::Over(writer.bytes())->Workers(kNow);
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[0].op, OpId{1});
  EXPECT_EQ(workers[1].number, 1);
}

TEST_F(SegmentReaderTest, LogLinesComeOldestFirstAndTheOldestAreOverwritten) {
  const std::uint64_t written = segment::kDecisionRing + 10;
  for (std::uint64_t i = 0; i < written; ++i)
    writer_.LogDecision(static_cast<std::int64_t>(i), std::to_string(i));
  const auto lines = Reader().Decisions();
  ASSERT_EQ(lines.size(), segment::kDecisionRing);
  EXPECT_EQ(lines.front().number, 10u);
  EXPECT_EQ(lines.back().text, std::to_string(written - 1));
  EXPECT_EQ(lines.back().at, MonoTime(written - 1));
  EXPECT_TRUE(Reader().Events().empty());
}

TEST_F(SegmentReaderTest, ALogTextTooLongIsCutAtACharacter) {
  writer_.LogEvent(1, std::string(430, 'x') + "\u00E9");
  EXPECT_EQ(Reader().Events().at(0).text, std::string(430, 'x'));
}

TEST_F(SegmentReaderTest, ALineThatIsBeingWrittenIsLeftOut) {
  writer_.LogEvent(1, "one");
  writer_.LogEvent(2, "two");
  auto& header = writer_.header();
  auto* ring = reinterpret_cast<segment::RingRecord*>(writer_.bytes().data() + header.events.offset);
  ring[1].sequence = 2 * (segment::kEventRing + 1) + 1;
  const auto lines = Reader().Events();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].text, "one");
}

TEST_F(SegmentReaderTest, KnowsItsOwnProcessAsAlive) {
  EXPECT_TRUE(Reader().Alive());
  EXPECT_EQ(Reader().identity().pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(Reader().identity().program, "test");
  EXPECT_EQ(Reader().identity().run_id.size(), 36u);
}

}  // namespace
}  // namespace sluice::probes
