#include "sluice/ui/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sluice/base/machine_limits.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

using internal::Lower;
using internal::RateText;
using internal::ShareText;
using internal::TimeText;

Cell Text(std::string text) {
  return {.words = std::move(text)};
}
// Sorted by the value.
Cell Worded(double value, std::string words) {
  return {.value = value, .words = std::move(words)};
}
Cell Count(std::int64_t n) {
  return {CellKind::kCount, static_cast<double>(n), {}};
}
Cell Of(const std::optional<Rate>& rate) {
  return {CellKind::kRate, rate ? std::optional(rate->per_second) : std::nullopt, {}};
}
Cell Of(const std::optional<Fraction>& share) {
  return {CellKind::kShare, share ? std::optional(share->value) : std::nullopt, {}};
}
Cell Of(const std::optional<Nanos>& time) {
  return {CellKind::kTime, time ? std::optional(static_cast<double>(time->count())) : std::nullopt, {}};
}

bool Matches(const TableRow& row, const std::string& wanted) {
  return std::ranges::any_of(
      row.cells, [&](const Cell& cell) { return Lower(cell.text()).find(wanted) != std::string::npos; });
}

// Numbers before text, what is not known last, whichever way it is sorted.
bool Before(const Cell& a, const Cell& b, bool descending) {
  const auto unknown = [](const Cell& cell) {
    return !cell.value && (cell.kind != CellKind::kWords || cell.words == internal::kUnknown);
  };
  const bool unknown_a = unknown(a), unknown_b = unknown(b);
  if (unknown_a != unknown_b) return unknown_b;
  if (a.value && b.value) return descending ? *b.value < *a.value : *a.value < *b.value;
  return descending ? b.words < a.words : a.words < b.words;
}

void Apply(const TableWish& wish, Table& table) {
  if (!wish.filter.empty()) {
    const std::string wanted = Lower(wish.filter);
    table.hidden = std::erase_if(table.rows, [&](const TableRow& row) { return !Matches(row, wanted); });
    if (table.rows.empty())
      table.empty = fmt::format("Nothing has '{}' in it; without that word all is shown.", wish.filter);
  }
  if (!wish.sort || *wish.sort >= table.columns.size()) return;
  std::ranges::stable_sort(table.rows, [&](const TableRow& a, const TableRow& b) {
    return Before(a.cells[*wish.sort], b.cells[*wish.sort], wish.descending);
  });
}

// "map, contended"
std::string KindText(const OpInfo& info, const Verdict& verdict, std::size_t op) {
  const Regime told = op < verdict.regimes.size() ? verdict.regimes[op] : Regime::kUnknown;
  const Regime regime = info.serial ? Regime::kSerial : told;
  return regime == Regime::kUnknown ? info.kind : fmt::format("{}, {}", info.kind, RegimeName(regime));
}

Table OpTable(const Scene& scene) {
  Table table{.columns = {{"op", false, 1.7F, ""},
                          {"kind", false, 1.8F, "and what sets its pace"},
                          {"workers", true, 1, "alive now"},
                          {"items", true, 1.2F, "finished per second"},
                          {"busy", true, 1, "of the workers' time, inside the op"},
                          {"starved", true, 1, "of the workers' time: the ops before are too slow"},
                          {"backed up", true, 1, "of the workers' time: the ops behind are too slow"},
                          {"p50", true, 1, "busy time per item"},
                          {"p90", true, 1, ""},
                          {"p99", true, 1, ""},
                          {"p99.9", true, 1, ""},
                          {"failed", true, 0.8F, "rows, since the start"}},
              .empty = "The process has not described its pipeline yet."};
  if (!scene.now.graph) return table;
  for (std::size_t op = 0; op < scene.now.graph->ops.size() && op < scene.ops.size(); ++op) {
    const OpInfo& info = scene.now.graph->ops[op];
    const OpReading& now = scene.now.ops[op];
    const OpFigures& seen = scene.ops[op];
    table.rows.push_back(
        {.item = op,
         .marked = seen.limits,
         .cells = {Text((seen.limits ? "\u26A0 " : "") + info.name), Text(KindText(info, scene.verdict, op)),
                   Count(now.workers), Of(seen.items), Of(seen.busy), Of(seen.starved), Of(seen.backed_up),
                   Of(seen.p50), Of(seen.p90), Of(seen.p99), Of(seen.p999),
                   now.counted ? Count(static_cast<std::int64_t>(now.failed)) : Text(internal::kUnknown)},
         .tip = seen.limits ? info.name + " limits the run" : ""});
  }
  return table;
}

