#include "loaders/loaders_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "exporters/example_loader.h"

namespace sluice::exporters {
namespace {

using namespace std::chrono_literals;

// One of several ranks, with an epoch and a note.
LoaderReport Tuned() {
  LoaderReport loader = example::Tuned(1);
  loader.values.epochs = {
      {.epoch = 0, .batches = 500, .active = 25s, .waits = 10s, .whole = true, .trial = false}};
  loader.end[1].held = HeldBecause::kOrder;
  loader.notes = {"random draws are others"};
  return loader;
}

nlohmann::ordered_json JsonOf(const LoaderReport& loader) {
  return LoadersJson({loader}, {}).at(0);
}

TEST(LoadersJson, HasTheFiguresOfTheReport) {
  const auto json = JsonOf(Tuned());
  EXPECT_EQ(json["name"], "train.py: loader (Photos)");
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["pid"], 71);
  EXPECT_EQ(json["verdict"], "loop");
  EXPECT_THAT(json["sentence"].get<std::string>(), testing::HasSubstr("0.8%"));
  EXPECT_EQ(json["start"],
            nlohmann::ordered_json({{"workers", 1}, {"capacity_batches", 2}, {"prefetch_factor", 2}}));
  EXPECT_EQ(json["end"]["workers"], 6);
  EXPECT_EQ(json["knobs"][0],
            nlohmann::ordered_json({{"name", "fetch.workers"}, {"start", 1}, {"end", 6}, {"held", nullptr}}));
  EXPECT_EQ(json["knobs"][1]["held"], "order");
  EXPECT_EQ(json["first_window"]["batches_per_second"], 12.13);
  EXPECT_EQ(json["last_window"]["waiting_fraction"], 0.008);
  EXPECT_EQ(json["advice"]["workers"], 6);
  EXPECT_EQ(json["advice"]["predicted_batches_per_second"], nullptr);
  EXPECT_NEAR(json["saved"]["of_seconds"].get<double>(), 1000 / 12.13, 0.001);
  EXPECT_NEAR(json["saved"]["seconds"].get<double>(), 1000 / 12.13 - 40, 0.001);
  EXPECT_EQ(json["epochs"][0]["seconds"], 25.0);
  EXPECT_EQ(json["notes"][0], "random draws are others");
}

TEST(LoadersJson, TellsNothingOfRatesAfterAFewBatches) {
  LoaderReport loader = Tuned();
  loader.values.batches = 12;
  const auto json = JsonOf(loader);
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_EQ(json["sentence"], nullptr);
  EXPECT_EQ(json["saved"], nullptr);
  EXPECT_EQ(json["advice"], nullptr);
}

TEST(LoadersJson, HasWhatHoldsWorkersBackAndWhatTheRunBeganWith) {
  LoaderReport loader = Tuned();
  loader.values.tried_in_vain = TriedWorkers{3, true, true};
  loader.values.dear_start = Fraction{0.3};
  loader.threads = CrowdedThreads{.workers = 2, .threads = 22, .cores = 8, .libraries = {"OpenBLAS"}};
  loader.started_from = {{{KnobKind::kWorkers, 1}, 1, 4}};
  const auto json = JsonOf(loader);
  EXPECT_EQ(json["tried_in_vain"]["because"], "epochs_no_shorter");
  EXPECT_EQ(json["one_more_worker_cpu_fraction"], 0.3);
  EXPECT_EQ(json["crowded_threads"]["libraries"][0], "OpenBLAS");
  EXPECT_TRUE(json["crowded_threads"]["kernel_fraction"].is_null());
  EXPECT_EQ(json["started_from"][0]["knob"], "fetch.workers");
  EXPECT_TRUE(JsonOf(Tuned())["tried_in_vain"].is_null());
  EXPECT_TRUE(JsonOf(Tuned())["started_from"].is_null());
}

TEST(RanksJson, TellsWhichRankIsHeldUp) {
  LoaderReport slow = Tuned();
  slow.rank = 0;
  slow.values.last->waits = Fraction{0.4};
  const auto json = RanksJson({Tuned(), slow});
  EXPECT_EQ(json["standing"], "held_up");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["slowest"]["rank"], 0);
  EXPECT_EQ(json["fastest"]["waiting_fraction"], 0.008);
  EXPECT_TRUE(RanksJson({slow}).is_null());
  EXPECT_TRUE(RanksJson({slow, slow}).is_null()) << "one rank with two loaders";
}

TEST(SharedAdviceJson, IsForAScriptThatSeveralProcessesRun) {
  LoaderReport other = Tuned();
  other.pid = 72;
  const auto json = SharedAdviceJson({Tuned(), other});
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["processes"], 2);
  EXPECT_EQ(json[0]["workers"], 6);
  EXPECT_TRUE(SharedAdviceJson({Tuned()}).empty());
}

}  // namespace
}  // namespace sluice::exporters
