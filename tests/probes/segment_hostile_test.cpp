// A segment is untrusted input: whatever its bytes say, a clear Error or a reading, never a crash.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/base/rng.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

using testing::HasSubstr;

constexpr MonoTime kNow = std::chrono::seconds(1000);

class HostileSegment : public testing::Test {
 protected:
  segment::Header& header() { return writer_->header(); }
  std::string Problem() {
    const auto reader = SegmentReader::Over(writer_->bytes());
    return reader ? "" : reader.error().message;
  }

  std::unique_ptr<SegmentWriter> writer_ =
      std::make_unique<SegmentWriter>(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
};

TEST_F(HostileSegment, AnotherFileOrVersionIsNamedAsSuch) {
  header().major = 2;
  EXPECT_THAT(Problem(), HasSubstr("layout version 2."));
  header().magic[0] = 'X';
  EXPECT_THAT(Problem(), HasSubstr("not a segment"));
}

TEST_F(HostileSegment, ASegmentThatIsHalfWrittenIsRefused) {
  header().ready = 0;
  EXPECT_THAT(Problem(), HasSubstr("not complete"));
}

TEST_F(HostileSegment, ALargerMinorVersionIsRead) {
  header().minor = 7;
  EXPECT_EQ(Problem(), "");
}

TEST_F(HostileSegment, ASmallerMinorVersionIsReadWithoutWhatCameLater) {
  writer_->steps().wait[20] = 3;
  EXPECT_EQ(SegmentReader::Over(writer_->bytes())->Read(MonoTime(1), Nanos(1)).consumer.waits[20], 3u);
  header().minor = 3;
  header().steps = {0, 0xffffffff, 0xffffffff};  // what an older version has there
  const auto reader = SegmentReader::Over(writer_->bytes());
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_EQ(reader->Read(MonoTime(1), Nanos(1)).consumer.waits, LatencyHistogram{});
}

TEST_F(HostileSegment, StepsThatAreNoneAreRefused) {
  const segment::Section good = header().steps;
  for (const segment::Section bad :
       {segment::Section{good.offset, good.stride, 0}, segment::Section{good.offset, good.stride, 2},
        segment::Section{good.offset, 64, 1}, segment::Section{header().total_size, good.stride, 1}}) {
    header().steps = bad;
    EXPECT_THAT(Problem(), HasSubstr("steps:")) << bad.offset << " " << bad.stride << " " << bad.count;
  }
}

TEST_F(HostileSegment, SectionsThatLeaveTheSegmentAreRefused) {
  const segment::Section good = header().workers;
  const segment::Section bad[] = {{std::numeric_limits<std::uint64_t>::max() - 63, good.stride, good.count},
                                  {header().total_size + 64, good.stride, 0},
                                  {header().total_size - 64, good.stride, 1},
                                  {good.offset, 0xffffffc0, good.count},
                                  {good.offset, good.stride, 0xffffffff},
                                  {good.offset, 64, good.count},
                                  {good.offset, good.stride + 8, 1},
                                  {good.offset + 8, good.stride, 1},
                                  {0, good.stride, 1}};
  for (const auto& section : bad) {
    header().workers = section;
    EXPECT_THAT(Problem(), HasSubstr("workers:"))
        << section.offset << " " << section.stride << " " << section.count;
  }
}

TEST_F(HostileSegment, ATotalSizeBeyondTheFileIsRefused) {
  header().total_size += 1;
  EXPECT_THAT(Problem(), HasSubstr("truncated"));
}

TEST_F(HostileSegment, NamesWithoutAnEndAreRefused) {
  std::memset(writer_->op(OpId{1}).name, 'x', segment::kNameSize);
  EXPECT_THAT(Problem(), HasSubstr("op 1: name"));
}

TEST_F(HostileSegment, ConnectorsToNowhereOrBackwardsAreRefused) {
  auto& connector = writer_->connector(ConnectorId{1});
  connector.to = 3;
  EXPECT_THAT(Problem(), HasSubstr("connector 1"));
  connector.to = 1;
  EXPECT_THAT(Problem(), HasSubstr("topological"));
  connector.to = segment::kToConsumer;
  connector.from = 77;
  EXPECT_THAT(Problem(), HasSubstr("connector 1"));
}

TEST_F(HostileSegment, KnobsOfUnknownKindsOrTargetsAreRefused) {
  writer_->knobs()[1].target = 99;
  EXPECT_THAT(Problem(), HasSubstr("knob 1: target"));
  writer_->knobs()[0].kind = 9;
  EXPECT_THAT(Problem(), HasSubstr("knob 0: kind"));
}

TEST_F(HostileSegment, KnobsWithTheirBoundsTheWrongWayRoundAreRefused) {
  writer_->knobs()[1].min = 65;
  EXPECT_THAT(Problem(), HasSubstr("knob 1: min 65 is more than max 64"));
}

TEST_F(HostileSegment, TerminalSequencesInNamesAreDefused) {
  std::strcpy(header().program, "\x1b]0;owned\x07");
  EXPECT_EQ(SegmentReader::Over(writer_->bytes())->identity().program, "\uFFFD]0;owned\uFFFD");
}

TEST_F(HostileSegment, AbsurdCountersAreReadWithoutHarm) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < 2; ++i) {
    auto& slot = writer_->AddWorker(OpId{1});
    slot.state = 3;
    slot.busy_ns = kMost;
    slot.bytes = kMost;
    slot.since = i == 0 ? kLeast : 1;
  }
  auto& lost = writer_->AddWorker(OpId{1});
  lost.op = 12345;
  auto& connector = writer_->connector(ConnectorId{0});
  connector.depth = kLeast;
  connector.changed = kLeast;
  connector.full_since = std::numeric_limits<std::int64_t>::max();
  connector.capacity = -5;
  header().workers_used = 0xffffffff;
  const auto seen = SegmentReader::Over(writer_->bytes())->Read(kNow, Nanos{0});
  EXPECT_EQ(seen.ops[1].busy.count(), std::int64_t{1} << 60) << "two of them can be added";
  EXPECT_EQ(seen.ops[1].workers, 2);
  EXPECT_EQ(seen.connectors[0].depth, 0u);
  EXPECT_EQ(seen.connectors[0].capacity, 0u);
}

