// What a tracer in another process gets of what workers did.
#include "sluice/probes/span_tap.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/base/clock.h"
#include "sluice/probes/span_layout.h"
#include "spans/span_room.h"

namespace sluice::probes {
namespace {

using segment::WorkerState;

constexpr std::int64_t kLong = 100'000;  // ns; what takes less may be told together with others

class Spans : public ::testing::Test {
 protected:
  SpanTap Tap() {
    auto tap = SpanTap::Open(writer_.path());
    EXPECT_TRUE(tap.has_value()) << tap.error().message;
    return std::move(*tap);
  }
  std::uint32_t AddDecoder() { return writer_.TrackOf(writer_.AddWorker(OpId{1})); }
  [[nodiscard]] std::string RoomPath() const { return writer_.path() + segment::kSpansSuffix; }

  TempFolder folder_;
  SegmentWriter writer_{SegmentIn(folder_.path() + "/sluice"), SmallGraph(), SmallKnobs(), {}};
};

TEST_F(Spans, NobodyTracesUntilSomebodyAsks) {
  SpanTap tap = Tap();
  EXPECT_FALSE(writer_.spans().On(10));
  tap.Ask(MonoTime(50));
  tap.Ask(MonoTime(20));  // somebody else wants less
  EXPECT_TRUE(writer_.spans().On(49));
  EXPECT_FALSE(writer_.spans().On(50));
}

TEST_F(Spans, AreTakenOnceInTheirOrderWithTheirItems) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(100 * kLong));
  const std::uint32_t track = AddDecoder();
  writer_.spans().Record(track, WorkerState::kStarved, 100, 100 + kLong);
  writer_.spans().Number(track, {.in = 7, .out = 9, .ins = 64, .outs = 1});
  writer_.spans().Record(track, WorkerState::kBusy, 100 + kLong, 100 + 3 * kLong);
  writer_.spans().Record(segment::kConsumerTrack, WorkerState::kBusy, 150, 150 + kLong);
  writer_.spans().Record(track, WorkerState::kRetired, 100 + 3 * kLong, 100 + 5 * kLong);
  const TakenSpans taken = tap.Take();
  ASSERT_EQ(taken.spans.size(), 3u);
  EXPECT_EQ(taken.spans[0], (WorkerSpan{track, SpanState::kStarved, MonoTime(100), Nanos(kLong), {}, {}}));
  EXPECT_EQ(
      taken.spans[1],
      (WorkerSpan{track, SpanState::kBusy, MonoTime(100 + kLong), Nanos(2 * kLong), {7, 64, 64}, {9, 1, 1}}));
  EXPECT_EQ(taken.spans[2].track, segment::kConsumerTrack);
  EXPECT_EQ(taken.spans[2].took.count, 0u);  // what was numbered was another's
  EXPECT_EQ(taken.lost, 0u);
  EXPECT_TRUE(tap.Take().spans.empty());
}

