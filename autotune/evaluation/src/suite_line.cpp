#include "sluice/evaluation/suite_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sluice/base/limit_words.h"

namespace sluice::evaluation {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kFormat = "sluice-evaluation-line";
constexpr int kVersion = 1;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T>
std::optional<T> Maybe(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<T>());
}

Json ReachedJson(const std::optional<Reached>& reached) {
  return reached ? Json{reached->seconds, reached->items, reached->changes} : Json(nullptr);
}

std::optional<Reached> ReachedOf(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Reached{json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<int>()};
}

Json ScoresJson(const Scores& s) {
  Json json = {{"final", s.final_share}, {"lost", s.lost},          {"seconds", s.seconds},
               {"ooms", s.ooms},         {"waste", s.core_waste},   {"cycles", s.cycles},
               {"shifts", s.shifts},     {"worst", s.worst_window}, {"worse", s.worse_than_start},
               {"names", s.names_limit}, {"threads", s.threads},    {"high", s.starts_high},
               {"noise", s.noise}};
  json["t95"] = ReachedJson(s.t95);
  json["shift"] = ReachedJson(s.shift);
  json["memory"] = OrNull(s.memory_share);
  json["over_untouched"] = OrNull(s.over_untouched);
  json["diagnosed"] = OrNull(s.diagnosed);
  json["restless"] = {s.restless.decisions_per_minute, s.restless.knobs_per_minute};
  json["steady"] = nullptr;
  if (s.steadiness)
    json["steady"] = {s.steadiness->changes_per_minute, s.steadiness->excess_sd,
                      s.steadiness->false_alarms_per_hour};
  return json;
}

Scores ScoresOf(const Json& json) {
  Scores s;
  s.final_share = json.at("final").get<double>();
  s.lost = json.at("lost").get<double>();
  s.seconds = json.at("seconds").get<double>();
  s.ooms = json.at("ooms").get<int>();
  s.core_waste = json.at("waste").get<double>();
  s.cycles = json.at("cycles").get<bool>();
  s.shifts = json.at("shifts").get<int>();
  s.worst_window = json.at("worst").get<double>();
  s.worse_than_start = json.at("worse").get<bool>();
  s.names_limit = json.at("names").get<bool>();
  s.threads = json.at("threads").get<double>();
  s.starts_high = json.at("high").get<bool>();
  s.noise = json.at("noise").get<double>();
  s.t95 = ReachedOf(json.at("t95"));
  s.shift = ReachedOf(json.at("shift"));
  s.memory_share = Maybe<double>(json.at("memory"));
  s.over_untouched = Maybe<double>(json.at("over_untouched"));
  s.diagnosed = Maybe<double>(json.at("diagnosed"));
  s.restless = {json.at("restless").at(0).get<double>(), json.at("restless").at(1).get<double>()};
  const Json& steady = json.at("steady");
  if (!steady.is_null())
    s.steadiness = {steady.at(0).get<double>(), steady.at(1).get<double>(), steady.at(2).get<double>()};
  return s;
}

Json SeedsJson(const std::vector<Scores>& seeds) {
  Json json = Json::array();
  for (const Scores& each : seeds) json.push_back(ScoresJson(each));
  return json;
}

std::vector<Scores> SeedsOf(const Json& json) {
  std::vector<Scores> seeds;
  for (const Json& each : json) seeds.push_back(ScoresOf(each));
  return seeds;
}

Json OptimumJson(const simulator::Optimum& o) {
  return {{"from", o.from.count()}, {"rate", o.rate.per_second}, {"limit", LimitName(o.limit)},
          {"op", OrNull(o.op)},     {"workers", o.workers},      {"cores", o.cores},
          {"bytes", o.bytes.count}, {"capacity", o.capacity}};
}

Limit LimitNamed(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Limit::kContention); ++i) {
    if (LimitName(static_cast<Limit>(i)) == name) return static_cast<Limit>(i);
  }
  return Limit::kUnknown;
}

simulator::Optimum OptimumOf(const Json& json) {
  simulator::Optimum o;
  o.from = Nanos(json.at("from").get<std::int64_t>());
  o.rate = {json.at("rate").get<double>()};
  o.limit = LimitNamed(json.at("limit").get<std::string>());
  o.op = Maybe<std::uint32_t>(json.at("op"));
  o.workers = json.at("workers").get<std::vector<int>>();
  o.cores = json.at("cores").get<double>();
  o.bytes = {json.at("bytes").get<std::int64_t>()};
  o.capacity = json.at("capacity").get<std::vector<std::int64_t>>();
  return o;
}

// As far as `options` has to say what it is of.
Result<ScenarioScores> Fill(const Json& json, const SuiteOptions& options) {
  ScenarioScores scores;
  scores.start = json.at("start").get<std::string>();
  const auto name = json.at("scenario").get<std::string>();
  const auto seed = json.at("seed").get<std::uint64_t>();
  const auto scenario = std::ranges::find_if(options.scenarios, [&](const simulator::SimScenario& each) {
    return each.name == name && each.seed == seed;
  });
  const auto start = std::ranges::find(options.starts, scores.start, &Start::name);
  if (scenario == options.scenarios.end() || start == options.starts.end()) return scores;
  std::vector<std::string> controllers;
  for (const Json& each : json.at("controllers")) {
    controllers.push_back(each.at("controller").get<std::string>());
    scores.controllers.push_back({controllers.back(), SeedsOf(each.at("seeds"))});
  }
  scores.oracle = SeedsOf(json.at("oracle"));
  if (controllers != options.controllers || std::cmp_not_equal(scores.oracle.size(), options.seeds)) {
    return Fail(fmt::format("has {} seeds of {}, and asked for are {} of {}", scores.oracle.size(),
                            fmt::join(controllers, ","), options.seeds, fmt::join(options.controllers, ",")));
  }
  for (const Json& each : json.at("optima")) scores.optima.push_back(OptimumOf(each));
  scores.scenario = StartedAt(*start, *scenario, scores.optima.at(0));
  return scores;
}

}  // namespace

std::string SuiteLine(const ScenarioScores& scores, std::string_view made_by) {
  Json json = {{"format", kFormat},
               {"format_version", kVersion},
               {"made_by", made_by},
               {"scenario", scores.scenario.name},
               {"seed", scores.scenario.seed},
               {"start", scores.start}};
  json["optima"] = Json::array();
  for (const simulator::Optimum& optimum : scores.optima) json["optima"].push_back(OptimumJson(optimum));
  json["oracle"] = SeedsJson(scores.oracle);
  json["controllers"] = Json::array();
  for (const ControllerScores& each : scores.controllers) {
    json["controllers"].push_back({{"controller", each.controller}, {"seeds", SeedsJson(each.seeds)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ScenarioScores> ReadSuiteLine(std::string_view line, const SuiteOptions& options,
                                     std::string_view made_by) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || json.value("format", "") != kFormat || json.value("format_version", 0) != kVersion)
    return Fail("is no scenario of a suite");
  if (json.value("made_by", "") != made_by)
    return Fail(fmt::format("was made by {} and this is {}", json.value("made_by", "?"), made_by));
  try {
    return Fill(json, options);
  } catch (const std::exception& error) {
    return Fail(fmt::format("lacks something: {}", error.what()));
  }
}

}  // namespace sluice::evaluation
