#include "sluice/exporters/snapshot_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "json/json_values.h"
#include "json/names.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kMostParts = 4096;      // ops, connectors or knobs of one pipeline
constexpr std::size_t kMostDecisions = 4096;  // that are read
constexpr int kDeepest = 12;

Json Known(bool known, std::uint64_t value) {
  return known ? Json(value) : Json(nullptr);
}
Json Known(bool known, Nanos value) {
  return known ? Json(value.count()) : Json(nullptr);
}
Json Known(bool known, Bytes value) {
  return known ? Json(value.count) : Json(nullptr);
}
Json NanosOrNull(const std::optional<Nanos>& t) {
  return t ? Json(t->count()) : Json(nullptr);
}

Json HistogramJson(const LatencyHistogram& histogram) {
  Json buckets = Json::object();
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    if (histogram[b] != 0) buckets[std::to_string(b)] = histogram[b];
  }
  return buckets;
}

Json OpJson(const OpInfo& info, const OpReading& op) {
  return {{"name", info.name},
          {"kind", info.kind},
          {"serial", info.serial},
          {"rows_per_item", info.rows_per_item},
          {"passes_on", info.passes_on},
          {"reads_nothing", info.reads_nothing},
          {"items", Known(op.items_known, op.items)},
          {"bytes", Known(op.counted, op.bytes)},
          {"failed", Known(op.counted, op.failed)},
          {"busy_ns", Known(op.timed, op.busy)},
          {"starved_ns", Known(op.timed, op.starved)},
          {"backed_up_ns", Known(op.timed, op.backed_up)},
          {"on_cpu_ns", NanosOrNull(op.on_cpu)},
          {"runnable_ns", NanosOrNull(op.runnable)},
          {"workers", op.workers},
          {"worker_memory_bytes", op.worker_memory.count},
          {"latency", HistogramJson(op.latency)}};
}

Json ConnectorJson(const ConnectorInfo& info, const ConnectorReading& connector) {
  return {{"name", info.name},
          {"from", Index(info.from)},
          {"to", info.to ? Json(Index(*info.to)) : Json(nullptr)},
          {"pushed", Known(connector.counted, connector.pushed)},
          {"popped", Known(connector.counted, connector.popped)},
          {"depth", connector.depth},
          {"capacity", connector.capacity},
          {"high_water", connector.high_water},
          {"bytes", Known(connector.counted, connector.bytes)},
          {"depth_seconds", Number(connector.depth_seconds)},
          {"empty_ns", connector.empty.count()},
          {"full_ns", connector.full.count()}};
}

Json ConsumerTotals(const ConsumerReading& consumer) {
  return {{"items", Known(consumer.items_known, consumer.items)},
          {"rows", Known(consumer.rows_known, consumer.rows)},
          {"busy_ns", Known(consumer.timed, consumer.busy)},
          {"starved_ns", Known(consumer.timed, consumer.starved)},
          {"starting_ns", Known(consumer.timed, consumer.starting)},
          {"steps", HistogramJson(consumer.steps)},
          {"waits", HistogramJson(consumer.waits)}};
}

Json KnobJson(const Knob& knob) {
  const auto held = NameOf(kHeldReasons, knob.held);
  return {{"name", knob.name},
          {"kind", NameOf(kKnobKinds, knob.id.kind)},
          {"target", knob.id.target},
          {"value", knob.value},
          {"requested", knob.requested},
          {"min", knob.min},
          {"max", knob.max},
          {"takes_effect", NameOf(kEffects, knob.takes_effect)},
          {"holder", NameOf(kHolders, knob.holder)},
          {"held", held.empty() ? Json(nullptr) : Json(held)}};
}