TEST_F(Spans, ThatAreShortAreToldTogetherWithNothingLost) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(100 * kLong));
  const std::uint32_t track = AddDecoder();
  std::int64_t now = 1000;
  const auto spend = [&](WorkerState state, std::int64_t ns) {
    writer_.spans().Record(track, state, now, now + ns);
    now += ns;
  };
  for (std::uint64_t i = 0; i < 10; ++i) {
    spend(WorkerState::kStarved, 2000);
    writer_.spans().Number(track, {.in = 40 + i, .out = 7 + i, .ins = 1, .outs = 1});
    spend(WorkerState::kBusy, 1000);
  }
  const std::int64_t end = now;
  spend(WorkerState::kBackedUp, 2 * kLong);
  const TakenSpans taken = tap.Take();
  ASSERT_EQ(taken.spans.size(), 3u);
  EXPECT_EQ(taken.spans[0], (WorkerSpan{track, SpanState::kStarved, MonoTime(1000), Nanos(20'000), {}, {}}));
  EXPECT_EQ(
      taken.spans[1],
      (WorkerSpan{track, SpanState::kBusy, MonoTime(21'000), Nanos(10'000), {40, 10, 10}, {7, 10, 10}}));
  EXPECT_EQ(taken.spans[2],
            (WorkerSpan{track, SpanState::kBackedUp, MonoTime(end), Nanos(2 * kLong), {}, {}}));
  EXPECT_EQ(tap.Take().lost, 0u);
}

// As a batch op does: it takes row after row, and now and then has a batch.
TEST_F(Spans, ThatAreShortNumberWhatIsMadeFromItsFirst) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(100 * kLong));
  const std::uint32_t track = AddDecoder();
  for (std::int64_t row = 10; row < 14; ++row) {
    const bool last = row == 13;
    const auto number = static_cast<std::uint64_t>(row);
    writer_.spans().Number(track, {.in = number, .out = last ? 5U : 0U, .ins = 1, .outs = last ? 1U : 0U});
    writer_.spans().Record(track, WorkerState::kBusy, 1000 * row, 1000 * row + 1000);
  }
  writer_.spans().Record(track, WorkerState::kStarved, 200'000, 200'000 + kLong);
  const TakenSpans taken = tap.Take();
  ASSERT_EQ(taken.spans.size(), 2u);
  EXPECT_EQ(taken.spans[0].took, (ItemsOfSpan{10, 4, 4}));
  EXPECT_EQ(taken.spans[0].made, (ItemsOfSpan{5, 1, 1}));
}

// Two workers share a connector: neither has all of its items, and arrows need the numbers of those it has.
TEST_F(Spans, ThatAreShortSayWhereTheNumbersOfTheirItemsHaveAGap) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(100 * kLong));
  const std::uint32_t track = AddDecoder();
  for (const std::uint64_t item : {4, 5, 9, 10}) {
    const auto now = static_cast<std::int64_t>(1000 * item);
    writer_.spans().Record(track, WorkerState::kBusy, now, now + 500, {.out = item, .outs = 1});
  }
  writer_.spans().Record(track, WorkerState::kStarved, 200'000, 200'000 + kLong);
  const TakenSpans taken = tap.Take();
  ASSERT_EQ(taken.spans.size(), 2u);
  EXPECT_EQ(taken.spans[0].made, (ItemsOfSpan{4, 4, 2}));
  EXPECT_EQ(taken.spans[0].took, ItemsOfSpan{});
}

TEST_F(Spans, ThatAreShortAreToldAfterAMillisecondOrWithTheEndOfTheirTrack) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(100 * kLong));
  const std::uint32_t track = AddDecoder();
  constexpr std::int64_t kStep = 50'000;
  for (std::int64_t i = 0; i < 21; ++i)
    writer_.spans().Record(track, WorkerState::kBusy, kStep * i, kStep * (i + 1));
  const TakenSpans taken = tap.Take();
  ASSERT_EQ(taken.spans.size(), 1u);
  EXPECT_EQ(taken.spans[0].length, std::chrono::milliseconds(1));
  writer_.spans().Finish(track);
  const TakenSpans rest = tap.Take();
  ASSERT_EQ(rest.spans.size(), 1u);
  EXPECT_EQ(rest.spans[0].begin, MonoTime(20 * kStep));
  EXPECT_EQ(rest.spans[0].length, Nanos(kStep));
}

TEST_F(Spans, OfBeforeTheTracerCameAreNotItsOwn) {
  SpanTap first = Tap();
  first.Ask(MonoTime(1000));
  const std::uint32_t track = AddDecoder();
  writer_.spans().Record(track, WorkerState::kBusy, 1, 1 + kLong);
  SpanTap second = Tap();
  writer_.spans().Record(track, WorkerState::kBusy, 3, 3 + kLong);
  EXPECT_EQ(first.Take().spans.size(), 2u);
  EXPECT_EQ(second.Take().spans.size(), 1u);
}

