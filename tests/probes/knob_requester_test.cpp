#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

constexpr KnobId kWorkers{KnobKind::kWorkers, 1};

TEST(KnobRequester, ARequestReachesTheCellAndTheNextSnapshot) {
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
  auto requester = *KnobRequester::Over(writer.bytes());
  EXPECT_TRUE(requester.Request(kWorkers, 5));
  EXPECT_TRUE(requester.SetHolder(kWorkers, Holder::kUser));
  const auto seen = SegmentReader::Over(writer.bytes())->Read(MonoTime{1}, Nanos{1});
  EXPECT_EQ(seen.knobs[0].requested, 5);
  EXPECT_EQ(seen.knobs[0].value, 2);
  EXPECT_EQ(seen.knobs[0].holder, Holder::kUser);
  EXPECT_EQ(writer.header().knob_futex.load(), 2u);
}

TEST(KnobRequester, RefusesUnknownKnobsAndValuesOutsideOfTheBounds) {
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
  auto requester = *KnobRequester::Over(writer.bytes());
  EXPECT_FALSE(requester.Request({KnobKind::kPlacement, 1}, 1));
  EXPECT_FALSE(requester.SetHolder({KnobKind::kWorkers, 9}, Holder::kUser));
  EXPECT_FALSE(requester.Request(kWorkers, 0));
  EXPECT_FALSE(requester.Request(kWorkers, 9));
  EXPECT_EQ(writer.knobs()[0].requested.load(), 2);
  EXPECT_EQ(writer.header().knob_futex.load(), 0u);
}

TEST(KnobRequester, WakesTheMeasuredProcessThroughTheFile) {
  const TempFolder temp;
  SegmentWriter writer(SegmentIn(temp.path()), SmallGraph(), SmallKnobs(), Budget{});
  ASSERT_EQ(writer.warning(), "");
  auto requester = *KnobRequester::Open(writer.path());
  auto& futex = writer.header().knob_futex;
  std::thread waiter([&] {
    while (futex.load() == 0) syscall(SYS_futex, &futex, FUTEX_WAIT, 0, nullptr, nullptr, 0);
  });
  EXPECT_TRUE(requester.Request(kWorkers, 3));
  waiter.join();
  EXPECT_EQ(writer.knobs()[0].requested.load(), 3);
}

TEST(KnobRequester, ValidatesAsTheReaderDoes) {
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
  writer.header().knobs.offset = 1 << 30;
  EXPECT_FALSE(KnobRequester::Over(writer.bytes()));
}

}  // namespace
}  // namespace sluice::probes