Json SnapshotJson(const Snapshot& now) {
  Json json = {{"at_ns", now.at.count()},
               {"wall_ns", now.wall.count()},
               {"epoch", Known(now.epoch_known, now.epoch)},
               {"cores", Number(now.budget.cores)},
               {"memory_bytes", now.budget.memory.count},
               {"buffered_bytes", Known(now.buffered_known, now.buffered)},
               {"buffered_peak_bytes", Known(now.buffered_known, now.buffered_peak)},
               {"process_cpu_ns", Known(now.cpu_known, now.process_cpu)},
               {"resident_bytes", OrNull(now.rss)},
               {"idle_ns", NanosOrNull(now.idle)},
               {"throttled_ns", NanosOrNull(now.throttled)},
               {"finished", now.finished},
               {"consumer", ConsumerTotals(now.consumer)},
               {"ops", Json::array()},
               {"connectors", Json::array()},
               {"knobs", Json::array()}};
  for (std::size_t i = 0; i < now.ops.size(); ++i)
    json["ops"].push_back(OpJson(now.graph->ops[i], now.ops[i]));
  for (std::size_t i = 0; i < now.connectors.size(); ++i)
    json["connectors"].push_back(ConnectorJson(now.graph->connectors[i], now.connectors[i]));
  for (const Knob& knob : now.knobs) json["knobs"].push_back(KnobJson(knob));
  return json;
}

Json RegimesJson(const Verdict& verdict) {
  Json list = Json::array();
  for (const Regime regime : verdict.regimes) list.push_back(RegimeName(regime));
  return list;
}

Json LastDecisions(const DecisionLog& log, std::size_t most) {
  Json list = Json::array();
  const auto& entries = log.entries();
  for (std::size_t i = entries.size() - std::min(most, entries.size()); i < entries.size(); ++i)
    list.push_back(Json::parse(DecisionJson(entries[i]), nullptr, false));
  return list;
}

// What is of another type counts as not there.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  [[nodiscard]] const Json& Part(const char* key) const {
    static const Json nothing;
    const auto field = json_.is_object() ? json_.find(key) : json_.end();
    return field == json_.end() ? nothing : *field;
  }
  [[nodiscard]] std::optional<std::int64_t> Maybe(const char* key) const {
    const Json& field = Part(key);
    if (field.is_number_unsigned()) {
      constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      return static_cast<std::int64_t>(std::min(field.get<std::uint64_t>(), kMost));
    }
    return field.is_number_integer() ? std::optional(field.get<std::int64_t>()) : std::nullopt;
  }
  // Totals and sizes are never negative.
  [[nodiscard]] std::int64_t Whole(const char* key) const {
    return std::max<std::int64_t>(0, Maybe(key).value_or(0));
  }
  [[nodiscard]] std::uint64_t Count(const char* key) const { return static_cast<std::uint64_t>(Whole(key)); }
  [[nodiscard]] Nanos Time(const char* key) const { return Nanos(Whole(key)); }
  [[nodiscard]] Bytes Size(const char* key) const { return Bytes{Whole(key)}; }
  [[nodiscard]] std::optional<Nanos> MaybeTime(const char* key) const {
    return Knows(key) ? std::optional(Time(key)) : std::nullopt;
  }
  [[nodiscard]] bool Knows(const char* key) const { return Maybe(key).has_value(); }
  [[nodiscard]] double Real(const char* key) const {
    const Json& field = Part(key);
    const double value = field.is_number() ? field.get<double>() : 0;
    return std::isfinite(value) ? value : 0;
  }
  [[nodiscard]] bool Is(const char* key) const { return Part(key) == true; }
  [[nodiscard]] std::string Text(const char* key) const {
    const Json& field = Part(key);
    return field.is_string() ? field.get<std::string>() : "";
  }
  [[nodiscard]] LatencyHistogram Histogram(const char* key) const {
    LatencyHistogram histogram{};
    const Fields buckets(Part(key));
    for (std::size_t b = 0; b < histogram.size(); ++b)
      histogram[b] = buckets.Count(std::to_string(b).c_str());
    return histogram;
  }

 private:
  const Json& json_;
};

std::uint32_t Narrow(std::int64_t value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::int32_t>::max()));
}

OpInfo OpInfoIn(const Fields& op) {
  return {.name = op.Text("name"),
          .kind = op.Text("kind"),
          .serial = op.Is("serial"),
          .rows_per_item = std::max(1U, Narrow(op.Whole("rows_per_item"))),
          .passes_on = op.Is("passes_on"),
          .reads_nothing = op.Is("reads_nothing")};
}

