// What a run looks like from outside: how fast it becomes, and how quiet it stays.
#include <gtest/gtest.h>

#include "autotune/tuning.h"

namespace sluice::autotune::testing {
namespace {

using simulator::testing::RunFor;
using ::testing::TestWithParam;
using ::testing::Values;

// Like ImageNet: cheap reading, expensive decode, batches of 64.
std::vector<SimOp> Images(int decoders = 1, Nanos decode = 1ms) {
  return {
      {.name = "read", .burn = Fixed(20us), .wait = Fixed(50us), .capacity = decoders},
      {.name = "decode",
       .burn = Lognormal(decode, 0.3),
       .allocate = {600'000},
       .workers = decoders,
       .capacity = decoders},
      {.name = "batch", .size = 64, .burn = Fixed(500us), .allocate = {38'500'000}, .capacity = decoders}};
}

// Reading waits eight times as long as it computes.
std::vector<SimOp> Waiting(int readers = 1, int decoders = 1) {
  return {{.name = "read", .burn = Fixed(200us), .wait = Fixed(8ms), .workers = readers, .capacity = readers},
          {.name = "decode", .burn = Lognormal(1ms, 0.3), .workers = decoders, .capacity = readers},
          {.name = "batch", .size = 16, .burn = Fixed(500us), .allocate = {9'600'000}, .capacity = 2}};
}

TEST(Scenario, ReachesTheMachinesLimitWithinFiveSecondsFromOneWorker) {
  const double best = RateUntouched(Line(Images(4), {.cores = 2}));
  Tuning tuning(Line(Images(), {.cores = 2, .memory = 2_GiB}));
  tuning.Run(10s);
  EXPECT_GE(tuning.Rate(5s), 0.97 * best) << tuning.Trace();
  EXPECT_LE(tuning.workers(1), 3) << "no more decoders than two cores feed, and one to spare";
  EXPECT_EQ(tuning.verdict().limit, Limit::kCores);
  EXPECT_LE(tuning.Changes(), 2);
}

TEST(Scenario, ReachesEightCoresWithinFiveSecondsToo) {
  const double best = RateUntouched(Line(Images(12)));
  Tuning tuning(Line(Images(), {.memory = 2_GiB}));
  tuning.Run(10s);
  EXPECT_GE(tuning.Rate(5s), 0.97 * best) << tuning.Trace();
}

// What fills the buffers at first is no throughput: eight readers make 100 items per second before a single
// one is through.
TEST(Scenario, DoesNotCompareTheFirstTrialWithTheFillingOfBuffers) {
  Tuning tuning(
      Line({{.name = "list", .burn = Fixed(1us), .capacity = 16},
            {.name = "read",
             .burn = Lognormal(25ms, 0.3),
             .wait = Lognormal(50ms, 0.3),
             .workers = 8,
             .capacity = 16},
            {.name = "decode", .burn = Lognormal(50ms, 0.3), .contention = {.sigma = 0.2}, .capacity = 16},
            {.name = "batch", .size = 8, .burn = Fixed(500us), .capacity = 4}},
           {.cores = 64, .step = 13ms}));
  tuning.Run(4s);
  EXPECT_EQ(tuning.Fates(Fate::kRolledBack), 0) << tuning.Trace();
  EXPECT_GE(tuning.workers(2), 8) << tuning.Trace();
}

TEST(Scenario, DoesNotWaitForAFirstBatchThatTakesLong) {
  Tuning tuning(Line(Images(1, 10ms), {.memory = 2_GiB}));
  tuning.Run(400ms);
  EXPECT_EQ(tuning.workers(1), 8) << "the first batch of one worker takes 0.6 s\n" << tuning.Trace();
}

// Neither a decoded image nor a batch is there when a decoder is known to be too slow.
SimScenario SlowImages(Bytes memory) {
  return Line({{.name = "read", .burn = Fixed(1ms), .capacity = 16},
               {.name = "decode", .burn = Fixed(220ms), .capacity = 16},
               {.name = "upload", .wait = Fixed(500ms), .capacity = 16}},
              {.memory = memory});
}

TEST(Scenario, PlansForAnItemThatIsStillInTheMakingUnlessItsSizeMatters) {
  Tuning tuning(SlowImages({}));
  tuning.Run(400ms);
  EXPECT_GE(tuning.workers(1), 7) << tuning.Trace();
  Tuning careful(SlowImages(2_GiB));
  careful.Run(400ms);
  EXPECT_EQ(careful.workers(1), 1) << careful.Trace();
}

// "At most five per second" is all that is known of the rate before.
TEST(Scenario, GoesOnSoonAfterAPlanThatKnewNothingOfWhatCameBehind) {
  Tuning tuning(SlowImages({}));
  tuning.Run(5s);
  EXPECT_GE(tuning.workers(2), 8) << tuning.Trace();
}

TEST(Scenario, HearsOfTheDemandFirstWhereThatTakesNoTime) {
  Tuning tuning(Line(Images(1, 4ms), {.cores = 16, .memory = 4_GiB, .step = 200ms}));
  tuning.Run(1s);
  EXPECT_LE(tuning.workers(1), 3)
      << "320 rows/s of 4 ms keep 1.3 workers busy; half a step shows that it is at most twice that\n"
      << tuning.Trace();
}

TEST(Scenario, GivesAWaitingOpMoreWorkersThanThereAreCores) {
  const double best = RateUntouched(Line(Waiting(32, 4), {.cores = 2}));
  Tuning tuning(Line(Waiting(), {.cores = 2, .memory = 2_GiB}));
  tuning.Run(10s);
  EXPECT_GE(tuning.Rate(5s), 0.97 * best) << tuning.Trace();
  EXPECT_GT(tuning.workers(0), 10);
  EXPECT_LE(tuning.workers(1), 4) << "computing ops must not crowd the cores";
}

TEST(Scenario, FeedsTheConsumerWithTheFewestWorkers) {
  Tuning tuning(Line(Images(1, 4ms), {.cores = 16, .memory = 2_GiB, .step = 80ms}));
  tuning.Run(8s);
  const Nanos starved = tuning.starved();
  tuning.Run(20s);
  EXPECT_LT(Seconds(tuning.starved() - starved) / 20, 0.01) << tuning.Trace();
  EXPECT_LE(tuning.workers(1), 5) << "800 rows/s of 4 ms keep 3.2 workers busy";
  EXPECT_EQ(tuning.verdict().limit, Limit::kConsumer) << tuning.verdict().sentence;
}

const Around kSlowConsumer = {.cores = 16, .memory = 8_GiB, .step = 80ms};

TEST(Scenario, TrimsWhatTheConsumerDoesNotNeedAndKeepsItServed) {
  Tuning tuning(Line(Images(32, 4ms), kSlowConsumer));
  tuning.Run(40s);
  const Nanos starved = tuning.starved();
  tuning.Run(20s);
  EXPECT_LE(tuning.workers(1), 5) << tuning.Trace();
  EXPECT_LT(Seconds(tuning.starved() - starved) / 20, 0.01);
  EXPECT_LE(tuning.Changes(), 2);
}

// Half as much is wanted from the moment on at which the trim was made.
TEST(Scenario, DoesNotUndoATrimBecauseTheConsumerBecomesSlower) {
  for (const Bytes memory : {8_GiB, 2_GiB}) {  // in the lesser one buffers are trimmed, too
    Around around = kSlowConsumer;
    around.memory = memory;
    Tuning before(Line(Images(32, 4ms), around));
    const Nanos trimmed = before.RunUntil([&] { return before.Changes() > 0; }, 60s);
    around.events = {{.at = trimmed, .step = 2}};
    Tuning tuning(Line(Images(32, 4ms), around));
    tuning.Run(trimmed + 20s);
    EXPECT_EQ(tuning.Fates(Fate::kRolledBack), 0) << tuning.Trace();
    EXPECT_LE(tuning.workers(1), 5) << tuning.Trace();
  }
}

TEST(Scenario, DoesNotUndoAGrowthBecauseTheConsumerBecomesSlower) {
  const auto run = [](std::vector<SimEvent> events) {
    return Line({{.name = "decode", .burn = Lognormal(10ms, 0.2), .capacity = 8}},
                {.step = 4ms, .events = std::move(events)});
  };
  Tuning before(run({}));
  const Nanos grown = before.RunUntil([&] { return before.workers(0) > 1; }, 5s);
  ASSERT_LT(grown, 5s);
  Tuning tuning(run({{.at = grown, .step = 4.5}}));
  tuning.Run(grown + 4s);
  EXPECT_EQ(tuning.Fates(Fate::kRolledBack), 0) << tuning.Trace();
}

// Trimmed, augment still idles for half of its time: that the run becomes slower then is chance.
TEST(Scenario, DoesNotUndoATrimForTheLuckBeforeIt) {
  int undone = 0;
  for (const int room : {8, 2}) {  // the lesser one grows with the trim
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Tuning tuning(Line({{.name = "read", .burn = Lognormal(8ms, 1), .capacity = room, .serial = true},
                          {.name = "augment", .burn = Lognormal(8ms, 0.5), .workers = 8, .capacity = room}},
                         {.cores = 16, .noise = 0.1, .seed = seed}));
      tuning.Run(40s);
      undone += tuning.workers(1) == 8;
    }
  }
  EXPECT_LE(undone, 2);
}

// A storage gives 260 items a second, to 6.5 readers; that is known within a percent or two, no better.
TEST(Scenario, DoesNotComeBackForAPercent) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SimScenario scenario = Line({{.name = "read", .read = 1_MiB, .read_cv = 0.2, .capacity = 16},
                                 {.name = "decode", .burn = Lognormal(5ms, 0.3), .capacity = 2}},
                                {.noise = 0.02, .seed = seed});
    scenario.storage.bandwidth = 260_MiB;
    for (int n = 1; n <= 7; ++n) scenario.storage.parallelism.push_back(std::min(1.0, n / 6.5));
    Tuning tuning(scenario);
    tuning.Run(150s);
    EXPECT_LE(tuning.Changes(45s), 2) << "one trial, undone; seed " << seed << "\n" << tuning.Trace();
  }
}

