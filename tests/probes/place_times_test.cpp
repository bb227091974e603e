#include "live/place_times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "probes/canned_tree.h"
#include "sluice/base/placement.h"

namespace sluice::probes {
namespace {

using std::chrono::milliseconds;

constexpr int kPid = 100, kTid = 101;

// Node 1 has CPUs 4 to 7; one worker of op 0.
class PlaceTimesTest : public testing::Test {
 protected:
  PlaceTimesTest() { tree_.Write("/sys/devices/system/node/node1/cpulist", "4-7\n"); }

  // After a worker has computed for `total`, the last time on `cpu`, while its op is placed like that.
  [[nodiscard]] PlaceReading Look(Nanos total, int cpu, const Placement& place = OnNode(1),
                                  std::uint64_t generation = 1) {
    std::string stat = fmt::format("{} (decode/0) S", kTid);
    for (int field = 4; field <= 38; ++field) stat += " 0";
    tree_.Write(fmt::format("/proc/{}/task/{}/stat", kPid, kTid), fmt::format("{} {} 0 0\n", stat, cpu));
    Snapshot seen;
    seen.ops.resize(1);
    seen.ops[0].place.emplace();
    seen.knobs.push_back({.id = {KnobKind::kPlacement, 0}, .name = "decode.placement"});
    seen.knobs[0].value = KnobValue(place);
    seen.knobs[0].generation = generation;
    const std::vector<WorkerThread> threads{{.op = OpId{0}, .tid = kTid}};
    const std::vector<std::optional<SchedStat>> sched{SchedStat{total, Nanos(0)}};
    times_.Look(kPid, threads, sched, seen);
    return *seen.ops[0].place;
  }

  CannedTree tree_;
  PlaceTimes times_{tree_.root()};
};

TEST_F(PlaceTimesTest, CountTheTimeOfThreadsByTheNodeOfTheirLastCpu) {
  EXPECT_EQ(Look(milliseconds(500), 4).at_home, Nanos(0)) << "what was before the first look is not known";
  EXPECT_EQ(Look(milliseconds(600), 7).at_home, milliseconds(100));
  const PlaceReading strayed = Look(milliseconds(630), 3);
  EXPECT_EQ(strayed.at_home, milliseconds(100));
  EXPECT_EQ(strayed.elsewhere, milliseconds(30));
}

TEST_F(PlaceTimesTest, BeginAnewWhereTheOpIsPlacedAnew) {
  static_cast<void>(Look(milliseconds(0), 4));
  ASSERT_EQ(Look(milliseconds(100), 3).elsewhere, milliseconds(100));
  static_cast<void>(Look(milliseconds(100), 4, OnNode(1), 2));
  const PlaceReading again = Look(milliseconds(150), 4, OnNode(1), 2);
  EXPECT_EQ(again.elsewhere, Nanos(0));
  EXPECT_EQ(again.at_home, milliseconds(50));
}

TEST_F(PlaceTimesTest, SayNothingOfAThreadWhoseCpuIsNotTold) {
  static_cast<void>(Look(milliseconds(0), 4));
  const PlaceReading lost = Look(milliseconds(100), -1);
  EXPECT_EQ(lost.at_home + lost.elsewhere, Nanos(0));
}

}  // namespace
}  // namespace sluice::probes
