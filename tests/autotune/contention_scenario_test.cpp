// What a run of ops that get in their own way, or in each other's, looks like from outside.
#include <gtest/gtest.h>

#include "autotune/tuning.h"

namespace sluice::autotune::testing {
namespace {

// service(n) / service(1) for up to 64 workers.
template <typename Law>
Contention Slowing(Law law) {
  Contention contention;
  for (int n = 1; n <= 64; ++n) contention.table.push_back(law(n));
  return contention;
}

// Of 32 busy workers that do not slow each other down.
int Descents(std::vector<SimEvent> events, Nanos time, Nanos item = 10ms) {
  Tuning tuning(Line({{.name = "decode", .burn = Fixed(item), .workers = 32, .capacity = 64}},
                     {.cores = 32, .events = std::move(events)}));
  tuning.Run(time);
  return static_cast<int>(std::ranges::count_if(tuning.decisions(), [](const Decision& decision) {
    return decision.because.contains("this many were never tried");
  }));
}

// Each try costs a part of what the run makes; how an op slows itself down is no matter of the cores.
TEST(Scenario, DoesNotTryFewerWorkersAnewWheneverTheCoresShift) {
  std::vector<SimEvent> flaps, changes;
  for (int i = 1; i <= 8; ++i) {
    flaps.push_back({.at = i * 30s, .cores = i % 2 == 1 ? 24 : 32});
    changes.push_back({.at = i * 30s, .op = 0, .cost = i % 2 == 1 ? 2 : 1});
  }
  EXPECT_LE(Descents(flaps, 270s), 4);
  EXPECT_GT(Descents(changes, 270s), 4) << "its items cost something else: it may be another op";
}

TEST(Scenario, TriesFewerWorkersAgainAfterHoursOfRest) {
  const int before = Descents({}, 60min, 1s);
  EXPECT_GE(before, 1);
  EXPECT_EQ(Descents({}, 80min, 1s), before + 1);
}

// Video demuxing as published by SPDL: more than three at once get slower.
TEST(Scenario, BacksOffFromAnOpThatGetsSlowerWithMoreWorkers) {
  const std::vector<double> rates = {1, 1.9, 2.4, 2.2, 1.7, 1.3, 1.0, 0.8};
  const auto slower = [&](int n) { return n / (n <= 8 ? rates[static_cast<std::size_t>(n) - 1] : 0.6); };
  Tuning tuning(Line({{.name = "read", .burn = Fixed(100us), .capacity = 1},
                      {.name = "demux", .burn = Fixed(10ms), .contention = Slowing(slower), .capacity = 1},
                      {.name = "collate", .burn = Fixed(100us), .capacity = 1}}));
  tuning.Run(40s);
  EXPECT_GE(tuning.Rate(20s), 0.97 * 240) << tuning.Trace();
  EXPECT_EQ(tuning.verdict().limit, Limit::kContention) << tuning.verdict().sentence;
  EXPECT_EQ(tuning.Changes(15s), 0) << tuning.Trace();
}

// The same op, of a run that began with far more workers than are best.
TEST(Scenario, FindsThePeakOfAnOpThatGetsSlowerWithMoreWorkersFromAbove) {
  const auto run = [](int workers) {
    return Line({{.name = "augment",
                  .burn = Lognormal(4ms, 0.2),
                  .contention = {.sigma = 0.02, .kappa = 0.003},
                  .workers = workers,
                  .capacity = 128}},
                {.cores = 64});
  };
  Tuning tuning(run(64));
  tuning.Run(60s);
  EXPECT_GE(tuning.Rate(10s), 0.95 * RateUntouched(run(18))) << tuning.Trace();
  EXPECT_EQ(tuning.verdict().limit, Limit::kContention) << tuning.verdict().sentence;
}

// Items that come in waves make a rate so noisy that a growth to all of the cores does not stand out in 20
// windows: then fewer workers are tried.
TEST(Scenario, TriesFewerWorkersWhereMoreDoNotStandOut) {
  const auto run = [](int workers, std::uint64_t seed) {
    return Line({{.name = "augment",
                  .burn = Lognormal(40ms, 0.01),
                  .contention = {.sigma = 0.02, .kappa = 0.003},
                  .workers = workers,
                  .capacity = 128}},
                {.cores = 64, .seed = seed});
  };
  for (const std::uint64_t seed : {1, 2, 3}) {
    Tuning tuning(run(56, seed));
    tuning.Run(60s);
    EXPECT_GE(tuning.Rate(10s), 0.95 * RateUntouched(run(18, seed))) << tuning.Trace();
  }
}

// A trim has shown that one worker less makes as much: more of them are not tried again after the rest.
TEST(Scenario, DoesNotGiveAContendedOpBackWhatATrimTook) {
  Tuning tuning(Line({{.name = "augment",
                       .burn = Lognormal(4ms, 0.2),
                       .contention = {.sigma = 0.05, .kappa = 0.03},
                       .capacity = 64}},
                     {.cores = 16}));
  tuning.Run(60s);
  EXPECT_LE(tuning.workers(0), 6) << tuning.Trace();
  tuning.Run(90s);
  EXPECT_EQ(tuning.Changes(60s), 0) << tuning.Trace();
}

// Sixteen workers take five times as long per item as one, on cores that decoding needs.
TEST(Scenario, TakesCoresFromAnOpThatOnlyGetsInItsOwnWay) {
  const auto run = [](int parsers, int decoders) {
    return Line({{.name = "parse",
                  .burn = Fixed(1400us),
                  .contention = {.sigma = 0.12, .kappa = 0.01},
                  .workers = parsers,
                  .capacity = 4},
                 {.name = "decode", .burn = Lognormal(4ms, 0.3), .workers = decoders, .capacity = 100}},
                {.cores = 16});
  };
  Tuning tuning(run(16, 1));
  tuning.Run(70s);  // the last step may come after a rest
  EXPECT_GE(tuning.Rate(5s), 0.9 * RateUntouched(run(6, 14))) << tuning.Trace();
}

TEST(Scenario, BacksOffSoonWhereItemsTakeLong) {
  Tuning tuning(Line({{.name = "augment",
                       .burn = Fixed(100us),
                       .wait = Fixed(20ms),
                       .contention = {.sigma = 0.05, .kappa = 0.1},
                       .capacity = 16}},
                     {.cores = 2, .memory = 2_GiB}));
  tuning.Run(12s);
  EXPECT_LE(tuning.workers(0), 5) << "three are best; 16 take half a second for an item\n" << tuning.Trace();
}

// The more fetch, the slower it gets from two on.
SimOp Fetch(int capacity, Nanos wait) {
  return {.name = "fetch",
          .burn = Fixed(1ms),
          .wait = Fixed(wait),
          .contention = Slowing([](int n) { return n == 1 ? 1.0 : 1.5 * n; }),
          .capacity = capacity};
}

// The first plan comes before a window has closed; what was seen until then is what it is compared with.
TEST(Scenario, UndoesAFirstPlanThatMakesItWorse) {
  Tuning tuning(Line({Fetch(4, 20ms)}, {.cores = 4}));
  tuning.RunUntil([&] { return !tuning.outcomes().empty(); }, 30s);
  ASSERT_FALSE(tuning.outcomes().empty());
  tuning.Run(200ms);
  EXPECT_EQ(tuning.outcomes().front().fate, Fate::kRolledBack) << tuning.Trace();
  EXPECT_EQ(tuning.workers(0), 1) << tuning.Trace();
}

// Items take long, and so does the trial.
TEST(Scenario, ShrinksBuffersInTheMiddleOfATrialWhereItemsBecomeLarger) {
  SimOp fetch = Fetch(16, 60ms);
  fetch.allocate = {1'000'000};
  std::int64_t then = 0;
  const auto three_times = [&](Snapshot& seen) {
    if (seen.at <= 2s) then = seen.ops[0].bytes.count;
    seen.ops[0].bytes.count += 2 * (seen.ops[0].bytes.count - then);
  };
  Tuning tuning(Line({fetch}, {.cores = 4, .memory = 64_MiB}), {}, three_times);
  tuning.Run(2s);
  const double bytes = static_cast<double>((64_MiB).count);
  ASSERT_GT(3 * tuning.CouldHold(), bytes) << tuning.Trace();
  tuning.Run(6s);
  EXPECT_LE(3 * tuning.CouldHold(), bytes) << tuning.Trace();
}

// Up to `most` readers do not disturb each other; more of them together make no more than half of one.
SimScenario Thrashing(int readers, int most) {
  return Line({{.name = "read",
                .burn = Fixed(1ms),
                .wait = Fixed(20ms),
                .contention = Slowing([most](int n) { return n <= most ? 1.0 : 2.0 * n; }),
                .workers = readers,
                .capacity = 64},
               {.name = "decode", .burn = Fixed(1ms), .capacity = 64}},
              {.cores = 4});
}

TEST(Scenario, FindsTheFewReadersThatAThrashingStorageBears) {
  Tuning tuning(Thrashing(2, 4));
  tuning.Run(20s);
  EXPECT_GE(tuning.Rate(5s), 0.97 * RateUntouched(Thrashing(4, 4))) << tuning.Trace();
}

// What a plan that was undone had begun leaves late, among readers that are not slow.
TEST(Scenario, LearnsNothingFromItemsThatACrowdHadBegun) {
  Tuning tuning(Thrashing(4, 8));
  tuning.Run(60s);
  EXPECT_GE(tuning.Rate(30s), 0.97 * RateUntouched(Thrashing(8, 8))) << tuning.Trace();
}

}  // namespace
}  // namespace sluice::autotune::testing
