#include <limits>

#include "described.h"
#include "sluice/probes/segment_view.h"

namespace sluice::capi {
namespace {

constexpr std::int64_t kStart = 1'000'000'000'000'000;  // later than the segment's own start

class Connectors : public Described {
 protected:
  void SetUp() override {
    Described::SetUp();
    Entry().changed.store(kStart);
  }
  probes::segment::ConnectorEntry& Entry() {
    if (!view_) view_.emplace(*probes::SegmentView::Open(sluice_path(get())));
    return *view_->connector(kBatches);
  }
  std::optional<probes::SegmentView> view_;
};

TEST_F(Connectors, DepthEmptyAndFullTimesAreExact) {
  sluice_push(get(), kBatches, 1, 100, kStart + 1000);
  sluice_push(get(), kBatches, 1, 100, kStart + 2000);  // full: capacity 2
  sluice_pop(get(), kBatches, 1, 100, kStart + 5000);
  sluice_pop(get(), kBatches, 1, -1, kStart + 6000);
  const ConnectorReading seen = Read(kStart + 6500).connectors[kBatches];
  EXPECT_EQ(seen.pushed, 2u);
  EXPECT_EQ(seen.popped, 2u);
  EXPECT_EQ(seen.depth, 0u);
  EXPECT_EQ(seen.high_water, 2u);
  EXPECT_EQ(seen.empty, Nanos(1500));
  EXPECT_EQ(seen.full, Nanos(3000));
  EXPECT_NEAR(seen.depth_seconds, (1000 + 2 * 3000 + 1000) * 1e-9, 1e-12);
  EXPECT_EQ(seen.bytes, Bytes{0});
}

TEST_F(Connectors, DrainingDropsWhatWaits) {
  sluice_push(get(), kBatches, 3, 300, kStart + 10);
  sluice_drain(get(), kBatches, kStart + 20);
  std::int64_t items = 9, bytes = 9;
  sluice_depth(get(), kBatches, &items, &bytes);
  EXPECT_EQ(items, 0);
  EXPECT_EQ(bytes, 0);
}

TEST_F(Connectors, ATimeBeforeTheLastOneAddsNothing) {
  sluice_push(get(), kBatches, 1, 1, kStart + 1000);
  sluice_push(get(), kBatches, 1, 1, kStart + 400);
  EXPECT_EQ(Read(kStart + 1000).connectors[kBatches].empty, Nanos(1000));
}

TEST_F(Connectors, TheLockOfADeadProcessIsTakenOver) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  Entry().lock.store(static_cast<std::uint32_t>(child));
  Entry().changed.store(0);  // died between two stores
  sluice_push(get(), kBatches, 1, 1, kStart + 1000);
  const ConnectorReading seen = Read(kStart + 1000).connectors[kBatches];
  EXPECT_EQ(seen.depth, 1u);
  EXPECT_EQ(seen.empty, Nanos(0));
  EXPECT_EQ(Entry().lock.load(), 0u);
}

TEST_F(Connectors, ALockThatIsHeldForLongLosesNoItem) {
  Entry().lock.store(static_cast<std::uint32_t>(getpid()));
  sluice_push(get(), kBatches, 1, 1, kStart + 1000);
  Entry().lock.store(0);
  sluice_push(get(), kBatches, 1, 1, kStart + 2000);
  EXPECT_EQ(Read(kStart + 2000).connectors[kBatches].depth, 2u);
}

TEST_F(Connectors, ACapacityMayChange) {
  sluice_push(get(), kBatches, 2, 2, kStart + 100);
  sluice_set_capacity(get(), kBatches, 3, kStart + 300);
  const ConnectorReading seen = Read(kStart + 900).connectors[kBatches];
  EXPECT_EQ(seen.full, Nanos(200));
  EXPECT_EQ(seen.capacity, 3u);
}

TEST_F(Connectors, AbsurdCountsThatSomebodyHasWrittenDoNoHarm) {
  Entry().pushed = Entry().pushed_bytes = ~std::uint64_t{0};
  std::int64_t items = -1, bytes = -1;
  EXPECT_EQ(sluice_depth(get(), kBatches, &items, &bytes), SLUICE_OK);
  EXPECT_EQ(items, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(bytes, std::numeric_limits<std::int64_t>::max());
}

TEST_F(Connectors, AbsurdMomentsThatSomebodyHasWrittenDoNoHarm) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  sluice_push(get(), kBatches, 2, 200, kStart + 1000);  // full
  Entry().full_since = Entry().changed = kLeast;
  sluice_pop(get(), kBatches, 2, 200, kStart + 2000);
  EXPECT_EQ(Entry().full_since, 0);
  EXPECT_EQ(Entry().changed, kStart + 2000);
}

}  // namespace
}  // namespace sluice::capi