OpReading OpReadingIn(const Fields& op) {
  return {.items = op.Count("items"),
          .bytes = op.Size("bytes"),
          .failed = op.Count("failed"),
          .busy = op.Time("busy_ns"),
          .starved = op.Time("starved_ns"),
          .backed_up = op.Time("backed_up_ns"),
          .on_cpu = op.MaybeTime("on_cpu_ns"),
          .runnable = op.MaybeTime("runnable_ns"),
          .workers = static_cast<int>(Narrow(op.Whole("workers"))),
          .worker_memory = op.Size("worker_memory_bytes"),
          .latency = op.Histogram("latency"),
          .items_known = op.Knows("items"),
          .timed = op.Knows("busy_ns") && op.Knows("starved_ns") && op.Knows("backed_up_ns"),
          .counted = op.Knows("bytes") && op.Knows("failed")};
}

ConnectorReading ConnectorReadingIn(const Fields& connector) {
  return {.pushed = connector.Count("pushed"),
          .popped = connector.Count("popped"),
          .depth = connector.Count("depth"),
          .capacity = connector.Count("capacity"),
          .high_water = connector.Count("high_water"),
          .bytes = connector.Size("bytes"),
          .depth_seconds = std::max(0.0, connector.Real("depth_seconds")),
          .empty = connector.Time("empty_ns"),
          .full = connector.Time("full_ns"),
          .counted = connector.Knows("pushed")};
}

ConsumerReading ConsumerIn(const Fields& consumer) {
  return {.items = consumer.Count("items"),
          .rows = consumer.Count("rows"),
          .busy = consumer.Time("busy_ns"),
          .starved = consumer.Time("starved_ns"),
          .starting = consumer.Time("starting_ns"),
          .steps = consumer.Histogram("steps"),
          .waits = consumer.Histogram("waits"),
          .items_known = consumer.Knows("items"),
          .rows_known = consumer.Knows("rows"),
          .timed = consumer.Knows("busy_ns")};
}

std::optional<Knob> KnobIn(const Fields& field) {
  const auto kind = Named(kKnobKinds, field.Text("kind"));
  if (!kind) return std::nullopt;
  Knob knob;
  knob.id = {*kind, Narrow(field.Whole("target"))};
  knob.name = field.Text("name");
  knob.value = field.Whole("value");
  knob.requested = field.Whole("requested");
  knob.min = field.Whole("min");
  knob.max = std::max(knob.min, field.Whole("max"));
  knob.takes_effect = Named(kEffects, field.Text("takes_effect")).value_or(TakesEffect::kLive);
  knob.holder = Named(kHolders, field.Text("holder")).value_or(Holder::kAuto);
  knob.held = Named(kHeldReasons, field.Text("held")).value_or(HeldBecause::kNot);
  return knob;
}

std::unexpected<Error> Wrong(const char* what) {
  return Fail(fmt::format("snapshot: {}; another version of Sluice may have written it", what));
}

// The shape of the pipeline stands beside its readings.
Result<void> ReadParts(const Json& json, Snapshot& now) {
  const Json &ops = Fields(json).Part("ops"), &connectors = Fields(json).Part("connectors");
  if (!ops.is_array() || ops.size() > kMostParts) return Wrong("'ops' is no list, or too long");
  if (!connectors.is_array() || connectors.size() > kMostParts)
    return Wrong("'connectors' is no list, or too long");
  auto graph = std::make_shared<Graph>();
  for (const Json& op : ops) {
    graph->ops.push_back(OpInfoIn(Fields(op)));
    now.ops.push_back(OpReadingIn(Fields(op)));
  }
  for (const Json& each : connectors) {
    const Fields connector(each);
    const auto from = connector.Maybe("from"), to = connector.Maybe("to");
    const auto is_op = [&](std::int64_t op) { return op >= 0 && op < std::ssize(graph->ops); };
    // Ops are in topological order.
    if (!from || !is_op(*from) || (to && (!is_op(*to) || *to <= *from)))
      return Wrong("a connector joins no ops that there are");
    ConnectorInfo info{connector.Text("name"), OpId{Narrow(*from)}, std::nullopt};
    if (to) info.to = OpId{Narrow(*to)};
    graph->connectors.push_back(std::move(info));
    now.connectors.push_back(ConnectorReadingIn(connector));
  }
  now.graph = std::move(graph);
  return {};
}

