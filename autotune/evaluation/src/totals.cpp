#include "sluice/evaluation/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sluice/evaluation/floors.h"

namespace sluice::evaluation {
namespace {

constexpr double kNearBest = 0.97;
constexpr double kBelowStart = 0.9;
constexpr double kNamed = 0.95;
constexpr double kPerMinute = 1;
constexpr double kHarmed = 0.97;
constexpr std::string_view kMadeAtRandom = "Made at random from seed ";

void AddRun(const Scores& run, Totals& totals) {
  ++totals.runs;
  totals.compared += run.over_best ? 1 : 0;
  totals.near_best += run.over_best.value_or(0) >= kNearBest ? 1 : 0;
  totals.below_start += run.over_untouched.value_or(1) < kBelowStart ? 1 : 0;
  totals.over_memory += run.ooms > 0 || run.memory_share.value_or(0) > 1 ? 1 : 0;
  totals.naming += run.names_limit ? 1 : 0;
  totals.named += run.diagnosed.value_or(0) >= kNamed ? 1 : 0;
  totals.restless += run.restless.decisions_per_minute > kPerMinute ? 1 : 0;
  totals.crowded += run.threads > 1 ? 1 : 0;
  totals.high_starts += run.starts_high ? 1 : 0;
  totals.harmed += run.starts_high && run.worst_window < kHarmed ? 1 : 0;
}

void AddScenario(const ScenarioScores& scenario, std::size_t controller, Totals& totals) {
  ++totals.scenarios;
  for (const Held held : HoldTo(scenario, controller)) {
    totals.floors_met += held == Held::kMet ? 1 : 0;
    totals.floors_applied += held == Held::kMet || held == Held::kMissed ? 1 : 0;
    totals.floors_out_of_reach += held == Held::kOutOfReach ? 1 : 0;
  }
  const bool least = LosesLeast(scenario, controller);
  totals.least += least ? 1 : 0;
  if (!least) totals.most_over_least = std::max(totals.most_over_least, LossOverLeast(scenario, controller));
  for (const Scores& run : scenario.controllers[controller].seeds) AddRun(run, totals);
}

std::string Percent(int some, int all) {
  return all > 0 ? fmt::format("{:.1f} %", 100.0 * some / all) : "-";
}

bool AtLeast(double share, int some, int all) {
  return some >= share * all;
}

constexpr std::array kRows = std::to_array<TotalRow>({
    {"floors met", "floors", ">= 97 %",
     [](const Totals& t) { return Percent(t.floors_met, t.floors_applied); },
     [](const Totals& t) { return AtLeast(0.97, t.floors_met, t.floors_applied); }},
    {"floors that nobody meets there", "nobody", "-",
     [](const Totals& t) { return fmt::format("{}", t.floors_out_of_reach); },
     [](const Totals&) { return true; }},
    {"runs that end at 0.97 of the best there", "of best", ">= 97 %",
     [](const Totals& t) { return Percent(t.near_best, t.compared); },
     [](const Totals& t) { return AtLeast(0.97, t.near_best, t.compared); }},
    {"runs that end below 0.9 of the untouched", "< start", "0",
     [](const Totals& t) { return fmt::format("{}", t.below_start); },
     [](const Totals& t) { return t.below_start == 0; }},
    {"least loss, within the tolerance", "least", ">= 90 %",
     [](const Totals& t) { return Percent(t.least, t.scenarios); },
     [](const Totals& t) { return AtLeast(kLowestIn, t.least, t.scenarios); }},
    {"greatest loss over the least, in the rest", "rest", "<= 1.5",
     [](const Totals& t) { return fmt::format("{:.1f}", t.most_over_least); },
     [](const Totals& t) { return t.most_over_least <= kMostOverLeast; }},
    {"runs killed, or above their memory", "memory", "0",
     [](const Totals& t) { return fmt::format("{}", t.over_memory); },
     [](const Totals& t) { return t.over_memory == 0; }},
    {"runs with 0.95 of the verdicts right", "named", ">= 95 %",
     [](const Totals& t) { return Percent(t.named, t.naming); },
     [](const Totals& t) { return AtLeast(0.95, t.named, t.naming); }},
    {"runs with over one decision a minute", "restless", "0",
     [](const Totals& t) { return fmt::format("{}", t.restless); },
     [](const Totals& t) { return t.restless == 0; }},
    {"runs that plan too many threads", "threads", "0",
     [](const Totals& t) { return fmt::format("{}", t.crowded); },
     [](const Totals& t) { return t.crowded == 0; }},
    {"runs harmed, of those that begin high", "harmed", "0",
     [](const Totals& t) { return fmt::format("{} of {}", t.harmed, t.high_starts); },
     [](const Totals& t) { return t.harmed == 0; }},
});

}  // namespace

std::vector<std::string> ClassesOf(const simulator::SimScenario& scenario) {
  std::string_view rest = scenario.summary;
  const std::size_t colon = rest.find(": ");
  if (!rest.starts_with(kMadeAtRandom) || colon == std::string_view::npos) return {};
  rest.remove_prefix(colon + 2);
  if (rest.ends_with('.')) rest.remove_suffix(1);
  std::vector<std::string> classes;
  for (std::size_t from = 0; from < rest.size();) {
    const std::size_t to = std::min(rest.find(", ", from), rest.size());
    classes.emplace_back(rest.substr(from, to - from));
    from = to + 2;
  }
  return classes;
}

std::vector<Totals> TotalsOf(const SuiteResult& result, std::size_t controller) {
  Totals all{.group = "all"};
  std::map<std::string, Totals> starts, classes;
  for (const ScenarioScores& scenario : result.scenarios) {
    AddScenario(scenario, controller, all);
    AddScenario(scenario, controller, starts["from " + scenario.start]);
    for (const std::string& each : ClassesOf(scenario.scenario)) {
      AddScenario(scenario, controller, classes[each]);
    }
  }
  std::vector<Totals> totals = {all};
  if (starts.size() < 2) starts.clear();
  for (auto* groups : {&starts, &classes}) {
    for (auto& [name, group] : *groups) {
      group.group = name;
      totals.push_back(group);
    }
  }
  return totals;
}

std::span<const TotalRow> TotalRows() {
  return kRows;
}

}  // namespace sluice::evaluation
