#include "described.h"
#include "sluice/base/clock.h"
#include "sluice/probes/span_layout.h"
#include "sluice/probes/span_tap.h"

namespace sluice::capi {
namespace {

using Traces = Described;

TEST_F(Traces, StatesThatAreLeftAreSpansWithTheirItems) {
  auto tap = probes::SpanTap::Open(sluice_path(get()));
  ASSERT_TRUE(tap.has_value()) << tap.error().message;
  const std::int64_t now = sluice_now();
  tap->Ask(MonoTime(now) + std::chrono::minutes(1));
  EXPECT_GT(*sluice_trace_until(get()), now);
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, now);
  sluice_worker_enter(get(), worker, SLUICE_BUSY, now + 100'000);
  EXPECT_EQ(sluice_items(get(), worker, 5, 1, 6, 1), SLUICE_OK);
  sluice_worker_enter(get(), worker, SLUICE_BACKED_UP, now + 300'000);
  sluice_consumer_enter(get(), SLUICE_BUSY, now + 400'000);
  EXPECT_EQ(sluice_items(get(), SLUICE_CONSUMER, 6, 1, 0, 0), SLUICE_OK);
  sluice_consumer_enter(get(), SLUICE_PAUSED, now + 900'000);
  sluice_worker_retire(get(), worker, now + 1'000'000);
  const probes::TakenSpans taken = tap->Take();
  ASSERT_EQ(taken.spans.size(), 4u);
  EXPECT_EQ(
      taken.spans[1],
      (probes::WorkerSpan{
          worker, probes::SpanState::kBusy, MonoTime(now + 100'000), Nanos(200'000), {5, 1, 1}, {6, 1, 1}}));
  EXPECT_EQ(taken.spans[2].state, probes::SpanState::kBackedUp);
  EXPECT_EQ(taken.spans[3], (probes::WorkerSpan{probes::segment::kConsumerTrack,
                                                probes::SpanState::kBusy,
                                                MonoTime(now + 400'000),
                                                Nanos(500'000),
                                                {6, 1, 1},
                                                {}}));
}

TEST_F(Traces, NobodyTracesByDefaultAndMistakesAreRefused) {
  EXPECT_EQ(*sluice_trace_until(get()), 0);
  EXPECT_EQ(sluice_items(get(), SLUICE_CONSUMER, 1, 1, 0, 0), SLUICE_OK);
  EXPECT_EQ(sluice_items(get(), 999, 1, 1, 0, 0), SLUICE_INVALID);
  EXPECT_EQ(sluice_items(nullptr, 0, 1, 1, 0, 0), SLUICE_INVALID);
  EXPECT_EQ(sluice_trace_until(nullptr), nullptr);
}

}  // namespace
}  // namespace sluice::capi
