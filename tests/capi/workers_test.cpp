#include "described.h"
#include "sluice/probes/segment_view.h"

namespace sluice::capi {
namespace {

using Workers = Described;

TEST_F(Workers, TimesOfAllStatesAreReadAsWritten) {
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, 1000);
  sluice_worker_enter(get(), worker, SLUICE_BUSY, 1400);
  sluice_worker_enter(get(), worker, SLUICE_BACKED_UP, 2400);
  sluice_worker_done(get(), worker, 77, 1000);
  const OpReading seen = Read(2500).ops[kFetch];
  EXPECT_EQ(seen.starved, Nanos(400));
  EXPECT_EQ(seen.busy, Nanos(1000));
  EXPECT_EQ(seen.backed_up, Nanos(100));
  EXPECT_EQ(seen.items, 1u);
  EXPECT_EQ(seen.bytes, Bytes{77});
  EXPECT_EQ(seen.latency[9], 1u);  // 512..1023 ns
  EXPECT_EQ(seen.workers, 1);
}

TEST_F(Workers, ItemsThatAreToldTogetherCountAsIfEachHadBeenTold) {
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, 1000);
  sluice_worker_enter(get(), worker, SLUICE_BACKED_UP, 1400);
  ASSERT_EQ(sluice_worker_did(get(), worker, 4, 80, 2400, 9400), SLUICE_OK);
  const OpReading seen = Read(9500).ops[kFetch];
  EXPECT_EQ(seen.starved, Nanos(400));
  EXPECT_EQ(seen.busy, Nanos(2400));
  EXPECT_EQ(seen.backed_up, Nanos(8000 - 2400 + 100));
  EXPECT_EQ(seen.items, 4u);
  EXPECT_EQ(seen.bytes, Bytes{80});
  EXPECT_EQ(seen.latency[9], 4u);  // 600 ns each
  EXPECT_EQ(sluice_worker_did(get(), 999'999, 4, 80, 2400, 9400), SLUICE_INVALID);
}

TEST_F(Workers, ItemsThatAreToldTogetherTakeNoLongerThanTheTimeThatThereWas) {
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, 1000);
  sluice_worker_did(get(), worker, 2, 0, 5000, 4000);
  sluice_worker_did(get(), worker, 1, 0, 70, 3000);  // before the last moment
  const OpReading seen = Read(4000).ops[kFetch];
  EXPECT_EQ(seen.busy, Nanos(3000));
  EXPECT_EQ(seen.starved, Nanos(0));
  EXPECT_EQ(seen.items, 3u);
}

TEST_F(Workers, ASuccessorGoesOnInTheSlotOfAnEndedWorker) {
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, 1000);
  sluice_worker_enter(get(), worker, SLUICE_BUSY, 1100);
  sluice_worker_retire(get(), worker, 1300);
  EXPECT_EQ(Read(9000).ops[kFetch].workers, 0);
  sluice_worker_begin(get(), worker, 5000);
  sluice_worker_enter(get(), worker, SLUICE_BUSY, 5000);
  sluice_worker_retire(get(), worker, 5050);
  EXPECT_EQ(Read(9000).ops[kFetch].busy, Nanos(250));
}

