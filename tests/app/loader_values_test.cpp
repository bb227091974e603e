#include "findings/loader_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporters/example_loader.h"

namespace sluice::app {
namespace {

using namespace std::chrono_literals;

// A worker that every epoch starts anew: nothing else keeps the loop waiting than how slowly it fetches.
TEST(ValuesOf, AWorkerThatStartsIsNotIdle) {
  Graph graph;
  graph.ops = {{.name = "fetch", .kind = "map"}, {.name = "start-up", .kind = "in fetch"}};
  graph.connectors = {{"fetch->consumer", OpId{0}, std::nullopt}};
  Span span;
  span.from.graph = std::make_shared<const Graph>(std::move(graph));
  span.from.ops.resize(2);
  span.from.ops[0].workers = 1;
  span.from.knobs.resize(1);
  span.from.knobs[0].id = {KnobKind::kWorkers, 0};
  span.from.knobs[0].value = 1;
  span.from.at = 10s;
  span.to = span.from;
  span.to.at = 15s;
  span.to.epoch = 1;
  span.to.consumer = {.items = 100, .rows = 800, .busy = 1s, .starved = 4s, .starting = 2s};
  span.to.ops[0].busy = 3s;
  span.to.ops[1].items = 1;
  span.to.ops[1].latency[30] = 1;  // 1.6 s
  const exporters::WindowValues values = ValuesOf(span);
  EXPECT_GT(values.fetch_busy->value, 0.85);
  EXPECT_EQ(FindLimit(values, 2, false), exporters::Finding::kFetchComputes);
}

exporters::WindowValues Found(double waits) {
  exporters::WindowValues window = exporters::example::Computing(10, waits, {2, 3});
  window.cores = 1;
  return window;
}

TEST(FindLimit, FollowsWhatWasMeasured) {
  EXPECT_EQ(FindLimit(Found(0.01), 2, false), exporters::Finding::kLoop);
  EXPECT_EQ(FindLimit(Found(0.4), 2, false), exporters::Finding::kFetchComputes);
  exporters::WindowValues window = Found(0.4);
  window.fetch_off = Fraction{0.9};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kFetchSleeps);
  EXPECT_EQ(FindLimit(window, 2, true), exporters::Finding::kMemory);
  window.fetch_busy = window.fetch_off = Fraction{0.3};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kUneven);
  window.waits = Fraction{0.8};
  window.fetch_busy = Fraction{0.75};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kFetchComputes)
      << "never idle, they would make a third more, and the loop could take five times as much";
  window.waits = Fraction{0.4};
  window.fetch_busy = Fraction{0.3};
  window.trainer_queued = Fraction{0.3};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kBursts) << "who has the cores is not known";
  window.machine = CoresUse{.own = 1, .others = 0.9, .idle = 0.1};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kOtherWork)
      << "batches are ready; the trainer has no core";
  window.fetch_busy = Fraction{0.95};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kFetchComputes)
      << "the workers are no slower for that";
  window.fetch_queued = Fraction{0.4};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kOtherWork);
  window.fetch_off = Fraction{0.5};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kFetchSleeps)
      << "most of the time they wait for something else";
  window.cores = 1.95;
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kCores);
  window.sampler_busy = Fraction{0.99};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kSampler);
  window.start_up = 1500ms;
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kStartUp);
  window.setting.reset();
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kUnknown);
}

TEST(SettingOf, RoomThatNobodyFillsIsNoChange) {
  const auto knobs = [](std::int64_t workers, std::int64_t capacity) {
    return std::vector<Knob>{{.id = {KnobKind::kWorkers, 0}, .name = "fetch.workers", .value = workers},
                             {.id = {KnobKind::kCapacity, 0}, .name = "fetch.capacity", .value = capacity}};
  };
  EXPECT_EQ(SettingOf(knobs(0, 2)), SettingOf(knobs(0, 1)));
  EXPECT_NE(SettingOf(knobs(1, 2)), SettingOf(knobs(1, 1)));
}

TEST(FindLimit, WithoutWorkersTheLoopDoesIt) {
  exporters::WindowValues window = Found(0.8);
  window.setting = exporters::LoaderSetting{0, 1};
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kNoWorkers);
  window.of_loader = false;
  EXPECT_EQ(FindLimit(window, 2, false), exporters::Finding::kSource);
}

}  // namespace
}  // namespace sluice::app
