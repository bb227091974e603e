#include "setting/expectation.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

constexpr KnobId kDecoders{KnobKind::kWorkers, 1};

void Set(Knob& knob, std::int64_t value) {
  knob.value = knob.requested = value;
}

struct Expected : Planned {
  Expected() {
    for (Knob& knob : seen.knobs) Set(knob, 2);
    seen.budget.memory = {1'000'000};
    expectation.Accept(seen);
  }
  [[nodiscard]] bool Changed() const { return expectation.ChangedByOthers(seen); }

  Expectation expectation;
};

TEST(Expectation, SeesAKnobThatSomebodyElseTurned) {
  Expected e;
  EXPECT_FALSE(e.Changed());
  Set(e.Workers(1), 5);
  EXPECT_TRUE(e.Changed());
  e.expectation.Accept(e.seen);
  EXPECT_FALSE(e.Changed());
}

TEST(Expectation, TakesTheOldValueAndTheNewOneAfterAChangeOfItsOwn) {
  Expected e;
  e.expectation.Ask(e.seen, {{kDecoders, 2, 6}});
  EXPECT_FALSE(e.Changed()) << "not in force yet";
  Set(e.Workers(1), 6);
  EXPECT_FALSE(e.Changed());
  Set(e.Workers(1), 4);
  EXPECT_TRUE(e.Changed());
}

TEST(Expectation, WaitsForAKnobThatIsOnItsWay) {
  Expected e;
  e.Workers(1).value = 4;
  e.Workers(1).requested = 6;
  EXPECT_FALSE(e.Changed());
}

TEST(Expectation, SeesAnotherBudgetAndNotItsRounding) {
  Expected e;
  e.seen.budget.cores = 7.8;
  EXPECT_FALSE(e.Changed());
  e.seen.budget.cores = 4;
  EXPECT_TRUE(e.Changed());
  e.expectation.Accept(e.seen);
  e.seen.budget.memory = {2'000'000};
  EXPECT_TRUE(e.Changed());
}

}  // namespace
}  // namespace sluice::autotune::testing