TEST_F(Workers, TellsWhoLives) {
  const std::uint32_t worker = AddWorker();
  const auto lives = [&] {
    int found = -1;
    EXPECT_EQ(sluice_worker_lives(get(), worker, &found), SLUICE_OK);
    return found;
  };
  EXPECT_EQ(lives(), 0) << "nobody has begun";
  sluice_worker_begin(get(), worker, 1000);
  EXPECT_EQ(lives(), 1);
  sluice_worker_enter(get(), worker, SLUICE_BUSY, 1100);
  EXPECT_EQ(lives(), 1);
  sluice_worker_retire(get(), worker, 1300);
  EXPECT_EQ(lives(), 0);
  int found = 7;
  EXPECT_EQ(sluice_worker_lives(get(), 999'999, &found), SLUICE_INVALID);
  EXPECT_EQ(sluice_worker_lives(get(), worker, nullptr), SLUICE_INVALID);
  EXPECT_EQ(found, 7);
}

TEST_F(Workers, AWorkerKilledBetweenTwoStoresDoesNotAddTheAgeOfTheMachine) {
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, 1000);
  sluice_worker_enter(get(), worker, SLUICE_BUSY, 1100);
  probes::SegmentView::Open(sluice_path(get()))->worker(worker)->since.store(0);
  sluice_worker_retire(get(), worker, 1'000'000'000'000);
  EXPECT_EQ(Read(2'000'000'000'000).ops[kFetch].busy, Nanos(0));
}

TEST_F(Workers, AnEntryThatSomebodyHasSpoiledIsNoOverflow) {
  const std::uint32_t worker = AddWorker();
  sluice_worker_begin(get(), worker, 1000);
  for (const std::int64_t since : {INT64_MIN, INT64_MIN + 1, INT64_MAX}) {
    probes::SegmentView::Open(sluice_path(get()))->worker(worker)->since.store(since);
    EXPECT_EQ(sluice_worker_enter(get(), worker, SLUICE_BUSY, 1792), SLUICE_OK);
  }
}

TEST_F(Workers, PartsCountTheirTimeApartFromBusy) {
  const std::int64_t took[] = {100, 200, 300};
  ASSERT_EQ(sluice_part_done(get(), kCollate, took, 3), SLUICE_OK);
  const OpReading seen = Read(9000).ops[kCollate];
  EXPECT_EQ(seen.items, 3u);
  EXPECT_EQ(seen.busy, Nanos(0));
  EXPECT_EQ(seen.workers, 0);
  EXPECT_EQ(seen.latency[6], 1u);
  EXPECT_EQ(seen.latency[7], 1u);
  EXPECT_EQ(probes::SegmentView::Open(sluice_path(get()))->worker(0)->helped_ns.load(), 600u);
  EXPECT_EQ(sluice_part_done(get(), kFetch, took, 3), SLUICE_INVALID);
}

TEST_F(Workers, ItemsOfAnOpAreSummedOverItsWorkers) {
  for (int i = 0; i < 3; ++i) sluice_worker_done(get(), AddWorker(), 0, 10);
  std::uint64_t items = 0;
  ASSERT_EQ(sluice_op_items(get(), kFetch, &items), SLUICE_OK);
  EXPECT_EQ(items, 3u);
}

TEST_F(Workers, TooManyAreRefused) {
  std::uint32_t worker = 0;
  sluice_status last = SLUICE_OK;
  for (int i = 0; i < 1100 && last == SLUICE_OK; ++i) last = sluice_add_worker(get(), kFetch, &worker);
  EXPECT_EQ(last, SLUICE_FULL);
  EXPECT_EQ(sluice_worker_done(get(), 4000, 0, 1), SLUICE_INVALID);
}

TEST_F(Workers, TheConsumersWaitAndStepAreApartAndAPauseIsNeither) {
  sluice_consumer_enter(get(), SLUICE_STARVED, 1000);
  sluice_consumer_enter(get(), SLUICE_BUSY, 1300);
  sluice_consumer_took(get(), 1, 32);
  sluice_consumer_enter(get(), SLUICE_PAUSED, 2300);
  const ConsumerReading seen = Read(99999).consumer;
  EXPECT_EQ(seen.starved, Nanos(300));
  EXPECT_EQ(seen.busy, Nanos(1000));
  EXPECT_EQ(seen.rows, 32u);
  EXPECT_EQ(sluice_consumer_enter(get(), SLUICE_BACKED_UP, 1), SLUICE_INVALID);
}

TEST_F(Workers, MoreSlotsThanThereAreAreNotLookedFor) {
  const auto view = probes::SegmentView::Open(sluice_path(get()));
  ASSERT_TRUE(view);
  view->header().workers_used = 0xffffffff;
  std::uint64_t items = 7;
  EXPECT_EQ(sluice_op_items(get(), kFetch, &items), SLUICE_OK);
  EXPECT_EQ(items, 0u);
}

}  // namespace
}  // namespace sluice::capi
