// Writers pound a segment while it is read: run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/base/clock.h"
#include "sluice/probes/intervals.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

using segment::WorkerState;

// A worker of decode and the connector behind it, until told to stop.
void Work(SegmentWriter& writer, const std::atomic<bool>& stop) {
  auto& slot = writer.AddWorker(OpId{1});
  auto& connector = writer.connector(ConnectorId{1});
  for (int i = 0; !stop.load(std::memory_order_relaxed); ++i) {
    segment::Enter(slot, i % 2 == 0 ? WorkerState::kBusy : WorkerState::kStarved, MonoNow().count());
    segment::Add(slot.items, 1);
    segment::Add(slot.latency[i % 8], 1);
    segment::SetDepth(connector, static_cast<std::uint64_t>(i % 3), MonoNow().count());
    segment::Add(connector.pushed, 1);
  }
  segment::Enter(slot, WorkerState::kRetired, MonoNow().count());
}

void Log(SegmentWriter& writer, const std::atomic<bool>& stop) {
  for (std::int64_t i = 0; !stop.load(std::memory_order_relaxed); ++i) {
    const std::string text(static_cast<std::size_t>(1 + i % 400), static_cast<char>('a' + i % 26));
    writer.LogEvent(i, text);
  }
}

// A line that mixes two writes would have another length or another letter than its number says.
void ExpectWhole(const LogLine& line) {
  const auto i = line.number;
  EXPECT_EQ(line.at.count(), static_cast<std::int64_t>(i));
  EXPECT_EQ(line.text, std::string(1 + i % 400, static_cast<char>('a' + i % 26)));
}

void ExpectNoFall(const Snapshot& before, const Snapshot& now) {
  EXPECT_GE(now.ops[1].items, before.ops[1].items);
  EXPECT_GE(now.ops[1].busy, before.ops[1].busy);
  EXPECT_GE(now.ops[1].starved, before.ops[1].starved);
  EXPECT_GE(now.connectors[1].pushed, before.connectors[1].pushed);
  EXPECT_GE(now.connectors[1].depth_seconds, before.connectors[1].depth_seconds);
  EXPECT_GE(now.connectors[1].empty, before.connectors[1].empty);
}

// One worker: what it did cannot be longer than it has been there. A fresh reader, since one that has
// counted an open interval for a state keeps to it when a late writer gives the end of it to the next.
void ExpectNothingTwice(const SegmentReader& reader, MonoTime start) {
  const Snapshot seen = reader.Read(MonoNow(), WallNow());
  const Nanos elapsed = MonoNow() - start;
  EXPECT_LE(seen.ops[1].busy + seen.ops[1].starved, elapsed);
  EXPECT_LE(seen.connectors[1].empty, elapsed);
}

template <typename Open>
void ReadWhileWritten(SegmentWriter& writer, Open open, MonoTime start) {
  const SegmentReader reader = open();
  std::atomic<bool> stop{false};
  std::thread worker([&] { Work(writer, stop); });
  std::thread logger([&] { Log(writer, stop); });
  Snapshot last = reader.Read(MonoNow(), WallNow());
  for (int i = 0; i < 100 || last.ops[1].items < 1000 || reader.Events().empty(); ++i) {
    const MonoTime now = MonoNow();
    const Snapshot seen = reader.Read(now, WallNow());
    ExpectNoFall(last, seen);
    if (i % 4 == 0) ExpectNothingTwice(open(), start);
    last = seen;
    if (i % 10 == 0) {
      for (const auto& line : reader.Events()) ExpectWhole(line);
    }
  }
  stop = true;
  worker.join();
  logger.join();
}

TEST(SegmentRace, AReaderInTheSameProcessSeesWholeLinesAndCountersThatOnlyGrow) {
  const MonoTime start = MonoNow();
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
  ReadWhileWritten(writer, [&] { return *SegmentReader::Over(writer.bytes()); }, start);
}

TEST(SegmentRace, AReaderOfTheFileSeesTheSame) {
  const TempFolder temp;
  const MonoTime start = MonoNow();
  SegmentWriter writer(SegmentIn(temp.path()), SmallGraph(), SmallKnobs(), Budget{});
  ReadWhileWritten(writer, [&] { return *SegmentReader::Open(writer.path()); }, start);
}

TEST(SegmentRace, WorkersAddedByManyThreadsAllHaveASlotOfTheirOp) {
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
  const auto reader = *SegmentReader::Over(writer.bytes());
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) segment::Add(writer.AddWorker(OpId{2}).items, 1);
    });
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(reader.Read(MonoNow(), WallNow()).ops[0].items, 0u);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(reader.Read(MonoNow(), WallNow()).ops[2].items, 400u);
}

}  // namespace
}  // namespace sluice::probes
