#include "json/pipeline_json.h"

#include <cmath>
#include <string_view>

#include "json/limits_json.h"
#include "json/names.h"
#include "sluice/base/limit_words.h"
#include "sluice/base/placement.h"
#include "sluice/exporters/view_rows.h"

namespace sluice::exporters {
namespace {

// A last bucket holds everything above its lower bound, so it has no upper one.
Json HistogramJson(const LatencyHistogram& histogram) {
  Json buckets = Json::array();
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    if (histogram[b] == 0) continue;
    const bool last = b + 1 == histogram.size();
    buckets.push_back(
        {{"from_seconds", std::ldexp(1e-9, static_cast<int>(b))},
         {"below_seconds", last ? Json(nullptr) : Json(std::ldexp(1e-9, static_cast<int>(b) + 1))},
         {"items", histogram[b]}});
  }
  return buckets;
}

// What was asked for, and what the kernel says of it.
Json PlaceJson(const OpRow& row) {
  if (!row.place || !row.total.place) return nullptr;
  const PlaceReading& seen = *row.total.place;
  return {{"placement", PlacementText(*row.place)},
          {"nodes", NodesOf(*row.place)},
          {"at_home_seconds", InSeconds(seen.at_home)},
          {"elsewhere_seconds", InSeconds(seen.elsewhere)},
          {"pages", seen.pages},
          {"pages_at_home", seen.pages_at_home}};
}

Json OpJson(const OpRow& row) {
  const OpReading& total = row.total;
  const OpInterval& seen = row.seen;
  return {{"name", row.info.name},
          {"kind", row.info.kind},
          {"serial", row.info.serial},
          {"rows_per_item", row.info.rows_per_item},
          {"regime", TextOrNull(std::string(RegimeName(row.regime)))},
          {"workers", total.workers},
          {"items", total.items},
          {"bytes", total.bytes.count},
          {"failed_rows", total.failed},
          {"busy_seconds", InSeconds(total.busy)},
          {"starved_seconds", InSeconds(total.starved)},
          {"backed_up_seconds", InSeconds(total.backed_up)},
          {"on_cpu_seconds", OrNull(total.on_cpu)},
          {"runnable_seconds", OrNull(total.runnable)},
          {"items_per_second", OrNull(seen.items)},
          {"busy_fraction", OrNull(seen.busy)},
          {"starved_fraction", OrNull(seen.starved)},
          {"backed_up_fraction", OrNull(seen.backed_up)},
          {"latency_p50_seconds", OrNull(seen.p50)},
          {"latency_p99_seconds", OrNull(seen.p99)},
          {"latency_buckets", HistogramJson(total.latency)},
          {"place", PlaceJson(row)}};
}

Json ConnectorJson(const ConnectorRow& row) {
  const ConnectorReading& total = row.total;
  const ConnectorInterval& seen = row.seen;
  return {{"name", row.name},
          {"from", TextOrNull(row.from)},
          {"to", TextOrNull(row.to.value_or(""))},
          {"capacity_items", total.capacity},
          {"depth_items", total.depth},
          {"high_water_items", total.high_water},
          {"buffered_bytes", total.bytes.count},
          {"pushed_items", total.pushed},
          {"popped_items", total.popped},
          {"depth_item_seconds", Number(total.depth_seconds)},
          {"mean_depth_items", OrNull(seen.mean_depth)},
          {"empty_seconds", InSeconds(total.empty)},
          {"full_seconds", InSeconds(total.full)},
          {"empty_fraction", OrNull(seen.empty)},
          {"full_fraction", OrNull(seen.full)}};
}

Json SettingJson(const KnobRow& row) {
  const Knob& knob = row.now;
  return {{"name", knob.name},
          {"start", OrNull(row.start)},
          {"end", knob.value},
          {"requested", knob.requested},
          {"min", knob.min},
          {"max", knob.max},
          {"takes_effect", NameOf(kEffects, knob.takes_effect)},
          {"holder", NameOf(kHolders, knob.holder)},
          {"held", HeldJson(knob.held)}};
}

Json DecisionEntryJson(const DecisionRow& row) {
  return {{"id", row.id},
          {"at_seconds", InSeconds(row.at)},
          {"author", NameOf(kAuthors, row.author)},
          {"changes", ChangesJson(row.changes)},
          {"because", row.because},
          {"fate", NameOf(kFates, row.fate)},
          {"before_items_per_second", Number(row.before.per_second)},
          {"predicted_items_per_second", Number(row.predicted.per_second)},
          {"measured_items_per_second", OrNull(row.measured)},
          {"predicted_gain_fraction", OrNull(row.predicted_gain)},
          {"measured_gain_fraction", OrNull(row.measured_gain)}};
}

template <typename Rows, typename Make>
Json List(const Rows& rows, Make make) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(make(row));
  return list;
}

}  // namespace

