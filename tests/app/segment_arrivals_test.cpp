#include "loaders/segment_arrivals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>

#include "probes/segment_fixture.h"
#include "probes/temp_folder.h"
#include "sluice/base/clock.h"

namespace sluice::app {
namespace {

using namespace std::chrono_literals;
using Arrivals = std::vector<SegmentArrivals::Arrival>;

class SegmentArrivalsTest : public testing::Test {
 protected:
  std::unique_ptr<probes::SegmentWriter> Segment(const std::string& program) {
    probes::SegmentOptions options = probes::SegmentIn(folder_.path());
    options.program = program;
    return std::make_unique<probes::SegmentWriter>(options, probes::SmallGraph(), probes::SmallKnobs(),
                                                   Budget{1, 512_MiB});
  }
  // Those that have come once there are `count`; fewer after a long while.
  Arrivals Await(std::size_t count) {
    Arrivals all;
    for (const MonoTime latest = MonoNow() + 20s; all.size() < count && MonoNow() < latest;) {
      for (auto& arrival : arrivals_.Take()) all.push_back(std::move(arrival));
      std::this_thread::yield();
    }
    return all;
  }

  probes::TempFolder folder_;
  SegmentArrivals arrivals_{folder_.path(), [](const std::string& path) -> std::unique_ptr<LoaderSession> {
                              auto loader = LoaderSession::Open(path, TuneMode::kOff, 1.0, MachineMap{});
                              return loader ? std::move(*loader) : nullptr;
                            }};
};

TEST_F(SegmentArrivalsTest, AreReadableWhenTheirProcessHasRemovedThem) {
  const auto before = Segment("before");
  arrivals_.Start();
  auto segment = Segment("train.py: loader");
  const std::string path = segment->path();
  Arrivals arrived = Await(1);
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].path, path);
  segment->consumer().items.store(100);
  segment.reset();
  arrived[0].loader->Step();
  EXPECT_EQ(arrived[0].loader->identity().program, "train.py: loader");
  EXPECT_EQ(arrived[0].loader->agent().now().consumer.items, 100u);
}

TEST_F(SegmentArrivalsTest, ComeAllAndWithoutWhatIsNone) {
  arrivals_.Start();
  std::ofstream(folder_.path() + "/rubbish") << "x";
  std::vector<std::unique_ptr<probes::SegmentWriter>> segments;
  segments.reserve(20);
  for (int n = 0; n < 20; ++n) segments.push_back(Segment("train.py: loader"));
  EXPECT_EQ(Await(20).size(), 20u);
  EXPECT_TRUE(arrivals_.Take().empty());
}

TEST(SegmentArrivals, AFolderThatIsNotThereHasNone) {
  SegmentArrivals arrivals("/nowhere/at/all", [](const std::string&) { return nullptr; });
  arrivals.Start();
  EXPECT_TRUE(arrivals.Take().empty());
}

}  // namespace
}  // namespace sluice::app