// The first items may have been cheap ones.
TEST(Scenario, DoesNotRestAfterOneLuckyLook) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Tuning tuning(Line({{.name = "decode", .burn = Lognormal(60ms, 2), .workers = 3, .capacity = 16}},
                       {.seed = seed, .step = 12ms}));
    tuning.Run(3s);
    EXPECT_GE(tuning.Changes(), 1) << "seed " << seed << "\n" << tuning.Trace();
  }
}

TEST(Scenario, NamesASerialOpAndStopsPushing) {
  Tuning tuning(Line({{.name = "read", .burn = Fixed(2ms), .capacity = 1, .serial = true},
                      {.name = "augment", .burn = Fixed(3ms), .capacity = 1}}));
  tuning.Run(30s);
  EXPECT_EQ(tuning.verdict().limit, Limit::kSerialOp) << tuning.verdict().sentence;
  EXPECT_EQ(tuning.verdict().op, 0u);
  EXPECT_GE(tuning.Rate(10s), 0.97 * 500) << tuning.Trace();
  EXPECT_EQ(tuning.Changes(10s), 0);
  EXPECT_LE(tuning.workers(1), 3);
}

TEST(Scenario, NeverTouchesAPinnedKnobAndSaysThatItIsPinned) {
  auto ops = Images();
  ops[1].pin_workers = true;
  Tuning tuning(Line(ops, {.cores = 4, .memory = 2_GiB}));
  tuning.Run(20s);
  EXPECT_EQ(tuning.workers(1), 1);
  EXPECT_EQ(tuning.verdict().limit, Limit::kOp);
  EXPECT_NE(tuning.verdict().sentence.find("pinned"), std::string::npos) << tuning.verdict().sentence;
}

