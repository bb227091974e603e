#include "json/json_values.h"
#include "json/pipeline_json.h"
#include "sluice/base/limit_words.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/sim_report.h"

namespace sluice::exporters {
namespace {

Json OpName(std::optional<std::uint32_t> op, const SimReport& report) {
  return op && *op < report.ops.size() ? Json(report.ops[*op]) : Json(nullptr);
}

Json OptimumJson(const SimOptimum& optimum) {
  return {{"from_seconds", InSeconds(optimum.from)},
          {"items_per_second", optimum.rate.per_second},
          {"limit", LimitName(optimum.limit)},
          {"op", TextOrNull(optimum.op)},
          {"workers", optimum.workers},
          {"cores", optimum.cores}};
}

Json MeasuredJson(const SimMeasured& measured) {
  Json json = {{"items_per_second", measured.rate.per_second},
               {"optimum_items_per_second", measured.optimum.per_second},
               {"cores", OrNull(measured.cores)},
               {"buffered_bytes", measured.buffered.count}};
  json["starved_fraction"] = OrNull(measured.starved);
  return json;
}

Json DecisionEntry(const StoryEntry& entry, const SimReport& report) {
  const Decision& decision = entry.decision;
  Json json = {{"id", decision.id},
               {"measured", MeasuredJson(entry.measured)},
               {"because", decision.because},
               {"before_items_per_second", decision.before.per_second},
               {"predicted_items_per_second", decision.predicted.per_second},
               {"changes", ChangesJson(NamedChanges(decision.changes, report.knobs))}};
  return json;
}

Json OutcomeEntry(const Outcome& outcome) {
  Json json = {{"id", outcome.decision}, {"fate", FateName(outcome.fate)}};
  json["measured_items_per_second"] = OrNull(outcome.measured);
  return json;
}

Json VerdictEntry(const Verdict& verdict, const SimReport& report) {
  return {{"limit", LimitName(verdict.limit)},
          {"op", OpName(verdict.op, report)},
          {"sentence", verdict.sentence},
          {"confidence_fraction", verdict.confidence.value}};
}

Json EntryJson(const StoryEntry& entry, const SimReport& report) {
  Json json = {{"at_seconds", InSeconds(entry.at)}};
  switch (entry.kind) {
    case StoryKind::kEvent:
      json["event"] = OptimumJson(entry.optimum);
      break;
    case StoryKind::kOutcome:
      json["outcome"] = OutcomeEntry(entry.outcome);
      break;
    case StoryKind::kVerdict:
      json["verdict"] = VerdictEntry(entry.decision.verdict, report);
      break;
    case StoryKind::kDecision:
      json["decision"] = DecisionEntry(entry, report);
      break;
  }
  return json;
}

Json TickJson(const SimTick& tick) {
  return {{"at_seconds", InSeconds(tick.at)},  {"items", tick.items},     {"core_seconds", tick.core_seconds},
          {"memory_share", tick.memory_share}, {"workers", tick.workers}, {"limit", LimitName(tick.limit)},
          {"op", TextOrNull(tick.op)}};
}

Json ScoresJson(const SimReport& report, std::optional<double> ScoreRow::* of) {
  Json json = Json::object();
  for (const ScoreRow& score : report.scores) json[score.key] = OrNull(score.*of);
  return json;
}

}  // namespace

std::string SimJson(const SimReport& report) {
  Json json = {{"format", "sluice-simulation"},   {"format_version", kSimFormatVersion},
               {"scenario", report.scenario},     {"summary", report.summary},
               {"controller", report.controller}, {"seed", report.seed},
               {"seconds", report.seconds},       {"items", report.items}};
  json["optimum"] = Json::array();
  for (const SimOptimum& optimum : report.optima) json["optimum"].push_back(OptimumJson(optimum));
  json["scores"] = ScoresJson(report, &ScoreRow::value);
  json["oracle_scores"] = ScoresJson(report, &ScoreRow::oracle);
  json["settings"] = Json::array();
  for (const SettingRow& row : report.settings) {
    json["settings"].push_back(
        {{"knob", row.name}, {"start", row.start}, {"end", row.end}, {"oracle", row.oracle}});
  }
  json["story"] = Json::array();
  for (const StoryEntry& entry : report.story) json["story"].push_back(EntryJson(entry, report));
  json["ticks"] = Json::array();
  for (const SimTick& tick : report.ticks) json["ticks"].push_back(TickJson(tick));
  return DocumentText(json);
}

}  // namespace sluice::exporters
