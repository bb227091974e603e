#include <fmt/format.h>

#include <algorithm>

#include "json/json_values.h"
#include "json/names.h"
#include "json/pipeline_json.h"
#include "sluice/exporters/control_report.h"

namespace sluice::exporters {
namespace {

Json HolderJson(const std::optional<LeaseHolder>& lease) {
  if (!lease) return nullptr;
  return {{"holder", lease->name}, {"seconds_left", InSeconds(lease->left)}};
}

Json NameJson(const ControlledName& name) {
  return {{"pipeline", name.number},
          {"name", name.name},
          {"rank", OrNull(name.rank)},
          {"pid", name.pid},
          {"over", name.over}};
}

// What there is now; nothing is known of other kinds.
Json CurrentOf(const Knob& knob, const Snapshot& now) {
  if (knob.id.kind == KnobKind::kWorkers && knob.id.target < now.ops.size())
    return now.ops[knob.id.target].workers;
  if (knob.id.kind == KnobKind::kCapacity && knob.id.target < now.connectors.size())
    return now.connectors[knob.id.target].capacity;
  return nullptr;
}

Json UnitOf(KnobKind kind) {
  return kind == KnobKind::kWorkers ? Json("workers") : kind == KnobKind::kCapacity ? Json("items") : Json();
}

Json BoundsOf(KnobId knob, const std::vector<KnobBound>& bounds) {
  const auto found = std::ranges::find(bounds, knob, &KnobBound::knob);
  if (found == bounds.end()) return nullptr;
  return {{"min", found->min}, {"max", found->max}};
}

Json KnobList(const ControlledPipeline& pipeline) {
  const Snapshot& now = *pipeline.to;
  Json list = Json::array();
  for (const Knob& knob : now.knobs) {
    list.push_back({{"name", knob.name},
                    {"kind", NameOf(kKnobKinds, knob.id.kind)},
                    {"unit", UnitOf(knob.id.kind)},
                    {"min", knob.min},
                    {"max", knob.max},
                    {"bounds", BoundsOf(knob.id, pipeline.bounds)},
                    {"current", CurrentOf(knob, now)},
                    {"requested", knob.requested},
                    {"applied", knob.value},
                    {"takes_effect", NameOf(kEffects, knob.takes_effect)},
                    {"holder", NameOf(kHolders, knob.holder)},
                    {"held", HeldJson(knob.held)}});
  }
  return list;
}

Json DecisionsOf(const ControlledPipeline& pipeline) {
  return DecisionsJson(*pipeline.decisions, pipeline.run_start, pipeline.to->knobs);
}

Json OutlookJson(const Outlook& outlook) {
  return {{"items_per_second", OrNull(std::optional(outlook.rate))},
          {"cores", Number(outlook.cores)},
          {"bytes", outlook.bytes.count}};
}

// Without its decisions.
Json PipelineJson(const ControlledPipeline& pipeline) {
  const Snapshot &from = *pipeline.from, &to = *pipeline.to;
  Json json = NameJson(pipeline.name);
  json["at_unix_seconds"] = InSeconds(to.wall);
  json["run_seconds"] = InSeconds(to.at - pipeline.run_start);
  json["epoch"] = to.epoch;
  json["tuning"] = pipeline.tuning;
  json["held_by"] = TextOrNull(pipeline.held_by);
  json["lease"] = HolderJson(pipeline.lease);
  json["budget"] = BudgetJson(to);
  json["verdict"] = VerdictJson(*pipeline.verdict, to);
  json["window"] = WindowJson(MeasureConsumer(from, to));
  json["consumer"] = ConsumerJson(to.consumer);
  json["process"] = ProcessJson(to);
  json["ops"] = OpsJson(from, to, *pipeline.verdict);
  json["connectors"] = ConnectorsJson(from, to);
  json["knobs"] = KnobList(pipeline);
  return json;
}

}  // namespace

std::string VersionsJson() {
  return DocumentText({{"versions", Json::array({kControlVersion})}});
}

std::string OtherVersionJson() {
  return DocumentText(
      {{"error",
        fmt::format("this is no path of a version that is spoken here; begin at /v{}", kControlVersion)},
       {"versions", Json::array({kControlVersion})}});
}

std::string ControlledAgentJson(const ControlledAgent& agent) {
  Json pipelines = Json::array();
  for (const ControlledName& name : agent.pipelines) pipelines.push_back(NameJson(name));
  return DocumentText({{"api_version", kControlVersion},
                       {"sluice_version", agent.version},
                       {"verb", agent.verb},
                       {"run_id", agent.run_id},
                       {"pid", agent.pid},
                       {"lease", HolderJson(agent.lease)},
                       {"pipelines", pipelines}});
}

std::string ControlledPipelineJson(const ControlledPipeline& pipeline) {
  Json json = PipelineJson(pipeline);
  json["decisions"] = DecisionsOf(pipeline);
  return DocumentText(json);
}

std::string ControlledPipelineLine(const ControlledPipeline& pipeline) {
  Json json = PipelineJson(pipeline);
  const auto& entries = pipeline.decisions->entries();
  json["decision_count"] = entries.size();
  DecisionLog last;
  if (!entries.empty()) last.Put(entries.back());
  const Json told = DecisionsJson(last, pipeline.run_start, pipeline.to->knobs);
  json["last_decision"] = told.empty() ? Json(nullptr) : told.front();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string GrantedLeaseJson(const std::string& token, const LeaseHolder& holder) {
  return DocumentText({{"lease", token}, {"holder", holder.name}, {"seconds_left", InSeconds(holder.left)}});
}

std::string ChangedJson(const ControlledPipeline& pipeline, std::uint64_t decision) {
  Json made = nullptr;
  for (const Json& entry : DecisionsOf(pipeline)) {
    if (entry["id"] == decision) made = entry;
  }
  return DocumentText({{"decision", made}, {"knobs", KnobList(pipeline)}});
}

std::string ForecastJson(const Forecast& forecast, const Snapshot& now) {
  const Verdict limit{.limit = forecast.limit, .op = forecast.op, .sentence = {}, .confidence = {}};
  const Json verdict = VerdictJson(limit, now);
  return DocumentText(
      {{"changes", ChangesJson(NamedChanges(forecast.changes, now.knobs))},
       {"now", OutlookJson(forecast.now)},
       {"then", OutlookJson(forecast.then)},
       {"gain_fraction", OrNull(Gain(forecast.now.rate, forecast.then.rate))},
       {"limit", verdict["limit"]},
       {"op", verdict["op"]},
       {"core_budget", Number(now.budget.cores)},
       {"memory_budget_bytes", now.budget.memory.count > 0 ? Json(now.budget.memory.count) : Json(nullptr)}});
}

std::string KnobsJson(const ControlledPipeline& pipeline) {
  return DocumentText({{"held_by", TextOrNull(pipeline.held_by)}, {"knobs", KnobList(pipeline)}});
}

std::string RefusalJson(const std::string& why, const std::optional<LeaseHolder>& holder) {
  Json json = {{"error", why}};
  if (holder) json.update(HolderJson(holder));
  return DocumentText(json);
}

}  // namespace sluice::exporters