TEST(Scenario, StaysWithinABoundAndSaysSo) {
  auto ops = Images();
  ops[1].max_workers = 2;
  Tuning tuning(Line(ops, {.memory = 2_GiB}));
  tuning.Run(20s);
  EXPECT_EQ(tuning.workers(1), 2);
  EXPECT_NE(tuning.verdict().sentence.find("bound"), std::string::npos) << tuning.verdict().sentence;
}

TEST(Scenario, NeverPlansForMoreBytesThanTheBudget) {
  auto ops = Images();
  ops[1].burn.cv = 1.5;
  Tuning tuning(Line(ops, {.cores = 32, .memory = 150_MiB, .step = 8ms}));
  tuning.Run(30s);
  for (const Tick& tick : tuning.ticks()) {
    ASSERT_LE(tick.could_hold, 150.0 * (1 << 20)) << "at " << Seconds(tick.at) << " s\n" << tuning.Trace();
  }
  EXPECT_GT(tuning.Rate(10s), 40) << tuning.Trace();
}

TEST(Scenario, ShrinksWhenTheByteBudgetShrinks) {
  auto ops = Images(8);
  ops[2].capacity = 16;
  Tuning tuning(Line(ops, {.memory = 2_GiB, .events = {{.at = 10s, .memory = 256_MiB}}}));
  tuning.Run(15s);
  EXPECT_LE(tuning.CouldHold(), 256.0 * (1 << 20)) << tuning.Trace();
}

