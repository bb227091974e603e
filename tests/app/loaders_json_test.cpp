#include "findings/loaders_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace sluice::app {
namespace {

using namespace std::chrono_literals;

// 1 worker has become 6, and 12 batches/s have become 31.
LoaderStory Tuned() {
  WindowValues window;
  window.active = 3s;
  window.batches = 36;
  window.rate = 12.13;
  window.waits = Fraction{0.61};
  window.setting = LoaderSetting{1, 2};
  window.of_loader = true;
  window.cores = 1;
  window.fetch_busy = Fraction{0.95};
  window.fetch_off = Fraction{0.9};
  window.fetch_queued = Fraction{0};
  LoaderStory story;
  story.program = "train.py: loader (Photos)";
  story.rank = 1;
  story.pid = 71;
  story.values.batches = 1000;
  story.values.cores = 2;
  story.values.active = 40s;
  story.values.first = story.values.last = window;
  story.values.last->rate = 31.42;
  story.values.last->batches = 94;
  story.values.last->waits = Fraction{0.008};
  story.values.last->setting = LoaderSetting{6, 13};
  story.values.start = {1, 2};
  story.values.end = {6, 13};
  story.values.finding = FindLimit(*story.values.last, 2, false);
  story.values.epochs = {
      {.epoch = 0, .batches = 500, .active = 25s, .waits = 10s, .whole = true, .trial = false}};
  story.start = {{.id = {KnobKind::kWorkers, 1}, .name = "fetch.workers", .value = 1},
                 {.id = {KnobKind::kCapacity, 1}, .name = "fetch.capacity", .value = 2}};
  story.end = story.start;
  story.end[0].value = 6;
  story.end[1].value = 13;
  story.end[1].held = HeldBecause::kOrder;
  story.notes = {"random draws are others"};
  return story;
}

nlohmann::ordered_json JsonOf(const LoaderStory& story) {
  return LoadersJson({story}, {}).at(0);
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

// What the text leaves out because it cannot be true is in no field either.
TEST(LoadersJson, HasNothingThatContradictsItself) {
  LoaderStory story = Tuned();
  story.values.last->waits = Fraction{1.2};
  const auto json = JsonOf(story);
  EXPECT_EQ(json["last_window"], nullptr);
  EXPECT_EQ(json["saved"], nullptr);
  EXPECT_EQ(json["advice"], nullptr);
}

TEST(LoadersJson, TellsNothingOfRatesAfterAFewBatchesAndNothingAtAllAfterNone) {
  LoaderStory story = Tuned();
  story.values.batches = 12;
  const auto json = JsonOf(story);
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_EQ(json["sentence"], nullptr);
  EXPECT_EQ(json["saved"], nullptr);
  EXPECT_EQ(json["advice"], nullptr);
  story.values.batches = 0;
  EXPECT_TRUE(LoadersJson({story}, {}).empty());
}

}  // namespace
}  // namespace sluice::app
