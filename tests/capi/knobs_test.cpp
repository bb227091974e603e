#include <thread>

#include "described.h"
#include "sluice/probes/segment_view.h"

namespace sluice::capi {
namespace {

class Knobs : public Described {};

TEST_F(Knobs, ARequestFromOutsideWakesTheWaiterAndIsApplied) {
  std::uint32_t serial = 99;
  std::thread agent([&] {
    auto requester = probes::KnobRequester::Open(sluice_path(get()));
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

TEST_F(Knobs, AnEpochThatHasEndedIsToldWithWhatWasInForceInIt) {
  const auto reader = probes::SegmentReader::Open(sluice_path(get()));
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->LastEpoch()) << "none has";
  EXPECT_EQ(sluice_epoch_begun(get(), 40), SLUICE_OK);
  EXPECT_EQ(sluice_start_took(get(), 7, 0), SLUICE_OK);
  EXPECT_EQ(sluice_start_took(get(), 0, 8), SLUICE_OK);
  EXPECT_EQ(sluice_epoch_ended(get(), 1000, 100, 39, 4, 5), SLUICE_OK);
  EXPECT_EQ(reader->LastEpoch(), (probes::EndedEpoch{1, Nanos(1000), Nanos(100), 39, 4, 5}));
  EXPECT_EQ(reader->Outlook().items, 40u);
  EXPECT_EQ(reader->Outlook().start, Nanos(7)) << "0 leaves it";
  EXPECT_EQ(reader->Outlook().start_cpu, Nanos(8));
  EXPECT_EQ(sluice_epoch_ended(nullptr, 0, 0, 0, 0, 0), SLUICE_INVALID);
}

TEST_F(Knobs, WaitingForAnEpochsFirstItemIsToldApart) {
  const auto starting = [&](int64_t now) { return Read(now).consumer.starting; };
  const auto starved = [&](int64_t now) { return Read(now).consumer.starved; };
  const int64_t start = sluice_now();
  for (const int64_t epoch : {start, start + 1000}) {
    EXPECT_EQ(sluice_epoch_begun(get(), 40), SLUICE_OK);
    sluice_consumer_enter(get(), SLUICE_STARVED, epoch);
    EXPECT_EQ(starting(epoch + 100) - starting(epoch), Nanos(100)) << "it goes on";
    sluice_consumer_enter(get(), SLUICE_BUSY, epoch + 300);
    sluice_consumer_took(get(), 1, 8);
    sluice_consumer_enter(get(), SLUICE_STARVED, epoch + 400);
    sluice_consumer_enter(get(), SLUICE_BUSY, epoch + 450);
    sluice_consumer_took(get(), 1, 8);
    sluice_consumer_enter(get(), SLUICE_PAUSED, epoch + 500);
  }
  EXPECT_EQ(starting(start + 2000), Nanos(600));
  EXPECT_EQ(starved(start + 2000), Nanos(700));
}

TEST_F(Knobs, EachStepAndEachWaitForAnItemIsCountedByItsTime) {
  const int64_t start = sluice_now();
  sluice_consumer_enter(get(), SLUICE_STARVED, start);
  sluice_consumer_enter(get(), SLUICE_BUSY, start + (1 << 20));
  sluice_consumer_enter(get(), SLUICE_BUSY, start + (1 << 20) + 5);  // still the same step
  sluice_consumer_enter(get(), SLUICE_STARVED, start + (1 << 20) + (1 << 15) + 5);
  sluice_consumer_enter(get(), SLUICE_PAUSED, start + (1 << 22));  // there was no more item
  const ConsumerReading seen = Read(start + (1 << 23)).consumer;
  LatencyHistogram waits{}, steps{};
  waits[20] = steps[15] = 1;
  EXPECT_EQ(seen.waits, waits);
  EXPECT_EQ(seen.steps, steps);
}

TEST_F(Knobs, StepsAndWaitsThatAreToldTogetherCountAsIfEachHadBeenTold) {
  const int64_t start = sluice_now();
  sluice_consumer_enter(get(), SLUICE_BUSY, start);
  ASSERT_EQ(sluice_consumer_did(get(), 4, 32, 4 * 1500, start + 4 * 100'000), SLUICE_OK);
  const ConsumerReading seen = Read(start + 4 * 100'000).consumer;
  EXPECT_EQ(seen.items, 4u);
  EXPECT_EQ(seen.starved, Nanos(4 * 1500));
  EXPECT_EQ(seen.busy, Nanos(4 * 98'500));
  LatencyHistogram waits{}, steps{};
  waits[10] = steps[16] = 4;
  EXPECT_EQ(seen.waits, waits);
  EXPECT_EQ(seen.steps, steps);
}

TEST_F(Knobs, RequestsOutOfRangeAreRefused) {
  EXPECT_EQ(sluice_knob_request(get(), kWorkers, 9), SLUICE_INVALID);
  EXPECT_EQ(sluice_knob_request(get(), kWorkers, 8), SLUICE_OK);
  EXPECT_EQ(Read(sluice_now()).knobs[0].requested, 8);
}

TEST_F(Knobs, BoundsThatSomebodyTurnsRoundDoNoHarm) {
  const auto view = probes::SegmentView::Open(sluice_path(get()));
  ASSERT_TRUE(view);
  view->knob(kWorkers)->min = 9;
  std::int64_t value = 0;
  EXPECT_EQ(sluice_knob_requested(get(), kWorkers, &value), SLUICE_OK);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(sluice_knob_request(get(), kWorkers, value), SLUICE_INVALID);
}

}  // namespace
}  // namespace sluice::capi