const Around kDecodingBecomesDear = {
    .cores = 16, .memory = 4_GiB, .step = 60ms, .events = {{.at = 20s, .op = 1, .cost = 4}}};

TEST(Scenario, TunesAgainWhenAnOpBecomesMoreExpensive) {
  Tuning tuning(Line(Images(), kDecodingBecomesDear));
  tuning.Run(32s);
  EXPECT_GE(tuning.Rate(5s), 0.97 / 0.060) << tuning.Trace();
}

TEST(Scenario, TunesAgainWhenTheConsumerBecomesFaster) {
  Tuning tuning(Line(Images(1, 4ms),
                     {.cores = 16, .memory = 4_GiB, .step = 200ms, .events = {{.at = 20s, .step = 0.25}}}));
  tuning.Run(32s);
  EXPECT_GE(tuning.Rate(5s), 0.97 / 0.050) << tuning.Trace();
}

// One interval shows hundreds of items of the new cost: nothing else has to be awaited.
TEST(Scenario, AnswersAnOpThatBecomesMoreExpensiveInTheNextInterval) {
  Tuning tuning(Line(Images(), kDecodingBecomesDear));
  tuning.Run(20s + 600ms);
  EXPECT_GE(tuning.workers(1), 4) << "4.3 are busy; the next look sees more\n" << tuning.Trace();
  EXPECT_NE(tuning.Trace().find("decode takes longer per item than before: the present workers"),
            std::string::npos)
      << tuning.Trace();
}

// Buffers that are still full hide that the ops are too slow for it.
TEST(Scenario, AnswersAConsumerThatBecomesFasterBeforeItStarves) {
  auto ops = Images(1, 4ms);
  ops[2].capacity = 8;
  Around around = kSlowConsumer;
  around.events = {{.at = 20s, .step = 0.375}};
  Tuning tuning(Line(ops, around));
  tuning.Run(20s);
  const Nanos starved = tuning.starved();
  tuning.Run(600ms);
  EXPECT_GE(tuning.workers(1), 8) << tuning.Trace();
  EXPECT_NE(tuning.Trace().find("the consumer works faster than before"), std::string::npos)
      << tuning.Trace();
  tuning.Run(5s);
  EXPECT_LT(tuning.starved() - starved, 500ms) << tuning.Trace();
}

