#include <thread>

#include "described.h"

namespace sluice {
namespace {

class Knobs : public Described {};

TEST_F(Knobs, ARequestFromOutsideWakesTheWaiterAndIsApplied) {
  std::uint32_t serial = 99;
  std::thread agent([&] {
    auto requester = KnobRequester::Open(sluice_path(get()));
    EXPECT_TRUE(requester->Request({KnobKind::kWorkers, kFetch}, 5));
  });
  EXPECT_EQ(sluice_knob_wait(get(), 0, std::int64_t{60} * 1'000'000'000, &serial), SLUICE_OK);
  agent.join();
  EXPECT_EQ(serial, 1u);
  EXPECT_EQ(*sluice_knob_serial(get()), 1u);
  std::int64_t value = 0;
  EXPECT_EQ(sluice_knob_requested(get(), kWorkers, &value), SLUICE_OK);
  EXPECT_EQ(value, 5);
  EXPECT_EQ(sluice_knob_apply(get(), kWorkers, 5), SLUICE_OK);
  const Knob seen = Read(sluice_now()).knobs[0];
  EXPECT_EQ(seen.value, 5);
  EXPECT_EQ(seen.generation, 1u);
}

TEST_F(Knobs, WaitingEndsWhenNothingIsRequested) {
  std::uint32_t serial = 99;
  EXPECT_EQ(sluice_knob_wait(get(), 0, 1000, &serial), SLUICE_TIMEOUT);
  EXPECT_EQ(serial, 0u);
}

TEST_F(Knobs, AHeldKnobIsPinnedForEverybodyWhoReadsIt) {
  EXPECT_EQ(sluice_knob_hold(get(), kWorkers, SLUICE_HELD_RANDOM_DRAWS), SLUICE_OK);
  EXPECT_EQ(Read(sluice_now()).knobs[0].holder, Holder::kUser);
  EXPECT_EQ(sluice_knob_hold(get(), kWorkers, SLUICE_NOT_HELD), SLUICE_OK);
  EXPECT_EQ(Read(sluice_now()).knobs[0].holder, Holder::kAuto);
  EXPECT_EQ(sluice_knob_hold(get(), kWorkers, 17), SLUICE_INVALID);
}

TEST_F(Knobs, RequestsOutOfRangeAreRefused) {
  EXPECT_EQ(sluice_knob_request(get(), kWorkers, 9), SLUICE_INVALID);
  EXPECT_EQ(sluice_knob_request(get(), kWorkers, 8), SLUICE_OK);
  EXPECT_EQ(Read(sluice_now()).knobs[0].requested, 8);
}

}  // namespace
}  // namespace sluice
