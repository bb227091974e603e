#include "findings/loader_values.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "sluice/exporters/interval.h"

namespace sluice::app {
namespace {

constexpr double kOften = 0.05;   // share of the loop's time that makes waiting the story
constexpr double kBusy = 0.8;     // a thread that is busy for more of its time has none to spare
constexpr double kQueues = 0.15;  // of the workers' time
constexpr double kMostOf = 0.5;
constexpr std::uint64_t kFew = 4;     // batches
constexpr double kBucketMean = 1.5;   // of a log2 bucket, over its lower end
constexpr std::uint64_t kTimed = 10;  // of a step, before it is spoken of

std::optional<std::size_t> Named(const Graph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.ops, name, &OpInfo::name);
  return found == graph.ops.end() ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(found - graph.ops.begin()));
}

double TimeIn(const LatencyHistogram& histogram) {
  double seconds = 0;
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    seconds += static_cast<double>(histogram[b]) * kBucketMean * std::ldexp(1e-9, static_cast<int>(b));
  }
  return seconds;
}

std::optional<Fraction> ShareOfOneThread(const Span& span, std::size_t op, Nanos active) {
  if (active <= Nanos(0)) return std::nullopt;
  const Nanos busy = span.to.ops[op].busy - span.from.ops[op].busy;
  return Fraction{std::clamp(Seconds(busy) / Seconds(active), 0.0, 1.0)};
}

// Processes' clocks where they are all still there: what a worker puts down per batch comes in lumps.
std::optional<double> CoresOf(const Span& span) {
  const double seconds = Seconds(span.to.at - span.from.at);
  if (seconds <= 0) return std::nullopt;
  return exporters::CoresUsed(span.from, span.to);
}

void AddFetch(const Span& span, std::size_t fetch, exporters::WindowValues& values) {
  if (values.setting && values.setting->workers == 0) {
    values.fetch_busy = ShareOfOneThread(span, fetch, values.active);
    return;
  }
  const exporters::OpInterval seen = exporters::MeasureOp(span.from, span.to, fetch, values.start_up);
  values.fetch_busy = seen.busy;
  values.fetch_off = seen.off_cpu;
  values.fetch_queued = seen.runnable;
}

// Workers of one epoch start side by side.
Nanos StartUp(const Span& span, std::size_t part, std::uint64_t epochs) {
  const OpReading& a = span.from.ops[part];
  const OpReading& b = span.to.ops[part];
  if (b.items <= a.items || epochs == 0) return Nanos(0);
  const double mean = (TimeIn(b.latency) - TimeIn(a.latency)) / static_cast<double>(b.items - a.items);
  return FromSeconds(std::max(0.0, mean) * static_cast<double>(epochs));
}

}  // namespace

exporters::LoaderSetting SettingOf(const std::vector<Knob>& knobs) {
  exporters::LoaderSetting setting;
  for (const Knob& knob : knobs) {
    if (knob.id.kind == KnobKind::kWorkers) setting.workers = knob.value;
    if (knob.id.kind == KnobKind::kCapacity) setting.capacity = knob.value;
  }
  if (setting.workers == 0) setting.capacity = 1;  // nothing fetches ahead, whatever was asked for
  return setting;
}

exporters::WindowValues ValuesOf(const Span& span) {
  exporters::WindowValues values;
  values.from = span.from.at;
  values.to = span.to.at;
  const exporters::ConsumerInterval flow = exporters::MeasureConsumer(span.from, span.to);
  values.active = flow.active;
  values.batches = span.to.consumer.items - span.from.consumer.items;
  if (flow.active > Nanos(0)) values.rate = static_cast<double>(values.batches) / Seconds(flow.active);
  values.waits = flow.starved;
  const exporters::LoaderSetting before = SettingOf(span.from.knobs);
  if (before == SettingOf(span.to.knobs)) values.setting = before;
  values.from_start = span.from.consumer.items == 0;
  values.cores = CoresOf(span);
  values.epochs = span.to.epoch - std::min(span.from.epoch, span.to.epoch);
  const Graph* graph = span.to.graph.get();
  if (graph == nullptr || span.from.ops.size() != span.to.ops.size()) return values;
  if (const auto sampler = Named(*graph, "sampler"))
    values.sampler_busy = ShareOfOneThread(span, *sampler, values.active);
  if (const auto pin = Named(*graph, "pin")) values.pin_busy = ShareOfOneThread(span, *pin, values.active);
  if (const auto start = Named(*graph, "start-up")) values.start_up = StartUp(span, *start, values.epochs);
  if (const auto fetch = Named(*graph, "fetch")) {
    values.of_loader = true;
    AddFetch(span, *fetch, values);
  }
  return values;
}