Table ConnectorTable(const Scene& scene) {
  Table table{.columns = {{"connector", false, 2.4F, ""},
                          {"depth", true, 1, "items that wait now"},
                          {"capacity", true, 1, ""},
                          {"mean depth", true, 1, ""},
                          {"empty", true, 1, "of the time: the ops before it are too slow"},
                          {"full", true, 1, "of the time: the ops behind it are too slow"},
                          {"most", true, 1, "greatest depth so far"},
                          {"bytes", true, 1, "held now"}},
              .empty = "The pipeline has no connectors."};
  if (!scene.now.graph) return table;
  for (std::size_t c = 0; c < scene.now.graph->connectors.size() && c < scene.connectors.size(); ++c) {
    const ConnectorReading& now = scene.now.connectors[c];
    const ConnectorFigures& seen = scene.connectors[c];
    const Cell mean = seen.mean_depth ? Worded(*seen.mean_depth, fmt::format("{:.3g}", *seen.mean_depth))
                                      : Text(internal::kUnknown);
    const Cell bytes = now.counted ? Worded(static_cast<double>(now.bytes.count), FormatBytes(now.bytes))
                                   : Text(internal::kUnknown);
    table.rows.push_back(
        {.item = c,
         .cells = {Text(scene.now.graph->connectors[c].name), Count(static_cast<std::int64_t>(now.depth)),
                   Count(static_cast<std::int64_t>(now.capacity)), mean, Of(seen.empty), Of(seen.full),
                   Count(static_cast<std::int64_t>(now.high_water)), bytes}});
  }
  return table;
}

std::optional<std::int64_t> FirstValue(const Scene& scene, const Knob& knob) {
  const auto first = std::ranges::find(scene.first_knobs, knob.id, &Knob::id);
  return first == scene.first_knobs.end() ? std::nullopt : std::optional(first->value);
}

Table KnobTable(const Scene& scene) {
  Table table{.columns = {{"knob", false, 2.2F, ""},
                          {"first", true, 0.8F, "when the watching began"},
                          {"now", true, 0.8F, "in force"},
                          {"requested", true, 0.9F, "asked for last"},
                          {"range", true, 1, ""},
                          {"takes effect", false, 1.4F, ""},
                          {"holder", false, 2.6F, ""}},
              .empty = "The pipeline has no knobs."};
  for (std::size_t i = 0; i < scene.now.knobs.size(); ++i) {
    const Knob& knob = scene.now.knobs[i];
    const auto first = FirstValue(scene, knob);
    const auto value = [&](std::int64_t n) {
      return knob.id.kind == KnobKind::kPlacement ? Text(KnobValueText(knob.id.kind, n)) : Count(n);
    };
    table.rows.push_back(
        {.item = i,
         .marked = knob.value != knob.requested,
         .cells = {Text(knob.name), first ? value(*first) : Text(internal::kUnknown), value(knob.value),
                   value(knob.requested), Text(KnobRangeText(knob, " to ")),
                   Text(internal::EffectText(knob.takes_effect)), Text(internal::HolderText(knob))}});
  }
  return table;
}