TEST_F(Spans, ThatWereOverwrittenUnreadAreCounted) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(1'000'000));
  const std::uint32_t track = AddDecoder();
  constexpr std::int64_t kMany = 20'000;
  for (std::int64_t i = 0; i < kMany; ++i) writer_.spans().Record(track, WorkerState::kBusy, i, i + kLong);
  const TakenSpans taken = tap.Take();
  EXPECT_EQ(taken.spans.size() + taken.lost, static_cast<std::uint64_t>(kMany));
  EXPECT_GT(taken.spans.size(), 100u);
  EXPECT_EQ(taken.spans.back().begin, MonoTime(kMany - 1));
}

TEST_F(Spans, OfTracksWithoutARingAreCounted) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(1000));
  std::uint32_t tracks = 0;
  for (; tracks < 100; ++tracks) writer_.spans().Record(tracks, WorkerState::kBusy, 1, 1 + kLong);
  const TakenSpans taken = tap.Take();
  EXPECT_EQ(taken.spans.size(), 11u);  // decode may have eight workers, the others one each
  EXPECT_EQ(taken.spans.size() + taken.lost, tracks);
  EXPECT_GT(taken.lost, 0u);
}

TEST_F(Spans, TracksSayWhatGoesOn) {
  SpanTap tap = Tap();
  auto& slot = writer_.AddWorker(OpId{1});
  slot.tid.store(77);
  slot.since.store(400);
  slot.state.store(static_cast<std::uint32_t>(WorkerState::kBusy));
  const auto tracks = tap.Tracks(MonoTime(1000));
  ASSERT_EQ(tracks.size(), 2u);
  EXPECT_EQ(tracks[0].op, OpId{1});
  EXPECT_EQ(tracks[0].tid, 77);
  ASSERT_TRUE(tracks[0].open.has_value());
  EXPECT_EQ(tracks[0].open->begin, MonoTime(400));
  EXPECT_EQ(tracks[0].open->length, Nanos(600));
  EXPECT_FALSE(tracks[1].op.has_value());
  EXPECT_FALSE(tracks[1].open.has_value());
}