TEST(Scenario, SaysTheNewLimitWhenTheCoreBudgetHalves) {
  Tuning tuning(Line(Images(), {.memory = 2_GiB, .events = {{.at = 15s, .cores = 4}}}));
  tuning.Run(35s);
  EXPECT_EQ(tuning.verdict().limit, Limit::kCores);
  EXPECT_NE(tuning.verdict().sentence.find("of 4 cores"), std::string::npos) << tuning.verdict().sentence;
  EXPECT_GE(tuning.Rate(5s), 0.97 * RateUntouched(Line(Images(6), {.cores = 4}))) << tuning.Trace();
}

TEST(Scenario, LeavesAUsersChangeAlone) {
  Tuning tuning(Line(Images(), {.memory = 2_GiB}));
  tuning.Run(10s);
  tuning.Set(KnobKind::kWorkers, 1, 2);
  tuning.Run(20s);
  EXPECT_EQ(tuning.workers(1), 2) << tuning.Trace();
}

TEST(Scenario, WorksFromBusyTimeWhereCpuTimeIsNotMeasured) {
  const auto no_clocks = [](Snapshot& seen) {
    for (OpReading& op : seen.ops) op.on_cpu = op.runnable = std::nullopt;
    seen.process_cpu = Nanos(0);
    seen.idle.reset();
  };
  Tuning tuning(Line(Images(), {.memory = 2_GiB}), {}, no_clocks);
  tuning.Run(15s);
  EXPECT_GE(tuning.Rate(5s), 0.97 * 8000 / 64.0 * 0.97) << tuning.Trace();
}

// Where the user's settings are the best already, the tuner must not be felt.
class StartAtTheBest : public TestWithParam<int> {};

TEST_P(StartAtTheBest, IsLeftUnharmed) {
  const SimScenario scenario =
      Line(GetParam() == 0 ? Images(3) : Waiting(24, 3), {.cores = 2, .memory = 4_GiB, .noise = 0.02});
  SimPlant untouched(scenario);
  Tuning tuning(scenario);
  double worst = 1;
  for (int second = 0; second < 60; ++second) {
    const std::uint64_t before = tuning.consumed();
    const std::uint64_t before_untouched = untouched.Truth().items;
    (void)RunFor(untouched, 1s);
    tuning.Run(1s);
    const auto made = static_cast<double>(tuning.consumed() - before);
    worst = std::min(worst, (made + 1) / static_cast<double>(untouched.Truth().items - before_untouched));
  }
  EXPECT_GE(static_cast<double>(tuning.consumed()), 0.985 * static_cast<double>(untouched.Truth().items))
      << tuning.Trace();
  EXPECT_GE(worst, 0.95) << tuning.Trace();
}
INSTANTIATE_TEST_SUITE_P(Scenario, StartAtTheBest, Values(0, 1));

// Noise of the plant must not be mistaken for the effect of a change.
class Noisy : public TestWithParam<double> {};

TEST_P(Noisy, ConvergesAndIsQuietAfterwards) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Around around = {.cores = 4, .memory = 2_GiB, .noise = GetParam(), .seed = seed};
    Tuning tuning(Line(Images(), around));
    tuning.Run(80s);
    const double best = MeasuredRate(Line(Images(6), around), 20s, 60s);
    EXPECT_GE(tuning.Rate(60s), 0.97 * best) << tuning.Trace();
    EXPECT_LE(tuning.Changes(20s), 1) << "in a minute\n" << tuning.Trace();
  }
}
INSTANTIATE_TEST_SUITE_P(Scenario, Noisy, Values(0.02, 0.1, 0.3));

}  // namespace
}  // namespace sluice::autotune::testing