Table DecisionTable(const Scene& scene) {
  Table table{.columns = {{"at", true, 0.8F, "since the start"},
                          {"what", false, 2.6F, ""},
                          {"by", false, 0.7F, ""},
                          {"fate", false, 1, ""},
                          {"predicted", true, 0.9F, "more items per second"},
                          {"measured", true, 0.9F, "more items per second"},
                          {"because", false, 4, ""}},
              .empty = "No decision has been made yet."};
  for (const DecisionSeen& seen : scene.decisions) {
    const Decision& decision = seen.decision;
    table.rows.push_back(
        {.item = decision.id,
         .marked = seen.fate == Fate::kTrial,
         .cells = {Of(std::optional(decision.at - scene.start)),
                   Text(internal::ChangesText(decision, scene.now.knobs)),
                   Text(decision.author == Author::kUser ? "user" : "tuner"),
                   Text(internal::FateText(seen.fate)),
                   Text(internal::GainText(decision.before, decision.predicted)),
                   Text(internal::GainText(decision.before, seen.measured)), Text(decision.because)},
         .tip = decision.because});
  }
  return table;
}

using AddRow = std::function<void(std::string what, std::string value)>;

// Bound by bound, with where it is written.
void AddBounds(const MachineLimits& limits, const AddRow& add) {
  for (const CoreBound& bound : limits.cores)
    add("core bound", fmt::format("{:.3g} cores: {}", bound.cores, bound.origin));
  if (const CpuQuota* const quota = ThrottlingQuota(limits)) {
    add("throttled now", fmt::format("{}, in {} of its periods ({})", ThrottledText(limits, *quota),
                                     ShareText(quota->throttled_share), quota->group));
  }
  for (const MemoryBound& bound : limits.memory) {
    const std::string left = bound.left ? ", " + FormatBytes(*bound.left) + " of it left" : "";
    add("memory bound", fmt::format("{}{}: {}", FormatBytes(bound.limit), left, bound.origin));
  }
  if (const auto& shared = limits.shared_memory)
    add("shared memory",
        fmt::format("{}{}: {}", FormatBytes(shared->limit),
                    shared->left ? ", " + FormatBytes(*shared->left) + " of it left" : "", shared->origin));
}

void AddMachineNow(const MachineSeen& seen, const AddRow& add) {
  if (seen.waits_for_core || seen.waits_for_memory || seen.waits_for_io)
    add("pressure", fmt::format("some of its work waits for a core {} of the time, for memory {}, for I/O {}",
                                ShareText(seen.waits_for_core), ShareText(seen.waits_for_memory),
                                ShareText(seen.waits_for_io)));
  for (const CoreSeen& core : seen.cores)
    add(fmt::format("CPU {}", core.cpu),
        fmt::format("{} by this run: {}", FormatPercent(core.used), fmt::join(core.threads, ", ")));
  for (std::size_t i = 0; i < seen.gpus.size(); ++i) {
    const GpuUse& gpu = seen.gpus[i];
    add(fmt::format("GPU {}", i),
        fmt::format("{}: busy {} since it is watched, {} at most; {} of {} of memory at most", gpu.name,
                    FormatPercent(gpu.mean_busy), FormatPercent(gpu.peak_busy), FormatBytes(gpu.peak_memory),
                    FormatBytes(gpu.memory)));
  }
}

Table MachineTable(const Scene& scene) {
  Table table{.columns = {{"machine", false, 1.4F, ""}, {"", false, 4, ""}}};
  const AddRow add = [&](std::string what, std::string value) {
    table.rows.push_back(
        {.item = table.rows.size(), .cells = {Text(std::move(what)), Text(std::move(value))}});
  };
  const Snapshot& now = scene.now;
  if (!scene.machine.cpu.empty()) add("CPU", scene.machine.cpu);
  if (scene.machine.logical_cpus > 0)
    add("logical CPUs", fmt::format("{} in {} NUMA node{}", scene.machine.logical_cpus,
                                    scene.machine.numa_nodes, scene.machine.numa_nodes == 1 ? "" : "s"));
  if (scene.machine.memory) add("memory", FormatBytes(*scene.machine.memory));
  add("core budget",
      fmt::format("{:.3g} cores: affinity and cgroup quota, less what other ranks use", now.budget.cores));
  add("cores in use",
      scene.cores_used ? fmt::format("{:.3g} by this process", *scene.cores_used) : internal::kUnknown);
  if (now.throttled)
    add("throttled", fmt::format("{} held back by the cgroup quota so far", FormatDuration(*now.throttled)));
  if (now.budget.memory.count > 0)
    add("memory budget", FormatBytes(now.budget.memory) + " between source and consumer");
  if (now.buffered_known)
    add("buffered",
        fmt::format("{} now, {} at most so far", FormatBytes(now.buffered), FormatBytes(now.buffered_peak)));
  add("resident memory", now.rss ? FormatBytes(*now.rss) + " of the process" : internal::kUnknown);
  if (now.machine) AddBounds(*now.machine, add);
  if (scene.machine_now) AddMachineNow(*scene.machine_now, add);
  return table;
}

