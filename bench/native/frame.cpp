// What the window thinks for one frame of a large pipeline with a long past: 64 ops, an hour of history, with
// one op chosen, every table. The views alone, not the drawing; CPU time of the thread.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chain.h"
#include "paired.h"
#include "sluice/base/clock.h"
#include "sluice/ui/pipeline_view.h"
#include "sluice/ui/screen.h"
#include "sluice/ui/strip.h"
#include "sluice/ui/tables.h"
#include "sluice/ui/timeline_view.h"

namespace sluice::bench {
namespace {

constexpr std::uint32_t kOps = 64;
constexpr int kSeconds = 3600, kLooks = 2;  // of history; a second
constexpr int kDecisions = 60;
constexpr int kFrames = 200;         // per round
constexpr double kAllowed = 0.5e-3;  // seconds per frame
constexpr ui::Box kWindow{0, 0, 1920, 1080};
constexpr float kLine = 18;  // of a table

ui::OpFigures Busy() {
  ui::OpFigures op{.items = Rate{812.5},
                   .busy = Fraction{0.8},
                   .starved = Fraction{0.15},
                   .backed_up = Fraction{0.05},
                   .on_cpu = Fraction{0.6},
                   .runnable = Fraction{0.1},
                   .off_cpu = Fraction{0.1},
                   .p50 = std::chrono::milliseconds(3),
                   .p90 = std::chrono::milliseconds(9),
                   .p99 = std::chrono::milliseconds(30),
                   .p999 = std::chrono::milliseconds(90)};
  for (std::size_t bucket = 10; bucket < 30; ++bucket) op.latency[bucket] = bucket;
  return op;
}

void AddKnobs(ui::Scene& scene) {
  for (std::uint32_t i = 0; i < kOps; ++i) {
    scene.now.knobs.push_back(
        {.id = {KnobKind::kWorkers, i}, .name = fmt::format("op{}.workers", i), .max = 64});
    scene.now.knobs.push_back(
        {.id = {KnobKind::kCapacity, i}, .name = fmt::format("op{}.capacity", i), .max = 1024});
  }
  scene.first_knobs = scene.now.knobs;
}

void AddDecisions(ui::Scene& scene) {
  for (int i = 0; i < kDecisions; ++i) {
    ui::DecisionSeen seen;
    seen.decision.id = static_cast<std::uint64_t>(i + 1);
    seen.decision.at = std::chrono::seconds(i * kSeconds / kDecisions);
    seen.decision.changes = {{{KnobKind::kWorkers, static_cast<std::uint32_t>(i)}, 1, 2}};
    seen.decision.because = "op limits the run: 1 worker is busy 99% and makes 812 rows/s";
    scene.decisions.push_back(seen);
  }
}

ui::Scene Large() {
  ui::Scene scene;
  scene.name = "large";
  scene.now.at = std::chrono::seconds(kSeconds);
  scene.now.graph = Chain(kOps);
  scene.now.ops.resize(kOps);
  scene.now.connectors.assign(kOps, {.depth = 67, .capacity = 128});
  scene.ops.assign(kOps, Busy());
  scene.connectors.assign(kOps, {.empty = Fraction{0.1}, .full = Fraction{0.2}, .mean_depth = 60});
  scene.consumer = {.items = Rate{25}, .rows = Rate{812.5}, .starved = Fraction{0.3}};
  scene.verdict = {Limit::kOp, 5, "op5 limits the run: 1 worker is busy 99% and makes 812 rows/s",
                   Fraction{0.9}};
  AddKnobs(scene);
  AddDecisions(scene);
  return scene;
}

ui::Track Hour() {
  ui::Track track;
  track.busy.resize(kOps);
  track.fill.resize(kOps);
  for (int i = 0; i < kSeconds * kLooks; ++i) {
    const ui::TimeRange over{FromSeconds(1.0 * i / kLooks), FromSeconds(1.0 * (i + 1) / kLooks)};
    const double value = 0.5 + 0.5 * std::sin(0.37 * i);
    track.rows.Add(over, 1000 * value);
    track.starved.Add(over, value);
    track.cores.Add(over, 2 * value);
    track.buffered.Add(over, 1e6 * value);
    for (ui::Curve& curve : track.busy) curve.Add(over, value);
    for (ui::Curve& curve : track.fill) curve.Add(over, value);
    track.all.to = over.to;
  }
  return track;
}

// As Frame does it. Returns something of all of it, so that none is left out.
std::size_t Think(const ui::Scene& scene, const ui::Track& track, const ui::Choice& choice) {
  const ui::ScreenView screen = ui::LayOutScreen(kWindow.width, kWindow.height, choice, true);
  std::size_t made = ui::MakeStrip(scene).sentence.size();
  made += ui::LayOutPipeline(scene, track, track.all, screen.pipeline, 1).nodes.size();
  const ui::TimelineWish wish{.shown = track.all, .op = choice.op};
  made += ui::LayOutTimeline(scene, track, wish, screen.timeline, 1).lanes.size();
  const ui::Table table = ui::MakeTable(choice.tab, scene, choice.table());
  const auto seen = static_cast<std::size_t>(screen.table.height / kLine);
  for (std::size_t row = 0; row < std::min(seen, table.rows.size()); ++row) {
    for (const ui::Cell& cell : table.rows[row].cells) made += cell.text().size();
  }
  made += ui::DescribeOp(scene, *choice.op, *screen.detail, false).figures.size();
  return made;
}

double SecondsPerFrame(const ui::Scene& scene, const ui::Track& track, const ui::Choice& choice) {
  std::size_t made = 0;
  const Nanos start = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  for (int frame = 0; frame < kFrames; ++frame) made += Think(scene, track, choice);
  const double seconds = Seconds(ReadClock(CLOCK_THREAD_CPUTIME_ID) - start) / kFrames;
  if (made == 0) GiveUp("nothing was made");
  return seconds;
}

int Main(int argc, char** argv) {
  const auto [rounds, _, busy] = Parse(argc, argv, 7);
  LookAround(busy);
  const ui::Scene scene = Large();
  const ui::Track track = Hour();
  ui::Choice choice;
  choice.op = 5;
  std::vector<double> milliseconds, over_allowed;
  for (int round = 0; round < rounds; ++round) {
    const double seconds = SecondsPerFrame(scene, track, choice);
    milliseconds.push_back(1e3 * seconds);
    over_allowed.push_back(seconds / kAllowed);
  }
  fmt::print("{} ops, {} s of history in {} pieces a curve, {} decisions: {:.3f} ms of CPU time per frame\n",
             kOps, kSeconds, track.rows.pieces().size(), kDecisions, Median(milliseconds));
  PrintRatio("frame", SpreadOf(over_allowed));
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
