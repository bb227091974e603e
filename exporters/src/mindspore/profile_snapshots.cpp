#include "mindspore/profile_snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mindspore/profile_graph.h"
#include "mindspore/sampled.h"
#include "sluice/base/check.h"

namespace sluice::exporters {
namespace {

using std::chrono::milliseconds;

constexpr MonoTime kBegin = std::chrono::seconds(1);     // of a profile; 0 would be no time at all
constexpr std::int64_t kUnixMillis = 1'000'000'000'000;  // 2001; a machine is not up for 31 years
constexpr std::size_t kMostSnapshots = 20'000;
constexpr std::int64_t kUsualInterval = 1000;  // ms: MindSpore's default
constexpr std::size_t kEndOfSaving = 1;        // a look more in one file than in the other

// When the queues were looked at, and what lay in them.
struct Depths {
  std::vector<std::int64_t> times{};
  std::vector<std::vector<double>> seen{};  // by connector
  std::vector<std::uint64_t> capacities{};
};

// Of one connector, as totals.
struct ConnectorTotals {
  Total depth, empty, full;
};

// What the consumer had done at the end of each batch.
struct ConsumerTotals {
  std::vector<std::int64_t> at{};
  std::vector<Nanos> busy{}, starved{};
  Nanos starting{0};
  bool timed = false;
};

// How long the consumer waited for a batch; nullopt: the trace does not tell. A device queue's sender waits
// in the same stretch for a batch and for room on the device: for the batch only where none lay ready.
std::optional<std::int64_t> WaitFor(const TracedBatch& batch, TraceKind kind) {
  if (kind == TraceKind::kIterator || !batch.get) return batch.get;
  if (!batch.depth) return std::nullopt;
  return *batch.depth == 0 ? *batch.get : 0;
}

ConsumerTotals ConsumerOf(const TraceFile& trace) {
  ConsumerTotals totals;
  std::int64_t before = BeginOf(trace);
  Nanos busy{0};
  Nanos starved{0};
  totals.timed = true;
  for (const TracedBatch& batch : trace.batches) {
    const auto waited = WaitFor(batch, trace.kind);
    totals.timed = totals.timed && waited;
    const std::int64_t wait = std::min(waited.value_or(0), batch.at - before);
    starved += milliseconds(wait);
    busy += milliseconds(batch.at - before - wait);
    if (totals.at.empty()) totals.starting = starved;
    totals.at.push_back(batch.at);
    totals.busy.push_back(busy);
    totals.starved.push_back(starved);
    before = batch.at;
  }
  return totals;
}

std::vector<double> Real(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

// The same monitor looks at queues and CPUs, so the times of the one are those of the other.
std::vector<std::int64_t> LookTimes(const ProfileParts& parts, MindSporeProfile& profile) {
  SLUICE_CHECK(parts.pipeline);
  const std::size_t samples = parts.pipeline->samples();
  if (parts.cpu) {
    std::vector<std::int64_t> times = parts.cpu->times;
    if (samples + kEndOfSaving < times.size() || samples > times.size() + kEndOfSaving)
      profile.notes.push_back(
          fmt::format("The queues were looked at {} times and the CPUs {} times: the first {} of "
                      "both are taken to be of the same moments",
                      samples, times.size(), std::min(samples, times.size())));
    times.resize(std::min(samples, times.size()));
    return times;
  }
  const std::int64_t told = parts.pipeline->interval.count();
  const std::int64_t interval = told > 0 ? told : kUsualInterval;
  const std::int64_t begin = parts.trace ? BeginOf(*parts.trace) : 0;
  std::vector<std::int64_t> times(samples);
  for (std::size_t i = 0; i < samples; ++i) times[i] = begin + static_cast<std::int64_t>(i) * interval;
  profile.notes.push_back(fmt::format(
      "When the queues were looked at is not known without the CPU file: taken is every {} ms from the "
      "first request on",
      interval));
  return times;
}

Depths SampledDepths(const ProfileParts& parts, const ProfileGraph& graph, MindSporeProfile& profile) {
  SLUICE_CHECK(parts.pipeline);
  Depths depths{.times = LookTimes(parts, profile)};
  for (const std::size_t op : graph.connectors) {
    const auto& queue = parts.pipeline->ops[op].queue;
    SLUICE_CHECK(queue);
    depths.seen.push_back(Real(queue->depths));
    depths.seen.back().resize(depths.times.size());
    depths.capacities.push_back(static_cast<std::uint64_t>(queue->capacity));
  }
  return depths;
}

// Of the last queue, at the batches.
Depths TracedDepths(const TraceFile& trace) {
  Depths depths{.times = {}, .seen = {{}}, .capacities = {1}};
  for (const TracedBatch& batch : trace.batches) {
    if (!batch.depth || (!depths.times.empty() && depths.times.back() >= batch.at)) continue;
    depths.times.push_back(batch.at);
    depths.seen[0].push_back(static_cast<double>(*batch.depth));
    depths.capacities[0] = static_cast<std::uint64_t>(std::max<std::int64_t>(batch.capacity.value_or(0), 1));
  }
  return depths;
}

std::vector<ConnectorTotals> TotalsOf(const Depths& depths, std::int64_t begin, std::int64_t end) {
  std::vector<ConnectorTotals> totals;
  for (std::size_t c = 0; c < depths.seen.size(); ++c) {
    const auto& seen = depths.seen[c];
    std::vector<double> empty(seen.size());
    std::vector<double> full(seen.size());
    std::ranges::transform(seen, empty.begin(), [](double depth) { return depth <= 0 ? 1.0 : 0.0; });
    std::ranges::transform(seen, full.begin(), [&](double depth) {
      return depth >= static_cast<double>(depths.capacities[c]) ? 1.0 : 0.0;
    });
    totals.push_back({.depth = Integral(depths.times, seen, begin, end),
                      .empty = Integral(depths.times, empty, begin, end),
                      .full = Integral(depths.times, full, begin, end)});
  }
  return totals;
}

// CPU seconds; what a look says is of the time since the look before.
Total CpuTotal(const CpuFile& cpu, const CoreSamples& cores) {
  Total total;
  double sum = 0;
  for (std::size_t i = 0; i < std::min(cores.size(), cpu.times.size()); ++i) {
    if (i > 0) sum += cores[i].value_or(0) * static_cast<double>(cpu.times[i] - cpu.times[i - 1]) / 1000;
    total.Add(cpu.times[i], sum);
  }
  return total;
}

// A few milliseconds behind the last look would show single batches: the end stands for it.
void JoinTheEnd(std::vector<std::int64_t>& moments) {
  const std::size_t count = moments.size();
  if (count < 3) return;
  const std::int64_t last = moments[count - 1] - moments[count - 2];
  if (last < (moments[count - 2] - moments[count - 3]) / 2) moments.erase(moments.end() - 2);
}

// Begin, end and every look between, or, of very many, some.
std::vector<std::int64_t> Moments(const Depths& depths, const ProfileParts& parts, std::int64_t begin,
                                  std::int64_t end) {
  std::vector<std::int64_t> moments = {begin, end};
  moments.insert(moments.end(), depths.times.begin(), depths.times.end());
  if (parts.cpu) moments.insert(moments.end(), parts.cpu->times.begin(), parts.cpu->times.end());
  if (parts.trace && depths.times.empty()) {
    for (const TracedBatch& batch : parts.trace->batches) moments.push_back(batch.at);
  }
  std::ranges::sort(moments);
  moments.erase(std::ranges::unique(moments).begin(), moments.end());
  JoinTheEnd(moments);
  if (moments.size() <= kMostSnapshots) return moments;
  std::vector<std::int64_t> fewer;
  fewer.reserve(kMostSnapshots);
  for (std::size_t i = 0; i < kMostSnapshots; ++i)
    fewer.push_back(moments[i * (moments.size() - 1) / (kMostSnapshots - 1)]);
  return fewer;
}

// Everything that snapshots are made of.
class SnapshotMaker {
 public:
  SnapshotMaker(const ProfileParts& parts, ProfileGraph graph, Depths depths,
                std::optional<std::uint32_t> batch_size)
      : parts_(parts), graph_(std::move(graph)), depths_(std::move(depths)), batch_size_(batch_size) {
    if (parts.trace) consumer_ = ConsumerOf(*parts.trace);
    FindEnds();
    connectors_ = TotalsOf(depths_, begin_, end_);
    if (!parts.cpu) return;
    process_ = CpuTotal(*parts.cpu, parts.cpu->process);
    if (!parts.pipeline) return;
    for (const std::size_t op : graph_.ops) {
      const auto cores = parts.cpu->ops.find(parts.pipeline->ops[op].id);
      op_cpu_.push_back(cores == parts.cpu->ops.end() ? std::nullopt
                                                      : std::optional(CpuTotal(*parts.cpu, cores->second)));
    }
  }

  [[nodiscard]] std::vector<Snapshot> Make() const {
    std::vector<Snapshot> snapshots;
    for (const std::int64_t moment : Moments(depths_, parts_, begin_, end_)) snapshots.push_back(At(moment));
    if (snapshots.size() == 1) {  // one batch, in no time
      snapshots.push_back(snapshots.front());
      snapshots.back().at += milliseconds(1);
    }
    FollowHighWater(snapshots);
    return snapshots;
  }
  [[nodiscard]] bool waits_known() const { return consumer_.timed; }
  [[nodiscard]] bool rows_known() const { return parts_.trace && (!graph_.makes_batches || batch_size_); }

 private:
  void FindEnds() {
    std::vector<std::int64_t> ends;
    const auto add = [&](const std::vector<std::int64_t>& times) {
      if (!times.empty()) ends.insert(ends.end(), {times.front(), times.back()});
    };
    add(depths_.times);
    if (parts_.cpu) add(parts_.cpu->times);
    if (parts_.trace) ends.insert(ends.end(), {BeginOf(*parts_.trace), parts_.trace->batches.back().at});
    const auto [first, last] = std::ranges::minmax(ends);
    begin_ = first;
    end_ = last;
  }

  [[nodiscard]] Snapshot At(std::int64_t moment) const {
    Snapshot now;
    now.at = kBegin + milliseconds(moment - begin_);
    if (begin_ > kUnixMillis) now.wall = milliseconds(moment);
    now.graph = graph_.graph;
    now.consumer = ConsumerAt(moment);
    for (std::size_t op = 0; op < now.graph->ops.size(); ++op)
      now.ops.push_back(OpAt(op, moment, now.consumer));
    for (std::size_t c = 0; c < connectors_.size(); ++c) now.connectors.push_back(ConnectorAt(c, moment));
    now.buffered_known = now.epoch_known = false;
    now.cpu_known = parts_.cpu && !parts_.cpu->process.empty();
    now.process_cpu = FromSeconds(process_.At(moment));
    now.budget.cores = parts_.cpu ? parts_.cpu->cpus : 0;
    if (parts_.cpu) now.rss = ResidentAt(moment);
    return now;
  }

  [[nodiscard]] ConsumerReading ConsumerAt(std::int64_t moment) const {
    ConsumerReading reading;
    reading.items_known = parts_.trace.has_value();
    reading.rows_known = rows_known();
    reading.timed = consumer_.timed;
    const auto taken =
        static_cast<std::size_t>(std::ranges::upper_bound(consumer_.at, moment) - consumer_.at.begin());
    if (taken == 0) return reading;
    reading.items = taken;
    if (reading.rows_known) reading.rows = taken * graph_.graph->ops.back().rows_per_item;
    reading.busy = consumer_.busy[taken - 1];
    reading.starved = consumer_.starved[taken - 1];
    reading.starting = consumer_.starting;
    return reading;
  }

  [[nodiscard]] OpReading OpAt(std::size_t op, std::int64_t moment, const ConsumerReading& consumer) const {
    OpReading reading;
    reading.timed = reading.counted = reading.items_known = false;
    if (FeedsConsumer(op) && consumer.items_known) {
      reading.items_known = true;
      reading.items = consumer.items;  // those that have been taken, too
    }
    if (parts_.pipeline && op < graph_.ops.size()) {
      const ProfiledOp& profiled = parts_.pipeline->ops[graph_.ops[op]];
      reading.workers = profiled.queue ? profiled.workers : 0;
    }
    if (op < op_cpu_.size()) {
      if (const auto& cpu = op_cpu_[op]) reading.on_cpu = FromSeconds(cpu->At(moment));
    }
    return reading;
  }

  // Alone: of several that do, as the inputs of a concat, each made some.
  [[nodiscard]] bool FeedsConsumer(std::size_t op) const {
    const auto& connectors = graph_.graph->connectors;
    const auto leads = [](const ConnectorInfo& connector) { return !connector.to; };
    const auto one = std::ranges::find_if(connectors, leads);
    return one != connectors.end() && Index(one->from) == op && std::ranges::count_if(connectors, leads) == 1;
  }

  [[nodiscard]] ConnectorReading ConnectorAt(std::size_t c, std::int64_t moment) const {
    ConnectorReading reading;
    reading.counted = false;
    reading.capacity = depths_.capacities[c];
    reading.depth_seconds = connectors_[c].depth.At(moment);
    reading.empty = FromSeconds(connectors_[c].empty.At(moment));
    reading.full = FromSeconds(connectors_[c].full.At(moment));
    const auto looks =
        static_cast<std::size_t>(std::ranges::upper_bound(depths_.times, moment) - depths_.times.begin());
    if (!depths_.times.empty())
      reading.depth = static_cast<std::uint64_t>(depths_.seen[c][std::max<std::size_t>(looks, 1) - 1]);
    return reading;
  }

  [[nodiscard]] std::optional<Bytes> ResidentAt(std::int64_t moment) const {
    SLUICE_CHECK(parts_.cpu);
    const auto& times = parts_.cpu->times;
    const auto looks = static_cast<std::size_t>(std::ranges::upper_bound(times, moment) - times.begin());
    if (looks == 0 || parts_.cpu->resident.size() < looks) return std::nullopt;
    return parts_.cpu->resident[looks - 1];
  }

  static void FollowHighWater(std::vector<Snapshot>& snapshots) {
    std::vector<std::uint64_t> highest(snapshots.front().connectors.size());
    for (Snapshot& now : snapshots) {
      for (std::size_t c = 0; c < highest.size(); ++c) {
        highest[c] = std::max(highest[c], now.connectors[c].depth);
        now.connectors[c].high_water = highest[c];
      }
    }
  }

  const ProfileParts& parts_;
  ProfileGraph graph_;
  Depths depths_;
  std::optional<std::uint32_t> batch_size_;
  ConsumerTotals consumer_;
  std::int64_t begin_ = 0, end_ = 0;
  std::vector<ConnectorTotals> connectors_;
  Total process_;
  std::vector<std::optional<Total>> op_cpu_;
};

void AddNotes(const ProfileParts& parts, const SnapshotMaker& maker, MindSporeProfile& profile) {
  auto& notes = profile.notes;
  notes.push_back(
      "A profile counts no items of an op and times no workers: items per second, busy, starved and "
      "backed up are not known");
  if (parts.pipeline)
    notes.push_back(
        "Depths are what was seen at each look, so what came between two looks is not in them; workers "
        "are those at the start");
  if (parts.trace && !maker.rows_known())
    notes.push_back(
        "How many rows a batch holds is not in a profile: batches are counted (--batch-size N tells)");
  if (parts.trace && !maker.waits_known())
    notes.push_back(
        "How long the consumer waited for each batch is not in this trace, as an older version wrote it");
  if (profile.to_device)
    notes.push_back(
        "The consumer is the thread that sends batches to the device: it is starved where it waits and no "
        "batch lies ready. Whether a training step waits, too, depends on the batches that the device "
        "still has, and is not in these files");
  if (parts.cpu && parts.cpu->impossible > 0)
    notes.push_back(
        fmt::format("{} samples of CPU time say more cores than the machine has, or less than none: left out",
                    parts.cpu->impossible));
}

}  // namespace

void MakeSnapshots(const ProfileParts& parts, std::optional<std::uint32_t> batch_size,
                   MindSporeProfile& profile) {
  SLUICE_CHECK(parts.pipeline || parts.trace);
  ProfileGraph graph = parts.pipeline ? GraphOf(*parts.pipeline, batch_size) : UnknownGraph(batch_size);
  Depths depths = parts.pipeline ? SampledDepths(parts, graph, profile) : TracedDepths(*parts.trace);
  profile.samples = depths.times.size();
  profile.to_device = parts.trace && parts.trace->kind == TraceKind::kDeviceQueue;
  if (parts.cpu) {
    profile.logical_cpus = parts.cpu->cpus;
    profile.memory = parts.cpu->memory;
  }
  const SnapshotMaker maker(parts, std::move(graph), std::move(depths), batch_size);
  profile.snapshots = maker.Make();
  AddNotes(parts, maker, profile);
}

}  // namespace sluice::exporters
