// What a run looks like from outside: how fast it becomes, and how quiet it stays.
#include <gtest/gtest.h>

#include "autotune/fake_plant.h"
#include "autotune/tuning.h"

namespace sluice::autotune::testing {
namespace {

using ::testing::TestWithParam;
using ::testing::Values;

// Like ImageNet: cheap reading, expensive decode, batches of 64.
std::vector<FakeOp> Images(int decoders = 1) {
  return {{.name = "read", .cpu_ms = 0.02, .wait_ms = 0.05, .capacity = decoders},
          {.name = "decode",
           .cpu_ms = 1.0,
           .spread = 0.3,
           .workers = decoders,
           .capacity = decoders,
           .bytes = 600'000},
          {.name = "batch", .cpu_ms = 0.5, .rows_per_item = 64, .capacity = decoders, .bytes = 38'500'000}};
}

// Reading waits eight times as long as it computes.
std::vector<FakeOp> Waiting(int readers = 1, int decoders = 1) {
  return {{.name = "read", .cpu_ms = 0.2, .wait_ms = 8, .workers = readers, .capacity = readers},
          {.name = "decode", .cpu_ms = 1.0, .spread = 0.3, .workers = decoders, .capacity = readers},
          {.name = "batch", .cpu_ms = 0.5, .rows_per_item = 16, .capacity = 2, .bytes = 9'600'000}};
}

TEST(Scenario, ReachesTheMachinesLimitWithinFiveSecondsFromOneWorker) {
  const double best = RateUntouched(FakePlant(Images(4), 0, {.cores = 2}), 5);
  FakePlant plant(Images(), 0, {.cores = 2, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(10);
  EXPECT_GE(tuning.Rate(5), 0.97 * best) << tuning.Trace();
  EXPECT_LE(plant.workers(1), 3) << "no more decoders than two cores feed, and one to spare";
  EXPECT_EQ(tuning.verdict().limit, Limit::kCores);
  EXPECT_LE(tuning.Changes(), 2);
}

TEST(Scenario, ReachesEightCoresWithinFiveSecondsToo) {
  const double best = RateUntouched(FakePlant(Images(12), 0, {.cores = 8}), 5);
  FakePlant plant(Images(), 0, {.cores = 8, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(10);
  EXPECT_GE(tuning.Rate(5), 0.97 * best) << tuning.Trace();
}

// What fills the buffers at first is no throughput: eight readers make 100 items per second before a single
// one is through.
TEST(Scenario, DoesNotCompareTheFirstTrialWithTheFillingOfBuffers) {
  FakePlant plant({{.name = "list", .cpu_ms = 0.001, .capacity = 16},
                   {.name = "read", .cpu_ms = 25, .wait_ms = 50, .spread = 0.3, .workers = 8, .capacity = 16},
                   {.name = "decode",
                    .cpu_ms = 50,
                    .spread = 0.3,
                    .capacity = 16,
                    .slowdown = [](int n) { return 1 + 0.2 * (n - 1); }},
                   {.name = "batch", .cpu_ms = 0.5, .rows_per_item = 8, .capacity = 4}},
                  13, {.cores = 64});
  Tuning tuning(plant);
  tuning.Run(4);
  EXPECT_EQ(tuning.Fates(Fate::kRolledBack), 0) << tuning.Trace();
  EXPECT_GE(plant.workers(2), 8) << tuning.Trace();
}

TEST(Scenario, DoesNotWaitForAFirstBatchThatTakesLong) {
  auto slow = Images();
  slow[1].cpu_ms = 10;
  FakePlant plant(slow, 0, {.cores = 8, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(0.3);
  EXPECT_EQ(plant.workers(1), 8) << "the first batch of one worker takes 0.6 s\n" << tuning.Trace();
}

// Neither a decoded image nor a batch is there when a decoder is known to be too slow.
FakePlant SlowImages(Bytes memory) {
  return FakePlant({{.name = "read", .cpu_ms = 1, .capacity = 16},
                    {.name = "decode", .cpu_ms = 220, .capacity = 16},
                    {.name = "upload", .cpu_ms = 0, .wait_ms = 500, .capacity = 16}},
                   0, {.cores = 8, .memory = memory});
}

TEST(Scenario, PlansForAnItemThatIsStillInTheMakingUnlessItsSizeMatters) {
  FakePlant plant = SlowImages({});
  Tuning tuning(plant);
  tuning.Run(0.3);
  EXPECT_GE(plant.workers(1), 7) << tuning.Trace();
  FakePlant bounded = SlowImages(2_GiB);
  Tuning careful(bounded);
  careful.Run(0.3);
  EXPECT_EQ(bounded.workers(1), 1) << careful.Trace();
}

// "At most five per second" is all that is known of the rate before.
TEST(Scenario, GoesOnSoonAfterAPlanThatKnewNothingOfWhatCameBehind) {
  FakePlant plant = SlowImages({});
  Tuning tuning(plant);
  tuning.Run(5);
  EXPECT_GE(plant.workers(2), 8) << tuning.Trace();
}

TEST(Scenario, HearsOfTheDemandFirstWhereThatTakesNoTime) {
  auto slow = Images();
  slow[1].cpu_ms = 4;
  FakePlant plant(slow, 200, {.cores = 16, .memory = 4_GiB});
  Tuning tuning(plant);
  tuning.Run(1);
  EXPECT_LE(plant.workers(1), 2) << "320 rows/s of 4 ms keep 1.3 workers busy";
}

TEST(Scenario, GivesAWaitingOpMoreWorkersThanThereAreCores) {
  const double best = RateUntouched(FakePlant(Waiting(32, 4), 0, {.cores = 2}), 5);
  FakePlant plant(Waiting(), 0, {.cores = 2, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(10);
  EXPECT_GE(tuning.Rate(5), 0.97 * best) << tuning.Trace();
  EXPECT_GT(plant.workers(0), 10);
  EXPECT_LE(plant.workers(1), 4) << "computing ops must not crowd the cores";
}

TEST(Scenario, FeedsTheConsumerWithTheFewestWorkers) {
  auto slow = Images();
  slow[1].cpu_ms = 4;
  FakePlant plant(slow, 80, {.cores = 16, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(8);
  const double starved = plant.consumer_starved();
  tuning.Run(20);
  EXPECT_LT((plant.consumer_starved() - starved) / 20, 0.01) << tuning.Trace();
  EXPECT_LE(plant.workers(1), 5) << "800 rows/s of 4 ms keep 3.2 workers busy";
  EXPECT_EQ(tuning.verdict().limit, Limit::kConsumer) << tuning.verdict().sentence;
}

TEST(Scenario, TrimsWhatTheConsumerDoesNotNeedAndKeepsItServed) {
  auto slow = Images(32);
  slow[1].cpu_ms = 4;
  FakePlant plant(slow, 80, {.cores = 16, .memory = 8_GiB});
  Tuning tuning(plant);
  tuning.Run(40);
  const double starved = plant.consumer_starved();
  tuning.Run(20);
  EXPECT_LE(plant.workers(1), 5) << tuning.Trace();
  EXPECT_LT((plant.consumer_starved() - starved) / 20, 0.01);
  EXPECT_LE(tuning.Changes(), 2);
}

// Half as much is wanted from the moment on at which the trim was made.
TEST(Scenario, DoesNotUndoATrimBecauseTheConsumerBecomesSlower) {
  auto slow = Images(32);
  slow[1].cpu_ms = 4;
  FakePlant plant(slow, 80, {.cores = 16, .memory = 8_GiB});
  Tuning tuning(plant);
  while (plant.workers(1) == 32 && plant.now() < 60) tuning.Run(0.2);
  plant.set_step_ms(160);
  tuning.Run(20);
  EXPECT_EQ(tuning.Fates(Fate::kRolledBack), 0) << tuning.Trace();
  EXPECT_LE(plant.workers(1), 5) << tuning.Trace();
}

TEST(Scenario, DoesNotUndoAGrowthBecauseTheConsumerBecomesSlower) {
  FakePlant plant({{.name = "decode", .cpu_ms = 10, .spread = 0.2, .capacity = 8}}, 4, {.cores = 8});
  Tuning tuning(plant);
  while (plant.workers(0) == 1 && plant.now() < 5) tuning.Run(0.2);
  ASSERT_GE(plant.workers(0), 2);
  plant.set_step_ms(18);
  tuning.Run(4);
  EXPECT_EQ(tuning.Fates(Fate::kRolledBack), 0) << tuning.Trace();
}

// Trimmed, augment still idles for half of its time: that the run becomes slower then is chance.
TEST(Scenario, DoesNotUndoATrimForTheLuckBeforeIt) {
  int undone = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FakePlant plant({{.name = "read", .cpu_ms = 8, .spread = 1, .serial = true, .capacity = 8},
                     {.name = "augment", .cpu_ms = 8, .spread = 0.5, .workers = 8, .capacity = 8}},
                    0, {.cores = 16, .noise = 0.1, .seed = seed});
    Tuning tuning(plant);
    tuning.Run(40);
    undone += plant.workers(1) == 8;
  }
  EXPECT_LE(undone, 2);
}

// A storage's knee is known within a percent or two, no better.
TEST(Scenario, DoesNotComeBackForAPercent) {
  int changes = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FakeOp read{.name = "read", .wait_ms = 25, .spread = 0.2, .capacity = 16};
    read.slowdown = [](int n) { return std::max(1.0, n / 6.5); };
    FakePlant plant({read, {.name = "decode", .cpu_ms = 5, .spread = 0.3, .capacity = 2}}, 0,
                    {.cores = 8, .noise = 0.02, .seed = seed});
    Tuning tuning(plant);
    tuning.Run(150);
    changes += tuning.Changes(45);
  }
  EXPECT_LE(changes, 2) << "one trial, undone, of 20 runs";
}

// The first items may have been cheap ones.
TEST(Scenario, DoesNotRestAfterOneLuckyLook) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    FakePlant plant({{.name = "decode", .cpu_ms = 60, .spread = 2, .workers = 3, .capacity = 16}}, 12,
                    {.cores = 8, .seed = seed});
    Tuning tuning(plant);
    tuning.Run(3);
    EXPECT_GE(tuning.Changes(), 1) << "seed " << seed << "\n" << tuning.Trace();
  }
}

TEST(Scenario, NamesASerialOpAndStopsPushing) {
  FakePlant plant({{.name = "read", .cpu_ms = 2, .serial = true}, {.name = "augment", .cpu_ms = 3}}, 0,
                  {.cores = 8});
  Tuning tuning(plant);
  tuning.Run(30);
  EXPECT_EQ(tuning.verdict().limit, Limit::kSerialOp) << tuning.verdict().sentence;
  EXPECT_EQ(tuning.verdict().op, 0u);
  EXPECT_GE(tuning.Rate(10), 0.97 * 500) << tuning.Trace();
  EXPECT_EQ(tuning.Changes(10), 0);
  EXPECT_LE(plant.workers(1), 3);
}

// Video demuxing as published by SPDL: more than three at once get slower.
TEST(Scenario, BacksOffFromAnOpThatGetsSlowerWithMoreWorkers) {
  constexpr double kRate[] = {0, 1, 1.9, 2.4, 2.2, 1.7, 1.3, 1.0, 0.8};
  FakeOp demux{.name = "demux", .cpu_ms = 10};
  demux.slowdown = [&](int n) { return n / (n <= 8 ? kRate[n] : 0.6); };
  FakePlant plant({{.name = "read", .cpu_ms = 0.1}, demux, {.name = "collate", .cpu_ms = 0.1}}, 0,
                  {.cores = 8});
  Tuning tuning(plant);
  tuning.Run(40);
  EXPECT_GE(tuning.Rate(20), 0.97 * 240) << tuning.Trace();
  EXPECT_EQ(tuning.verdict().limit, Limit::kContention) << tuning.verdict().sentence;
  EXPECT_EQ(tuning.Changes(15), 0) << tuning.Trace();
}

// The same op, of a run that began with far more workers than are best.
TEST(Scenario, FindsThePeakOfAnOpThatGetsSlowerWithMoreWorkersFromAbove) {
  const auto pipeline = [](int workers) {
    FakeOp augment{.name = "augment", .cpu_ms = 4, .spread = 0.2, .workers = workers, .capacity = 128};
    augment.slowdown = [](int n) { return 1 + 0.02 * (n - 1) + 0.003 * n * (n - 1); };
    return std::vector<FakeOp>{augment};
  };
  const double best = RateUntouched(FakePlant(pipeline(18), 0, {.cores = 64}), 5);
  FakePlant plant(pipeline(64), 0, {.cores = 64});
  Tuning tuning(plant);
  tuning.Run(60);
  EXPECT_GE(tuning.Rate(10), 0.95 * best) << tuning.Trace();
  EXPECT_EQ(tuning.verdict().limit, Limit::kContention) << tuning.verdict().sentence;
}

// A trim has shown that one worker less makes as much: more of them are not tried again after the rest.
TEST(Scenario, DoesNotGiveAContendedOpBackWhatATrimTook) {
  const auto slower = [](int n) { return 1 + 0.05 * (n - 1) + 0.03 * n * (n - 1); };
  FakePlant plant({{.name = "augment", .cpu_ms = 4, .spread = 0.2, .capacity = 64, .slowdown = slower}}, 0,
                  {.cores = 16});
  Tuning tuning(plant);
  tuning.Run(60);
  EXPECT_LE(plant.workers(0), 6) << tuning.Trace();
  tuning.Run(90);
  EXPECT_EQ(tuning.Changes(60), 0) << tuning.Trace();
}

// Sixteen workers take seven times as long per item as one, on cores that decoding needs.
TEST(Scenario, TakesCoresFromAnOpThatOnlyGetsInItsOwnWay) {
  const auto pipeline = [](int readers, int decoders) {
    FakeOp parse{.name = "parse", .cpu_ms = 1.4, .workers = readers, .capacity = 4};
    parse.slowdown = [](int n) { return 1 + 0.12 * (n - 1) + 0.01 * n * (n - 1); };
    return std::vector<FakeOp>{
        parse, {.name = "decode", .cpu_ms = 4, .spread = 0.3, .workers = decoders, .capacity = 100}};
  };
  const double best = RateUntouched(FakePlant(pipeline(6, 14), 0, {.cores = 16}), 5);
  FakePlant plant(pipeline(16, 1), 0, {.cores = 16});
  Tuning tuning(plant);
  tuning.Run(20);
  EXPECT_GE(tuning.Rate(5), 0.9 * best) << tuning.Trace();
}

TEST(Scenario, BacksOffSoonWhereItemsTakeLong) {
  const auto slower = [](int n) { return 1 + 0.05 * (n - 1) + 0.1 * n * (n - 1); };
  FakePlant plant({{.name = "augment", .cpu_ms = 0.1, .wait_ms = 20, .capacity = 16, .slowdown = slower}}, 0,
                  {.cores = 2, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(12);
  EXPECT_LE(plant.workers(0), 5) << "three are best; 16 take half a second for an item\n" << tuning.Trace();
}

// The first plan comes before a window has closed; what was seen until then is what it is compared with.
TEST(Scenario, UndoesAFirstPlanThatMakesItWorse) {
  const auto slower = [](int n) { return n == 1 ? 1.0 : 1.5 * n; };
  FakePlant plant({{.name = "fetch", .cpu_ms = 1, .wait_ms = 60, .capacity = 4, .slowdown = slower}}, 0,
                  {.cores = 4});
  Tuning tuning(plant);
  for (int s = 0; s < 30 && tuning.outcomes().empty(); ++s) tuning.Run(1);
  ASSERT_FALSE(tuning.outcomes().empty());
  EXPECT_EQ(tuning.outcomes().front().fate, Fate::kRolledBack) << tuning.Trace();
  EXPECT_EQ(plant.workers(0), 1) << tuning.Trace();
}

// The trial of the pipeline above lasts for ten seconds.
TEST(Scenario, ShrinksBuffersInTheMiddleOfATrialWhereItemsBecomeLarger) {
  const auto slower = [](int n) { return n == 1 ? 1.0 : 1.5 * n; };
  FakePlant plant(
      {{.name = "fetch", .cpu_ms = 1, .wait_ms = 60, .capacity = 16, .bytes = 1'000'000, .slowdown = slower}},
      0, {.cores = 4, .memory = 64_MiB});
  Tuning tuning(plant);
  tuning.Run(2);
  plant.op(0).bytes = 3'000'000;
  ASSERT_GT(plant.CouldHold(), 64.0 * (1 << 20)) << tuning.Trace();
  tuning.Run(6);
  EXPECT_LE(plant.CouldHold(), 64.0 * (1 << 20)) << tuning.Trace();
}

// Up to `most` readers do not disturb each other; more of them together make no more than half of one.
std::vector<FakeOp> Thrashing(int readers, int most) {
  FakeOp read{.name = "read", .cpu_ms = 1, .wait_ms = 20, .workers = readers, .capacity = 64};
  read.slowdown = [most](int n) { return n <= most ? 1.0 : 2.0 * n; };
  return {read, {.name = "decode", .cpu_ms = 1, .capacity = 64}};
}

TEST(Scenario, FindsTheFewReadersThatAThrashingStorageBears) {
  const double best = RateUntouched(FakePlant(Thrashing(4, 4), 0, {.cores = 4}), 5);
  FakePlant plant(Thrashing(2, 4), 0, {.cores = 4});
  Tuning tuning(plant);
  tuning.Run(20);
  EXPECT_GE(tuning.Rate(5), 0.97 * best) << tuning.Trace();
}

// What a plan that was undone had begun leaves late, among readers that are not slow.
TEST(Scenario, LearnsNothingFromItemsThatACrowdHadBegun) {
  const double best = RateUntouched(FakePlant(Thrashing(8, 8), 0, {.cores = 4}), 5);
  FakePlant plant(Thrashing(4, 8), 0, {.cores = 4});
  Tuning tuning(plant);
  tuning.Run(60);
  EXPECT_GE(tuning.Rate(30), 0.97 * best) << tuning.Trace();
}

TEST(Scenario, NeverTouchesAPinnedKnobAndSaysThatItIsPinned) {
  auto ops = Images();
  ops[1].pinned = true;
  FakePlant plant(ops, 0, {.cores = 4, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(20);
  EXPECT_EQ(plant.workers(1), 1);
  EXPECT_EQ(tuning.verdict().limit, Limit::kOp);
  EXPECT_NE(tuning.verdict().sentence.find("pinned"), std::string::npos) << tuning.verdict().sentence;
}

TEST(Scenario, StaysWithinABoundAndSaysSo) {
  auto ops = Images();
  ops[1].most_workers = 2;
  FakePlant plant(ops, 0, {.cores = 8, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(20);
  EXPECT_EQ(plant.workers(1), 2);
  EXPECT_NE(tuning.verdict().sentence.find("bound"), std::string::npos) << tuning.verdict().sentence;
}

TEST(Scenario, NeverPlansForMoreBytesThanTheBudget) {
  auto ops = Images();
  ops[1].spread = 1.5;
  FakePlant plant(ops, 8, {.cores = 32, .memory = 150_MiB});
  Tuning tuning(plant);
  tuning.Run(30);
  for (const Tick& tick : tuning.ticks()) {
    ASSERT_LE(tick.could_hold, 150.0 * (1 << 20)) << "at " << tick.at << " s\n" << tuning.Trace();
  }
  EXPECT_GT(tuning.Rate(10), 40) << tuning.Trace();
}

TEST(Scenario, ShrinksWhenTheByteBudgetShrinks) {
  auto ops = Images(8);
  ops[2].capacity = 16;
  FakePlant plant(ops, 0, {.cores = 8, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(10);
  plant.machine().memory = 256_MiB;
  tuning.Run(5);
  EXPECT_LE(plant.CouldHold(), 256.0 * (1 << 20)) << tuning.Trace();
}

TEST(Scenario, TunesAgainWhenAnOpBecomesMoreExpensive) {
  FakePlant plant(Images(), 60, {.cores = 16, .memory = 4_GiB});
  Tuning tuning(plant);
  tuning.Run(20);
  plant.op(1).cpu_ms = 4;
  tuning.Run(12);
  EXPECT_GE(tuning.Rate(5), 0.97 / 0.060) << tuning.Trace();
}

TEST(Scenario, TunesAgainWhenTheConsumerBecomesFaster) {
  auto slow = Images();
  slow[1].cpu_ms = 4;
  FakePlant plant(slow, 200, {.cores = 16, .memory = 4_GiB});
  Tuning tuning(plant);
  tuning.Run(20);
  plant.set_step_ms(50);
  tuning.Run(12);
  EXPECT_GE(tuning.Rate(5), 0.97 / 0.050) << tuning.Trace();
}

// One interval shows hundreds of items of the new cost: nothing else has to be awaited.
TEST(Scenario, AnswersAnOpThatBecomesMoreExpensiveInTheNextInterval) {
  FakePlant plant(Images(), 60, {.cores = 16, .memory = 4_GiB});
  Tuning tuning(plant);
  tuning.Run(20);
  plant.op(1).cpu_ms = 4;
  tuning.Run(0.4);
  EXPECT_GE(plant.workers(1), 5) << tuning.Trace();
  EXPECT_NE(tuning.Trace().find("decode takes longer per item than before: the present workers"),
            std::string::npos)
      << tuning.Trace();
}

// Buffers that are still full hide that the ops are too slow for it.
TEST(Scenario, AnswersAConsumerThatBecomesFasterBeforeItStarves) {
  auto slow = Images(1);
  slow[1].cpu_ms = 4;
  slow[2].capacity = 8;
  FakePlant plant(slow, 80, {.cores = 16, .memory = 8_GiB});
  Tuning tuning(plant);
  tuning.Run(20);
  const double starved = plant.consumer_starved();
  plant.set_step_ms(30);
  tuning.Run(0.4);
  EXPECT_GE(plant.workers(1), 8) << tuning.Trace();
  EXPECT_NE(tuning.Trace().find("the consumer works faster than before"), std::string::npos)
      << tuning.Trace();
  tuning.Run(5);
  EXPECT_LT(plant.consumer_starved() - starved, 0.5) << tuning.Trace();
}

TEST(Scenario, SaysTheNewLimitWhenTheCoreBudgetHalves) {
  FakePlant plant(Images(), 0, {.cores = 8, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(15);
  plant.machine().cores = 4;
  tuning.Run(20);
  EXPECT_EQ(tuning.verdict().limit, Limit::kCores);
  EXPECT_NE(tuning.verdict().sentence.find("of 4 cores"), std::string::npos) << tuning.verdict().sentence;
  EXPECT_GE(tuning.Rate(5), 0.97 * 4000 / 64.0) << tuning.Trace();
}

TEST(Scenario, LeavesAUsersChangeAlone) {
  FakePlant plant(Images(), 0, {.cores = 8, .memory = 2_GiB});
  Tuning tuning(plant);
  tuning.Run(10);
  plant.SetByUser({KnobKind::kWorkers, 1}, 2);
  tuning.Run(20);
  EXPECT_EQ(plant.workers(1), 2) << tuning.Trace();
}

TEST(Scenario, WorksFromBusyTimeWhereCpuTimeIsNotMeasured) {
  FakePlant plant(Images(), 0, {.cores = 8, .memory = 2_GiB, .measures_cpu = false});
  Tuning tuning(plant);
  tuning.Run(15);
  EXPECT_GE(tuning.Rate(5), 0.97 * 8000 / 64.0 * 0.97) << tuning.Trace();
}

// Where the user's settings are the best already, the tuner must not be felt.
class StartAtTheBest : public TestWithParam<int> {};

TEST_P(StartAtTheBest, IsLeftUnharmed) {
  const auto ops = GetParam() == 0 ? Images(3) : Waiting(24, 3);
  const FakeMachine machine{.cores = 2, .memory = 4_GiB, .noise = 0.02};
  FakePlant untouched(ops, 0, machine);
  FakePlant plant(ops, 0, machine);
  Tuning tuning(plant);
  double worst = 1;
  for (int second = 0; second < 60; ++second) {
    const std::uint64_t before = plant.consumed();
    const std::uint64_t before_untouched = untouched.consumed();
    for (int tick = 0; tick < 5; ++tick) (void)untouched.Sense();
    tuning.Run(1);
    const auto made = static_cast<double>(plant.consumed() - before);
    worst = std::min(worst, (made + 1) / static_cast<double>(untouched.consumed() - before_untouched));
  }
  EXPECT_GE(static_cast<double>(plant.consumed()), 0.985 * static_cast<double>(untouched.consumed()))
      << tuning.Trace();
  EXPECT_GE(worst, 0.95) << tuning.Trace();
}
INSTANTIATE_TEST_SUITE_P(Scenario, StartAtTheBest, Values(0, 1));

// Noise of the plant must not be mistaken for the effect of a change.
class Noisy : public TestWithParam<double> {};

TEST_P(Noisy, ConvergesAndIsQuietAfterwards) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FakeMachine machine{.cores = 4, .memory = 2_GiB, .noise = GetParam(), .seed = seed};
    FakePlant plant(Images(), 0, machine);
    Tuning tuning(plant);
    tuning.Run(20);
    const std::uint64_t settled = plant.consumed();
    tuning.Run(60);
    FakePlant best(Images(6), 0, machine);
    while (best.now() < 20) (void)best.Sense();
    const std::uint64_t start = best.consumed();
    while (best.now() < 80) (void)best.Sense();
    const auto made = static_cast<double>(plant.consumed() - settled);
    EXPECT_GE(made, 0.97 * static_cast<double>(best.consumed() - start)) << tuning.Trace();
    EXPECT_LE(tuning.Changes(20), 1) << "in a minute\n" << tuning.Trace();
  }
}
INSTANTIATE_TEST_SUITE_P(Scenario, Noisy, Values(0.02, 0.1, 0.3));

}  // namespace
}  // namespace sluice::autotune::testing