TEST_F(Spans, TheRoomIsPrivateAndGoesWithTheSegment) {
  {
    SegmentWriter other(SegmentIn(folder_.path() + "/sluice"), SmallGraph(), SmallKnobs(), {});
    ASSERT_TRUE(SpanTap::Open(other.path()).has_value());
    struct stat info;
    ASSERT_EQ(stat((other.path() + segment::kSpansSuffix).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/sluice"))
    EXPECT_EQ(entry.path().string().find(segment::kSpansSuffix), std::string::npos) << entry.path();
}

TEST_F(Spans, ARoomThatIsNoneIsRefusedByBothSides) {
  const auto try_with = [&](const std::string& bytes) {
    std::ofstream(RoomPath(), std::ios::trunc) << bytes;
    const auto tap = SpanTap::Open(writer_.path());
    ASSERT_FALSE(tap.has_value());
    EXPECT_NE(tap.error().message.find("no room for spans"), std::string::npos) << tap.error().message;
    writer_.header().trace_until.fetch_add(1000);
    writer_.spans().Record(0, WorkerState::kBusy, 1, 2);  // does nothing
  };
  try_with("");
  try_with(std::string(100'000, 'x'));
  std::string good(100'000, '\0');
  std::copy_n(segment::kSpansMagic, 8, good.begin());
  try_with(good);
}

// Whatever a foreign room says: nothing outside of it is touched, and nothing crashes.
TEST_F(Spans, AnyGarbageInTheRoomIsSurvived) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  ASSERT_TRUE(SpanTap::Open(writer_.path()).has_value());
  std::string good;
  {
    std::ifstream file(RoomPath(), std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (int round = 0; round < 200; ++round) {
    std::string bad = good;
    for (int i = 0; i < 12; ++i) bad[random() % 5000] = static_cast<char>(random());
    for (int i = 0; i < 200; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    std::filesystem::remove(RoomPath());
    std::ofstream(RoomPath(), std::ios::binary) << bad;
    SpanRecorder recorder(writer_.header(), writer_.path());
    writer_.header().trace_until.fetch_add(1000);
    auto tap = SpanTap::Open(writer_.path());
    for (std::uint32_t track = 0; track <= segment::kTracks; ++track) {
      recorder.Number(track, {1, 2, 3, 4});
      recorder.Record(track, WorkerState::kBusy, 1, 2);
      recorder.Record(track, WorkerState::kBusy, 2, 2 + kLong);
    }
    if (tap) static_cast<void>(tap->Take());
  }
}

// Two writers at full speed while spans are taken: what is taken is whole, in order, and with what was lost
// all there is. Run under ThreadSanitizer.
TEST_F(Spans, AreWholeHoweverFastTheyAreWritten) {
  SpanTap tap = Tap();
  tap.Ask(MonoTime(INT64_MAX));
  constexpr std::int64_t kEach = 200'000;
  const auto write = [&](std::uint32_t track) {
    for (std::int64_t i = 1; i <= kEach; ++i) {
      const auto n = static_cast<std::uint64_t>(i);
      writer_.spans().Number(track, {.in = n, .out = 2 * n, .ins = 1, .outs = 1});
      writer_.spans().Record(track, WorkerState::kBusy, i, kLong + 3 * i);
    }
  };
  // Whoever comes while another one opens the room goes without.
  writer_.spans().Record(0, WorkerState::kBusy, 0, kLong);
  ASSERT_EQ(tap.Take().spans.size(), 1u);
  std::thread a(write, 0), b(write, 1);
  std::uint64_t taken = 0, lost = 0;
  std::int64_t last[2] = {0, 0};
  while (last[0] < kEach || last[1] < kEach) {
    const TakenSpans some = tap.Take();
    lost += some.lost;
    taken += some.spans.size();
    for (const WorkerSpan& span : some.spans) {
      const std::int64_t i = span.begin.count();
      ASSERT_GT(i, last[span.track]);
      ASSERT_EQ(span.length.count(), kLong + 2 * i);
      ASSERT_EQ(span.took.first, static_cast<std::uint64_t>(i));
      ASSERT_EQ(span.made.first, static_cast<std::uint64_t>(2 * i));
      last[span.track] = i;
    }
  }
  a.join();
  b.join();
  EXPECT_EQ(taken + lost, static_cast<std::uint64_t>(2 * kEach));
}

TEST(SpanRoom, LeavesMostOfTheSpaceToTheRun) {
  EXPECT_EQ(SpansThatFit(64'000'000'000, 4), 8192u);
  for (const std::uint32_t rings : {2U, 66U, 130U, segment::kTracks}) {
    for (std::uint64_t free = 1000; free < 1'000'000'000; free *= 3) {
      const std::uint64_t taken =
          std::uint64_t{SpansThatFit(free, rings)} * sizeof(segment::SpanEntry) * rings;
      EXPECT_LE(taken, free / 4) << rings;
      EXPECT_LE(taken, std::uint64_t{32} << 20) << rings;
    }
    EXPECT_EQ(SpansThatFit(sizeof(segment::SpanEntry) * rings * 4 * 256, rings), 0u) << rings;
    EXPECT_GE(SpansThatFit(64'000'000, rings), 256u) << "a container's usual shared memory";
  }
}

TEST(SpanRecorder, APrivateSegmentHasNone) {
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), {});
  writer.header().trace_until.store(1000);
  writer.spans().Record(0, WorkerState::kBusy, 1, 2);
}

TEST(SpanTap, SaysThatAnOlderSluiceWritesNone) {
  const TempFolder folder;
  SegmentWriter writer(SegmentIn(folder.path() + "/sluice"), SmallGraph(), SmallKnobs(), {});
  writer.header().minor = 2;
  const auto tap = SpanTap::Open(writer.path());
  ASSERT_FALSE(tap.has_value());
  EXPECT_NE(tap.error().message.find("older sluice"), std::string::npos);
}

}  // namespace
}  // namespace sluice::probes