TEST_F(HostileSegment, AFileThatShrinksUnderAReaderDoesNoHarm) {
  const TempFolder temp;
  writer_ = std::make_unique<SegmentWriter>(SegmentIn(temp.path()), SmallGraph(), SmallKnobs(), Budget{});
  writer_->AddWorker(OpId{1}).items = 5;
  const auto reader = *SegmentReader::Open(writer_->path());
  EXPECT_EQ(reader.Read(kNow, Nanos{0}).ops[1].items, 5u);
  auto requester = *KnobRequester::Open(writer_->path());
  std::filesystem::resize_file(writer_->path(), 100);
  EXPECT_EQ(reader.Read(kNow, Nanos{0}).ops[1].items, 5u) << "what was read before stays";
  EXPECT_FALSE(requester.Request({KnobKind::kWorkers, 1}, 3));
  EXPECT_FALSE(SegmentReader::Open(writer_->path()));
  // The writer's own pages are gone as well: give them back before it says that the run has finished.
  std::filesystem::resize_file(writer_->path(), writer_->bytes().size());
}

TEST_F(HostileSegment, WhatIsNoPlainFileIsRefused) {
  const TempFolder temp;
  ASSERT_EQ(mkfifo((temp.path() + "/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(SegmentReader::Open(temp.path() + "/pipe"));
  EXPECT_FALSE(SegmentReader::Open(temp.path()));
  EXPECT_FALSE(SegmentReader::Open("/dev/zero"));
  EXPECT_THAT(SegmentReader::Open(temp.path() + "/missing").error().message, HasSubstr("/missing"));
  std::ofstream(temp.path() + "/empty").close();
  EXPECT_THAT(SegmentReader::Open(temp.path() + "/empty").error().message, HasSubstr("too short"));
}

TEST_F(HostileSegment, RandomBytesInTheHeaderAndTheGraphDoNoHarm) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Rng rng(seed);
  const auto good = writer_->bytes();
  const auto size = good.size();
  void* copy = std::aligned_alloc(64, size);
  const std::unique_ptr<void, void (*)(void*)> owner(copy, std::free);
  for (int round = 0; round < 300; ++round) {
    std::memcpy(copy, good.data(), size);
    for (std::uint64_t flips = 1 + rng.Below(4); flips > 0; --flips) {
      static_cast<unsigned char*>(copy)[rng.Below(1500)] = static_cast<unsigned char>(rng.Next());
    }
    const auto reader = SegmentReader::Over({static_cast<const std::byte*>(copy), size});
    if (!reader) continue;
    static_cast<void>(reader->Read(kNow, Nanos{0}));
    static_cast<void>(reader->Decisions());
  }
}

}  // namespace
}  // namespace sluice::probes