Result<Snapshot> SnapshotIn(const Json& json) {
  const Fields fields(json);
  if (!fields.Knows("at_ns")) return Wrong("'at_ns' is missing or no number");
  Snapshot now;
  now.at = fields.Time("at_ns");
  now.wall = fields.Time("wall_ns");
  now.epoch = fields.Count("epoch");
  now.epoch_known = fields.Knows("epoch");
  now.budget = {std::max(0.0, fields.Real("cores")), fields.Size("memory_bytes")};
  now.buffered = fields.Size("buffered_bytes");
  now.buffered_peak = fields.Size("buffered_peak_bytes");
  now.buffered_known = fields.Knows("buffered_bytes");
  now.process_cpu = fields.Time("process_cpu_ns");
  now.cpu_known = fields.Knows("process_cpu_ns");
  if (fields.Knows("resident_bytes")) now.rss = fields.Size("resident_bytes");
  now.idle = fields.MaybeTime("idle_ns");
  now.throttled = fields.MaybeTime("throttled_ns");
  now.finished = fields.Is("finished");
  now.consumer = ConsumerIn(Fields(fields.Part("consumer")));
  if (auto parts = ReadParts(json, now); !parts) return std::unexpected(parts.error());
  const Json& knobs = fields.Part("knobs");
  if (!knobs.is_array() || knobs.size() > kMostParts) return Wrong("'knobs' is no list, or too long");
  for (const Json& each : knobs) {
    auto knob = KnobIn(Fields(each));
    if (knob) now.knobs.push_back(std::move(*knob));
  }
  return now;
}

Verdict VerdictIn(const Fields& fields, const Snapshot& now) {
  Verdict verdict;
  verdict.limit = LimitNamed(fields.Text("limit"));
  const auto op = fields.Maybe("op");
  if (op && *op >= 0 && *op < std::ssize(now.ops)) verdict.op = Narrow(*op);
  verdict.sentence = fields.Text("sentence");
  verdict.confidence = {std::clamp(fields.Real("confidence"), 0.0, 1.0)};
  const Json& regimes = fields.Part("regimes");
  for (std::size_t i = 0; regimes.is_array() && i < std::min(regimes.size(), now.ops.size()); ++i)
    verdict.regimes.push_back(RegimeNamed(regimes[i].is_string() ? regimes[i].get<std::string>() : ""));
  return verdict;
}

}  // namespace

std::string SnapshotLine(const ControlledPipeline& pipeline, std::size_t decisions) {
  const Verdict& verdict = *pipeline.verdict;
  const Json json = {{"pipeline", pipeline.name.number},
                     {"name", pipeline.name.name},
                     {"rank", OrNull(pipeline.name.rank)},
                     {"pid", pipeline.name.pid},
                     {"over", pipeline.name.over},
                     {"run_start_ns", pipeline.run_start.count()},
                     {"verdict",
                      {{"limit", LimitName(verdict.limit)},
                       {"op", OrNull(verdict.op)},
                       {"sentence", verdict.sentence},
                       {"confidence", Number(verdict.confidence.value)},
                       {"regimes", RegimesJson(verdict)}}},
                     {"snapshot", SnapshotJson(*pipeline.to)},
                     {"decisions", LastDecisions(*pipeline.decisions, decisions)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<SeenPipeline> ReadSnapshotLine(std::string_view line) {
  bool too_deep = false;  // for a stack
  const auto look = [&](int depth, Json::parse_event_t, Json&) { return !(too_deep |= depth > kDeepest); };
  const Json json = Json::parse(line, look, false);
  if (too_deep || !json.is_object()) return Wrong("it is no JSON object");
  const Fields fields(json);
  SeenPipeline seen;
  seen.name = fields.Text("name");
  if (fields.Knows("rank")) seen.rank = static_cast<int>(Narrow(fields.Whole("rank")));
  seen.pid = static_cast<int>(Narrow(fields.Whole("pid")));
  seen.over = fields.Is("over");
  seen.run_start = fields.Time("run_start_ns");
  auto now = SnapshotIn(fields.Part("snapshot"));
  if (!now) return std::unexpected(now.error());
  seen.now = std::move(*now);
  seen.verdict = VerdictIn(Fields(fields.Part("verdict")), seen.now);
  const Json& decisions = fields.Part("decisions");
  if (!decisions.is_array() || decisions.size() > kMostDecisions) return seen;
  for (const Json& each : decisions) {
    if (auto entry = ParseDecisionJson(each.dump(-1, ' ', true, Json::error_handler_t::replace)))
      seen.decisions.push_back(std::move(*entry));
  }
  return seen;
}

}  // namespace sluice::exporters
