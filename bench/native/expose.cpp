// How long it takes to tell the metrics of a large host: ten loaders of ten ops, so a hundred histograms.
// What the agent does is to copy the figures; the text is made by the server's thread, once for all who
// scrape, in the formats that they ask for: here in both. CPU time of the thread.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "chain.h"
#include "paired.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/metrics_text.h"

namespace sluice::bench {
namespace {

constexpr int kLoaders = 10;
constexpr std::uint32_t kOps = 10;
constexpr int kCalls = 200;        // per round
constexpr double kAllowed = 5e-3;  // seconds per call

OpReading Busy(std::uint64_t items) {
  OpReading op;
  op.items = items;
  op.bytes = Bytes{1000} * static_cast<std::int64_t>(items);
  op.workers = 4;
  op.busy = std::chrono::seconds(100);
  op.on_cpu = std::chrono::seconds(90);
  op.runnable = std::chrono::seconds(5);
  for (std::size_t bucket = 10; bucket < 30; ++bucket) op.latency[bucket] = items / bucket;
  return op;
}

Snapshot Looked() {
  Snapshot now;
  now.at = now.wall = std::chrono::seconds(1'800'000'000);
  now.graph = Chain(kOps);
  now.ops.assign(kOps, Busy(1'234'567));
  now.connectors.assign(kOps, {.pushed = 1'234'567, .popped = 1'234'500, .depth = 67, .capacity = 128});
  for (std::uint32_t i = 0; i < kOps; ++i) {
    now.knobs.push_back({.id = {KnobKind::kWorkers, i}, .name = fmt::format("op{}.workers", i), .max = 64});
    now.knobs.push_back(
        {.id = {KnobKind::kCapacity, i}, .name = fmt::format("op{}.capacity", i), .max = 1024});
  }
  return now;
}

// Per call, in seconds.
struct Cost {
  double copy, text, openmetrics;
};

double SecondsOf(const auto& calls) {
  const Nanos start = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  for (int call = 0; call < kCalls; ++call) calls();
  return Seconds(ReadClock(CLOCK_THREAD_CPUTIME_ID) - start) / kCalls;
}

Cost Measure(const std::vector<exporters::PipelineMetrics>& pipelines, std::size_t& bytes) {
  using enum exporters::MetricsFormat;
  exporters::Exposition exposition;
  Cost cost{};
  cost.copy = SecondsOf([&] { exposition = exporters::Expose({"wrap", "run", "0"}, {}, pipelines); });
  cost.text = SecondsOf([&] { bytes = exporters::MetricsText(exposition, kText).size(); });
  cost.openmetrics = SecondsOf([&] { bytes = exporters::MetricsText(exposition, kOpenMetrics).size(); });
  return cost;
}

int Main(int argc, char** argv) {
  const auto [rounds, _, busy] = Parse(argc, argv, 7);
  LookAround(busy);
  const Snapshot now = Looked();
  const exporters::DecisionLog decisions;
  const Verdict verdict;
  std::vector<exporters::PipelineMetrics> pipelines;
  for (int i = 0; i < kLoaders; ++i)
    pipelines.push_back({fmt::format("loader {}", i), i, 1000 + i, &now, &decisions, &verdict});
  std::vector<double> copy, text, openmetrics, over_allowed;
  std::size_t bytes = 0;
  for (int round = 0; round < rounds; ++round) {
    const Cost cost = Measure(pipelines, bytes);
    copy.push_back(1e3 * cost.copy);
    text.push_back(1e3 * cost.text);
    openmetrics.push_back(1e3 * cost.openmetrics);
    over_allowed.push_back((cost.copy + cost.text + cost.openmetrics) / kAllowed);
  }
  fmt::print(
      "{} loaders of {} ops, {} bytes in a format; CPU time: {:.2f} ms to copy the figures, {:.2f} ms for "
      "the "
      "text, {:.2f} ms for OpenMetrics\n",
      kLoaders, kOps, bytes, Median(copy), Median(text), Median(openmetrics));
  PrintRatio("expose", SpreadOf(over_allowed));
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