// Of those of which it is known.
std::optional<Fraction> MedianWait(const Scene& scene) {
  std::vector<double> shares;
  for (const RankSeen& rank : scene.ranks) {
    if (rank.starved) shares.push_back(rank.starved->value);
  }
  if (shares.empty()) return std::nullopt;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>((shares.size() - 1) / 2);
  std::ranges::nth_element(shares, middle);
  return Fraction{*middle};
}

Table RankTable(const Scene& scene) {
  Table table{.columns = {{"pipeline", false, 3, ""},
                          {"rank", true, 0.7F, ""},
                          {"pid", true, 0.9F, ""},
                          {"items", true, 1.2F, "taken per second"},
                          {"waiting", true, 1, "of the consumer's time"},
                          {"", false, 2.4F, ""}},
              .empty = "Nothing else belongs to this run."};
  const auto worst = std::ranges::max_element(
      scene.ranks, {}, [](const RankSeen& rank) { return rank.starved ? rank.starved->value : -1; });
  const auto median = MedianWait(scene);
  for (std::size_t i = 0; i < scene.ranks.size(); ++i) {
    const RankSeen& rank = scene.ranks[i];
    const bool straggles = scene.ranks.size() > 1 && rank.starved && &rank == &*worst;
    table.rows.push_back(
        {.item = i,
         .marked = rank.shown,
         .cells = {
             Text((rank.shown ? "\u25CF " : "") + rank.name),
             rank.rank ? Count(*rank.rank) : Text(internal::kUnknown), Count(rank.pid), Of(rank.items),
             Of(rank.starved),
             Text(straggles && median ? "\u25B2 waits most; the median is " + FormatPercent(*median) : "")}});
  }
  return table;
}

Table TableOf(Tab tab, const Scene& scene) {
  switch (tab) {
    case Tab::kOps:
      return OpTable(scene);
    case Tab::kConnectors:
      return ConnectorTable(scene);
    case Tab::kKnobs:
      return KnobTable(scene);
    case Tab::kDecisions:
      return DecisionTable(scene);
    case Tab::kMachine:
      return MachineTable(scene);
    case Tab::kRanks:
      return RankTable(scene);
    case Tab::kCount:
      break;
  }
  return {};
}

// Buckets from the first to the last one with something in it.
struct Counted {
  std::size_t first = 0, last = 0;
  std::uint64_t most = 0, all = 0;
};

Counted CountBuckets(const LatencyHistogram& histogram) {
  Counted counted;
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    if (histogram[b] == 0) continue;
    if (counted.all == 0) counted.first = b;
    counted.last = b;
    counted.most = std::max(counted.most, histogram[b]);
    counted.all += histogram[b];
  }
  return counted;
}

Nanos EdgeOfBucket(std::size_t bucket) {
  return Nanos(std::int64_t{1} << bucket);
}

double HeightOf(std::uint64_t count, std::uint64_t most, bool log_counts) {
  const auto n = static_cast<double>(count), all = static_cast<double>(most);
  return log_counts ? std::log1p(n) / std::log1p(all) : n / all;
}

