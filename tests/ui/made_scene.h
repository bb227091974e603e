// A made-up scene for the tests of the window's views: three ops in a row, decode is the limit.
#pragma once
#include <memory>

#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

inline constexpr MonoTime kStart = std::chrono::seconds(1000);

inline std::shared_ptr<const Graph> MadeGraph() {
  return std::make_shared<const Graph>(
      Graph{.ops = {{"read", "source"}, {"decode", "map"}, {"batch", "batch", false, 32}},
            .connectors = {{"read->decode", OpId{0}, OpId{1}},
                           {"decode->batch", OpId{1}, OpId{2}},
                           {"batch->consumer", OpId{2}, std::nullopt}}});
}

inline Scene MadeScene() {
  Scene scene;
  scene.name = "jpeg";
  scene.origin = "pid 4242";
  scene.start = kStart;
  scene.now.at = kStart + std::chrono::seconds(60);
  scene.now.graph = MadeGraph();
  scene.now.ops.resize(3);
  scene.now.ops[1].workers = 2;
  scene.now.ops[1].items = 4000;
  scene.now.connectors = {
      {.depth = 6, .capacity = 8}, {.depth = 0, .capacity = 4}, {.depth = 1, .capacity = 2}};
  scene.now.consumer = {.items = 125, .rows = 4000, .busy = std::chrono::seconds(30)};
  scene.now.knobs = {
      {.id = {KnobKind::kWorkers, 1}, .name = "decode.workers", .value = 2, .requested = 3, .max = 64}};
  scene.now.budget.cores = 4;
  scene.first_knobs = scene.now.knobs;
  scene.first_knobs[0].value = 1;
  scene.ops.resize(3);
  scene.ops[0] = {.items = Rate{80}, .busy = Fraction{0.2}, .backed_up = Fraction{0.8}};
  scene.ops[1] = {.items = Rate{70},
                  .busy = Fraction{0.98},
                  .starved = Fraction{0.02},
                  .on_cpu = Fraction{0.7},
                  .runnable = Fraction{0.18},
                  .off_cpu = Fraction{0.1},
                  .p50 = std::chrono::milliseconds(20),
                  .limits = true,
                  .workers_wanted = 3};
  scene.ops[1].latency[24] = 30;
  scene.ops[1].latency[26] = 3;
  scene.ops[2] = {.starved = Fraction{0.99}};
  scene.connectors = {{.mean_depth = 6.0}, {.mean_depth = 0.4}, {}};
  scene.consumer = {.items = Rate{2.2}, .rows = Rate{70}, .starved = Fraction{0.31}};
  scene.verdict = {Limit::kOp, 1, "decode limits the run: 2 workers are busy 98%", Fraction{0.9}};
  scene.without_items = std::chrono::milliseconds(400);
  scene.silent = std::chrono::milliseconds(100);
  Decision grow;
  grow.id = 7;
  grow.at = kStart + std::chrono::seconds(30);
  grow.changes = {{{KnobKind::kWorkers, 1}, 1, 2}};
  grow.because = "decode is busy 99%";
  grow.before = Rate{40};
  grow.predicted = Rate{80};
  scene.decisions = {{grow, Fate::kKept, Rate{70}}};
  return scene;
}

inline Track MadeTrack() {
  Track track;
  track.all = {Nanos(0), std::chrono::seconds(60)};
  for (int s = 0; s < 60; ++s) {
    const TimeRange over{std::chrono::seconds(s), std::chrono::seconds(s + 1)};
    track.rows.Add(over, s < 30 ? 40 : 70);
    track.starved.Add(over, 0.3);
  }
  track.busy.resize(3);
  track.fill.resize(3);
  track.busy[1].Add(track.all, 0.98);
  track.fill[1].Add(track.all, 0.1);
  return track;
}

}  // namespace sluice::ui
