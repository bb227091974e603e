#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/sim_report.h"
#include "sluice/evaluation/figures.h"
#include "sluice/evaluation/limit_words.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::app {
namespace {

using Json = nlohmann::ordered_json;

Json Number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json OpName(std::optional<std::uint32_t> op, const simulator::SimScenario& scenario) {
  return op && *op < scenario.ops.size() ? Json(scenario.ops[*op].name) : Json(nullptr);
}

Json OptimumJson(const simulator::Optimum& optimum, const simulator::SimScenario& scenario) {
  return {{"from_seconds", Seconds(optimum.from)},
          {"items_per_second", optimum.rate.per_second},
          {"limit", evaluation::LimitKey(optimum.limit)},
          {"op", OpName(optimum.op, scenario)},
          {"workers", optimum.workers},
          {"cores", optimum.cores}};
}

Json MeasuredJson(const Measured& measured) {
  Json json = {{"items_per_second", measured.rate.per_second},
               {"optimum_items_per_second", measured.optimum.per_second},
               {"cores", Number(measured.cores)},
               {"buffered_bytes", measured.buffered.count}};
  json["starved_fraction"] = measured.starved ? Json(measured.starved->value) : Json(nullptr);
  return json;
}

Json DecisionEntry(const StoryEntry& entry, const SimResult& result) {
  const Decision& decision = entry.decision;
  Json json = {{"id", decision.id},
               {"measured", MeasuredJson(entry.measured)},
               {"because", decision.because},
               {"before_items_per_second", decision.before.per_second},
               {"predicted_items_per_second", decision.predicted.per_second},
               {"changes", Json::array()}};
  for (const KnobChange& change : decision.changes) {
    json["changes"].push_back({{"knob", exporters::KnobName(change.knob, result.story.start())},
                               {"from", change.from},
                               {"to", change.to}});
  }
  return json;
}

Json OutcomeEntry(const Outcome& outcome) {
  Json json = {{"id", outcome.decision}, {"fate", exporters::FateName(outcome.fate)}};
  json["measured_items_per_second"] = outcome.measured ? Json(outcome.measured->per_second) : Json(nullptr);
  return json;
}

Json VerdictEntry(const Verdict& verdict, const simulator::SimScenario& scenario) {
  return {{"limit", evaluation::LimitKey(verdict.limit)},
          {"op", OpName(verdict.op, scenario)},
          {"sentence", verdict.sentence},
          {"confidence_fraction", verdict.confidence.value}};
}

Json EntryJson(const StoryEntry& entry, const SimResult& result) {
  Json json = {{"at_seconds", Seconds(entry.at)}};
  switch (entry.kind) {
    case StoryKind::kEvent:
      json["event"] = OptimumJson(entry.optimum, result.scenario);
      break;
    case StoryKind::kOutcome:
      json["outcome"] = OutcomeEntry(entry.outcome);
      break;
    case StoryKind::kVerdict:
      json["verdict"] = VerdictEntry(entry.decision.verdict, result.scenario);
      break;
    case StoryKind::kDecision:
      json["decision"] = DecisionEntry(entry, result);
      break;
  }
  return json;
}

Json TickJson(const evaluation::RunTick& tick, const simulator::SimScenario& scenario) {
  return {{"at_seconds", Seconds(tick.at)},
          {"items", tick.items},
          {"core_seconds", tick.core_seconds},
          {"memory_share", tick.memory_share},
          {"workers", tick.workers},
          {"limit", evaluation::LimitKey(tick.limit)},
          {"op", OpName(tick.limit_op, scenario)}};
}

Json ScoresJson(const evaluation::Scores& scores) {
  Json json;
  for (const evaluation::Figure& figure : evaluation::Figures())
    json[std::string(figure.key)] = Number(figure.of(scores));
  return json;
}

}  // namespace

std::string SimJson(const SimResult& result) {
  Json json = {{"format", "sluice-simulation"},    {"format_version", kSimFormatVersion},
               {"scenario", result.scenario.name}, {"summary", result.scenario.summary},
               {"controller", result.controller},  {"seed", result.seed},
               {"seconds", result.scores.seconds}, {"items", ItemsOf(result.record)}};
  for (const simulator::Optimum& optimum : result.yardstick.optima) {
    json["optimum"].push_back(OptimumJson(optimum, result.scenario));
  }
  json["scores"] = ScoresJson(result.scores);
  json["oracle_scores"] = ScoresJson(result.reachable);
  json["settings"] = Json::array();
  for (const SettingRow& row : Settings(result)) {
    json["settings"].push_back(
        {{"knob", row.name}, {"start", row.start}, {"end", row.end}, {"oracle", row.oracle}});
  }
  json["story"] = Json::array();
  for (const StoryEntry& entry : result.story.entries()) json["story"].push_back(EntryJson(entry, result));
  json["ticks"] = Json::array();
  for (const evaluation::RunTick& tick : result.record.ticks)
    json["ticks"].push_back(TickJson(tick, result.scenario));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::app
