#include "propose/first_look.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

using std::chrono::milliseconds;

// Ten rows per batch; everything was seen 100 times, and the consumer has taken ten batches.
struct Looking : Planned {
  Looking() {
    estimate.phases = {{.active = {true, true}, .flowing = {true, true}}};
    estimate.ops[1].utilisation = 0.5;
  }

  [[nodiscard]] bool Enough(Nanos looked) const {
    return LongEnough({.looked = looked,
                       .measured = measured,
                       .estimate = estimate,
                       .visits = {10, 10},
                       .finest = 1,
                       .consumer_items = taken,
                       .sizes_matter = sizes_matter},
                      settings);
  }

  RateSummary measured{.windows = 1, .mean = 20, .noise = 0.05};
  std::uint64_t taken = 10;
  bool sizes_matter = false;
};

TEST(FirstLook, IsOverOnceEveryOpHasShownEnoughItems) {
  Looking looking;
  EXPECT_FALSE(looking.Enough(milliseconds(100))) << "shows the start of the threads";
  EXPECT_TRUE(looking.Enough(milliseconds(200)));
  looking.estimate.ops[1].items = 4;
  EXPECT_FALSE(looking.Enough(milliseconds(200)));
}

TEST(FirstLook, TakesOneItemOfEachForEnoughWhereItemsAreSlow) {
  Looking looking;
  looking.measured.mean = 0.5;
  looking.taken = 0;
  looking.estimate.ops[1].items = 1;
  EXPECT_FALSE(looking.Enough(milliseconds(399)));
  EXPECT_TRUE(looking.Enough(milliseconds(400)));
  looking.estimate.ops[1].items = 0;
  EXPECT_FALSE(looking.Enough(milliseconds(4000)));
}

TEST(FirstLook, WaitsForTheConsumersFirstItemIfThatIsSoon) {
  Looking looking;
  looking.taken = 0;
  EXPECT_FALSE(looking.Enough(milliseconds(200)));
  looking.measured.mean = 1;
  EXPECT_TRUE(looking.Enough(milliseconds(200))) << "a second per batch: those ops are too slow for sure";
}

// Nothing has reached the consumer yet, and it is plain why.
TEST(FirstLook, DoesNotWaitForTheConsumersFirstItemWhereAnOpComputesAllTheTime) {
  Looking looking;
  looking.taken = 0;
  looking.estimate.ops[0].utilisation = 1;
  EXPECT_TRUE(looking.Enough(milliseconds(200)));
  looking.estimate.ops[0].regime = Regime::kWaits;
  EXPECT_FALSE(looking.Enough(milliseconds(200))) << "a storage may wake up";
  looking.estimate.ops[0].regime = Regime::kComputes;
  looking.estimate.phases[0].active[0] = false;
  EXPECT_FALSE(looking.Enough(milliseconds(200))) << "it has no work now";
}

// It is in its first item for nearly all of the time, so nothing has come out yet.
TEST(FirstLook, IsOverWhereAnOpComputesAllTheTimeAndTheOthersLackItsItems) {
  Looking looking;
  looking.taken = 0;
  looking.estimate.ops[0] = {.cpu = 0.17, .utilisation = 0.85};
  looking.estimate.ops[1] = {.starved = 1};
  EXPECT_TRUE(looking.Enough(milliseconds(200)));
  looking.sizes_matter = true;
  EXPECT_FALSE(looking.Enough(milliseconds(200))) << "how much memory do its items take?";
  looking.sizes_matter = false;
  looking.estimate.ops[0].regime = Regime::kWaits;
  EXPECT_FALSE(looking.Enough(milliseconds(200))) << "a storage's first answer";
  looking.estimate.ops[0] = {.cpu = 0.17, .utilisation = 0.5};
  EXPECT_FALSE(looking.Enough(milliseconds(200))) << "is it slow, or did it begin late?";
}

TEST(FirstLook, AsksNothingOfOpsThatHaveNoWorkNow) {
  Looking looking;
  looking.estimate.ops[0].items = 0;
  EXPECT_FALSE(looking.Enough(milliseconds(200)));
  looking.estimate.phases[0].active[0] = false;
  EXPECT_TRUE(looking.Enough(milliseconds(200)));
}

TEST(FirstLook, IsLongerForAdviceThatIsNeverTried) {
  Looking looking;
  looking.settings.advise = true;
  EXPECT_FALSE(looking.Enough(milliseconds(1000)));
  EXPECT_TRUE(looking.Enough(milliseconds(1500)));
}

TEST(FirstLook, NeedsARate) {
  Looking looking;
  looking.measured = {};
  EXPECT_FALSE(looking.Enough(milliseconds(5000)));
}

}  // namespace
}  // namespace sluice::autotune::testing