Json VerdictJson(const Verdict& verdict, const Snapshot& now) {
  const bool known = verdict.op && now.graph && *verdict.op < now.graph->ops.size();
  return {{"limit", LimitName(verdict.limit)},
          {"op", known ? Json(now.graph->ops[*verdict.op].name) : Json(nullptr)},
          {"sentence", verdict.sentence},
          {"confidence_fraction", Number(verdict.confidence.value)}};
}

Json WindowJson(const std::optional<ConsumerInterval>& window) {
  if (!window) return nullptr;
  return {{"length_seconds", InSeconds(window->length)},
          {"items_per_second", OrNull(window->items)},
          {"rows_per_second", OrNull(window->rows)},
          {"starved_fraction", OrNull(window->starved)}};
}

Json BudgetJson(const Snapshot& now) {
  const MachineLimits limits = now.machine ? *now.machine : MachineLimits{};
  return {{"cores", Number(now.budget.cores)},
          {"memory_bytes", now.budget.memory.count > 0 ? Json(now.budget.memory.count) : Json(nullptr)},
          {"core_bounds", CoreBoundsJson(limits.cores)},
          {"memory_bounds", MemoryBoundsJson(limits.memory)},
          {"shared_memory", SharedMemoryJson(limits)},
          {"hints", HintsJson(limits.hints)}};
}

Json ProcessJson(const Snapshot& now) {
  return {{"cpu_seconds", InSeconds(now.process_cpu)},
          {"rss_bytes", OrNull(now.rss)},
          {"throttled_seconds", OrNull(now.throttled)},
          {"buffered_bytes", now.buffered.count},
          {"buffered_peak_bytes", now.buffered_peak.count}};
}

Json ConsumerJson(const ConsumerReading& consumer) {
  return {{"items", consumer.items},
          {"rows", consumer.rows},
          {"busy_seconds", InSeconds(consumer.busy)},
          {"starved_seconds", InSeconds(consumer.starved)}};
}

Json HeldJson(HeldBecause held) {
  const std::string_view name = NameOf(kHeldReasons, held);
  return name.empty() ? Json(nullptr) : Json(name);
}

Json ChangesJson(const std::vector<NamedChange>& changes) {
  return List(changes, [](const NamedChange& change) {
    return Json{{"knob", change.knob}, {"from", change.from}, {"to", change.to}};
  });
}

Json OpsJson(const Snapshot& from, const Snapshot& to, const Verdict& verdict) {
  return List(OpRows(from, to, verdict), OpJson);
}

Json ConnectorsJson(const Snapshot& from, const Snapshot& to) {
  return List(ConnectorRows(from, to), ConnectorJson);
}

Json SettingsJson(const Snapshot& from, const Snapshot& to) {
  return List(KnobRows(from.knobs, to.knobs), SettingJson);
}

Json DecisionsJson(const DecisionLog& log, MonoTime run_start, const std::vector<Knob>& knobs) {
  return List(DecisionRows(log, run_start, knobs), DecisionEntryJson);
}

}  // namespace sluice::exporters