void AddBars(OpDetail& detail, const LatencyHistogram& histogram, Box box, bool log_counts) {
  const Counted counted = CountBuckets(histogram);
  if (counted.all == 0) return;
  const float width = box.width / static_cast<float>(counted.last - counted.first + 1);
  for (std::size_t b = counted.first; b <= counted.last; ++b) {
    const auto height = static_cast<float>(HeightOf(histogram[b], counted.most, log_counts)) * box.height;
    detail.bars.push_back(
        {.box = {box.x + static_cast<float>(b - counted.first) * width, box.bottom() - height, width - 1,
                 height},
         .tip = fmt::format("{} of {} items took {} to {}", histogram[b], counted.all,
                            FormatDuration(EdgeOfBucket(b)), FormatDuration(EdgeOfBucket(b + 1)))});
  }
  detail.from = FormatDuration(EdgeOfBucket(counted.first));
  detail.to = FormatDuration(EdgeOfBucket(counted.last + 1));
  detail.most = fmt::format("{} items{}", counted.most, log_counts ? " (log)" : "");
}

}  // namespace

std::string Cell::text() const {
  if (kind == CellKind::kWords) return words;
  if (!value) return internal::kUnknown;
  switch (kind) {
    case CellKind::kRate:
      return RateText(Rate{*value});
    case CellKind::kShare:
      return ShareText(Fraction{*value});
    case CellKind::kTime:
      return TimeText(Nanos(static_cast<std::int64_t>(*value)));
    default:
      return fmt::format("{}", static_cast<std::int64_t>(*value));
  }
}

const char* TabName(Tab tab) {
  switch (tab) {
    case Tab::kOps:
      return "ops";
    case Tab::kConnectors:
      return "connectors";
    case Tab::kKnobs:
      return "knobs";
    case Tab::kDecisions:
      return "decisions";
    case Tab::kMachine:
      return "machine";
    case Tab::kRanks:
      return "ranks";
    case Tab::kCount:
      break;
  }
  return "";
}

std::optional<Tab> TabOf(std::string_view name) {
  for (int i = 0; i < static_cast<int>(Tab::kCount); ++i) {
    if (name == TabName(static_cast<Tab>(i))) return static_cast<Tab>(i);
  }
  return std::nullopt;
}

Table MakeTable(Tab tab, const Scene& scene, const TableWish& wish) {
  Table table = TableOf(tab, scene);
  Apply(wish, table);
  return table;
}

std::string TableText(const Table& table) {
  std::string text;
  const auto add = [&](const std::string& cell, bool first) { text += (first ? "" : "\t") + cell; };
  for (std::size_t i = 0; i < table.columns.size(); ++i) add(table.columns[i].name, i == 0);
  text += "\n";
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) add(row.cells[i].text(), i == 0);
    text += "\n";
  }
  return text;
}

OpDetail DescribeOp(const Scene& scene, std::size_t op, Box histogram, bool log_counts) {
  OpDetail detail;
  if (!scene.now.graph || op >= scene.ops.size() || op >= scene.now.graph->ops.size()) return detail;
  const OpFigures& seen = scene.ops[op];
  const OpReading& now = scene.now.ops[op];
  detail.title = scene.now.graph->ops[op].name + (seen.limits ? "  \u26A0 limits the run" : "");
  detail.figures = {{"workers", fmt::format("{}", now.workers)},
                    {"items", RateText(seen.items)},
                    {"on CPU", ShareText(seen.on_cpu)},
                    {"queues for a core", ShareText(seen.runnable)},
                    {"off CPU", ShareText(seen.off_cpu)},
                    {"starved", ShareText(seen.starved)},
                    {"backed up", ShareText(seen.backed_up)},
                    {"p50 / p90", TimeText(seen.p50) + " / " + TimeText(seen.p90)},
                    {"p99 / p99.9", TimeText(seen.p99) + " / " + TimeText(seen.p999)}};
  AddBars(detail, seen.latency, histogram, log_counts);
  return detail;
}

}  // namespace sluice::ui