std::optional<exporters::CostValues> CostliestStep(const Snapshot& end) {
  if (end.graph == nullptr) return std::nullopt;
  std::vector<exporters::CostValues> steps;
  double rows = 0;
  double inside = 0;
  for (std::size_t i = 0; i < end.ops.size() && i < end.graph->ops.size(); ++i) {
    const std::string& name = end.graph->ops[i].name;
    if (!end.graph->IsPart(i) || name == "start-up" || name == "random" || end.ops[i].items < kTimed)
      continue;
    const double seconds = TimeIn(end.ops[i].latency);
    const Nanos each = FromSeconds(seconds / static_cast<double>(end.ops[i].items));
    steps.push_back({.step = name, .share = {seconds}, .each = each, .per_row = name != "collate"});
    if (name == "sample") rows = seconds;
    if (name != "sample" && name != "collate") inside += seconds;
  }
  double whole = 0;
  for (exporters::CostValues& step : steps) {
    if (step.step == "sample") {
      step.step = inside > 0 ? "dataset[i] without its transforms" : "dataset[i]";
      const double own = std::max(0.0, rows - inside);
      step.each = rows > 0 ? FromSeconds(Seconds(step.each) * own / rows) : Nanos(0);
      step.share = {own};
    }
    whole += step.share.value;
  }
  if (whole <= 0) return std::nullopt;
  exporters::CostValues most =
      *std::ranges::max_element(steps, {}, [](const exporters::CostValues& s) { return s.share.value; });
  most.share.value /= whole;
  return most;
}

namespace {

bool Over(const std::optional<Fraction>& share, double bound) {
  return share && share->value >= bound;
}

exporters::Finding WhoHasTheCores(const exporters::WindowValues& window) {
  return exporters::OthersHaveCores(window) ? exporters::Finding::kOtherWork : exporters::Finding::kBursts;
}

// Where rows mostly wait, a queue for the cores is not what holds them up.
exporters::Finding BusyWorkers(const exporters::WindowValues& window, bool short_of_memory) {
  const double queued = window.fetch_queued.value_or(Fraction{}).value;
  const bool sleeps =
      Over(exporters::OffTheCores(window), kMostOf) && window.fetch_off.value_or(Fraction{}).value > queued;
  if (queued >= kQueues && !sleeps) return WhoHasTheCores(window);
  if (short_of_memory) return exporters::Finding::kMemory;
  return sleeps ? exporters::Finding::kFetchSleeps : exporters::Finding::kFetchComputes;
}

// Batches are there, or could be: what the trainer waits for is a core, or the next of a few slow ones.
exporters::Finding IdleWorkers(const exporters::WindowValues& window, bool short_of_memory) {
  if (Over(window.trainer_queued, std::min(kQueues, kMostOf * window.waits.value_or(Fraction{}).value)))
    return WhoHasTheCores(window);
  if (short_of_memory) return exporters::Finding::kMemory;
  return window.fetch_busy ? exporters::Finding::kUneven : exporters::Finding::kUnknown;
}

}  // namespace

void NoteMachine(exporters::LoaderValues& values, const wrap::CoresLog& cores) {
  for (auto* window : {&values.first, &values.last}) {
    if (!*window) continue;
    (*window)->machine = cores.Between((*window)->from, (*window)->to);
    if ((*window)->machine) (*window)->cores = (*window)->machine->own;
  }
  if (values.last && values.last->machine)
    values.finding = FindLimit(*values.last, values.cores, values.short_of_memory);
}

exporters::Finding FindLimit(const exporters::WindowValues& window, double cores, bool short_of_memory) {
  if (!window.setting || !window.waits || window.batches < kFew) return exporters::Finding::kUnknown;
  if (window.waits->value < kOften) return exporters::Finding::kLoop;
  if (!window.of_loader) return exporters::Finding::kSource;
  const double waited = window.waits->value * Seconds(window.active);
  if (Seconds(window.start_up) >= kMostOf * waited) return exporters::Finding::kStartUp;
  if (Over(window.sampler_busy, kBusy)) return exporters::Finding::kSampler;
  if (Over(window.pin_busy, kBusy)) return exporters::Finding::kPin;
  if (window.cores && *window.cores >= exporters::kAllCores * cores) return exporters::Finding::kCores;
  if (window.setting->workers == 0) return exporters::Finding::kNoWorkers;
  const bool busy = Over(window.fetch_busy, kBusy) || exporters::WorkersFallShort(window);
  return busy ? BusyWorkers(window, short_of_memory) : IdleWorkers(window, short_of_memory);
}

}  // namespace sluice::app
