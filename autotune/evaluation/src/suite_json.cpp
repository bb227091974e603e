#include <cmath>
#include <nlohmann/json.hpp>

#include "sluice/base/limit_words.h"
#include "sluice/evaluation/figures.h"
#include "sluice/evaluation/standing.h"
#include "sluice/evaluation/suite_report.h"
#include "sluice/evaluation/totals.h"

namespace sluice::evaluation {
namespace {

using Json = nlohmann::ordered_json;

// What never came is null; so is what does not apply, which has no median either.
Json Number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json FiguresJson() {
  Json figures = Json::array();
  for (const Figure& figure : Figures()) {
    figures.push_back({{"key", figure.key}, {"meaning", figure.meaning}});
  }
  return figures;
}

Json FloorJson(const Floor& floor) {
  return {{"name", floor.name}, {"wants", floor.wants}, {"reason", floor.reason}};
}

Json FloorsJson() {
  Json floors = Json::array();
  for (const Floor& floor : Floors()) floors.push_back(FloorJson(floor));
  floors.push_back(FloorJson(LowestFloor()));
  return floors;
}

Json OptimumJson(const simulator::Optimum& optimum, const simulator::SimScenario& scenario) {
  Json json = {{"from_seconds", Seconds(optimum.from)},
               {"items_per_second", optimum.rate.per_second},
               {"limit", LimitName(optimum.limit)}};
  json["op"] = optimum.op ? Json(scenario.ops[*optimum.op].name) : Json(nullptr);
  json["workers"] = optimum.workers;
  json["cores"] = optimum.cores;
  return json;
}

Json SeedJson(const Scores& scores, std::uint64_t seed) {
  Json json = {{"seed", seed}, {"seconds", scores.seconds}};
  for (const Figure& figure : Figures()) json[std::string(figure.key)] = Number(figure.of(scores));
  return json;
}

Json SpreadJson(FigureId id, const ControllerScores& scores) {
  const auto spread = SpreadOf(id, scores.seeds);
  if (!spread) return nullptr;
  return {{"median", Number(spread->median)},
          {"first_quartile", Number(spread->low)},
          {"third_quartile", Number(spread->high)},
          {"least", Number(spread->least)},
          {"most", Number(spread->most)}};
}

Json HeldJson(Held held) {
  return held == Held::kMet || held == Held::kMissed ? Json(held == Held::kMet) : Json(nullptr);
}

Json ControllerJson(const ScenarioScores& scenario, std::size_t c) {
  const ControllerScores& scores = scenario.controllers[c];
  Json json = {{"controller", scores.controller},
               {"least_loss", LosesLeast(scenario, c)},
               {"least_loss_exactly", LosesLeastExactly(scenario, c)}};
  const std::vector<Held> held = HoldTo(scenario, c);
  for (std::size_t f = 0; f < held.size(); ++f) {
    json["floors_met"][std::string(Floors()[f].name)] = HeldJson(held[f]);
  }
  for (const Figure& figure : Figures()) {
    json["figures"][std::string(figure.key)] = SpreadJson(figure.id, scores);
  }
  for (std::size_t i = 0; i < scores.seeds.size(); ++i) {
    json["seeds"].push_back(SeedJson(scores.seeds[i], scenario.scenario.seed + i));
  }
  return json;
}

Json ScenarioJson(const ScenarioScores& scores) {
  const simulator::SimScenario& scenario = scores.scenario;
  Json json = {{"scenario", NameOf(scores)},      {"start", scores.start},
               {"summary", scenario.summary},     {"duration_seconds", Seconds(scenario.duration)},
               {"cores", scenario.machine.cores}, {"ranks", scenario.machine.ranks}};
  for (const simulator::SimOp& op : scenario.ops) json["start_workers"].push_back(op.workers);
  for (const simulator::Optimum& optimum : scores.optima)
    json["optimum"].push_back(OptimumJson(optimum, scenario));
  for (std::size_t c = 0; c < scores.controllers.size(); ++c) {
    json["controllers"].push_back(ControllerJson(scores, c));
  }
  return json;
}

Json StandingJson(const Standing& standing) {
  Json json = {{"controller", standing.controller},
               {"scenarios", standing.scenarios},
               {"least_loss_in", standing.lowest},
               {"least_loss_exactly_in", standing.lowest_exactly},
               {"most_over_least", standing.most_over_least},
               {"floors_met", standing.met},
               {"floors_applied", standing.applied},
               {"missed", Json::array()}};
  for (const MissedFloor& missed : standing.missed) {
    json["missed"].push_back({{"floor", missed.floor}, {"scenarios", missed.scenarios}});
  }
  return json;
}

Json GroupJson(const Totals& t) {
  return {{"group", t.group},
          {"scenarios", t.scenarios},
          {"runs", t.runs},
          {"floors_met", t.floors_met},
          {"floors_applied", t.floors_applied},
          {"floors_out_of_reach", t.floors_out_of_reach},
          {"least_loss_in", t.least},
          {"most_over_least", t.most_over_least},
          {"near_best", t.near_best},
          {"compared", t.compared},
          {"below_start", t.below_start},
          {"over_memory", t.over_memory},
          {"named", t.named},
          {"naming", t.naming},
          {"restless", t.restless},
          {"crowded", t.crowded},
          {"harmed", t.harmed},
          {"high_starts", t.high_starts}};
}

Json TotalsOfAll(const SuiteResult& result) {
  Json totals = Json::array();
  if (result.scenarios.empty()) return totals;
  const auto& controllers = result.scenarios.front().controllers;
  for (std::size_t c = 0; c < controllers.size(); ++c) {
    Json groups = Json::array();
    for (const Totals& group : TotalsOf(result, c)) groups.push_back(GroupJson(group));
    totals.push_back({{"controller", controllers[c].controller}, {"groups", std::move(groups)}});
  }
  return totals;
}

Json Head(const SuiteResult& result) {
  Json json = {{"format", "sluice-evaluation"}, {"format_version", kSuiteFormatVersion}};
  json["seeds"] = result.seeds;
  json["figures"] = FiguresJson();
  json["floors"] = FloorsJson();
  return json;
}

std::string TextOf(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string TotalsJson(const SuiteResult& result) {
  Json json = Head(result);
  json["totals"] = TotalsOfAll(result);
  return TextOf(json);
}

std::string SuiteJson(const SuiteResult& result) {
  Json json = Head(result);
  json["standings"] = Json::array();
  for (const Standing& standing : Standings(result)) json["standings"].push_back(StandingJson(standing));
  json["totals"] = TotalsOfAll(result);
  json["scenarios"] = Json::array();
  for (const ScenarioScores& scenario : result.scenarios) json["scenarios"].push_back(ScenarioJson(scenario));
  return TextOf(json);
}

}  // namespace sluice::evaluation
