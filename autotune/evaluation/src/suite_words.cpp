#include "suite_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sluice/base/limit_words.h"

namespace sluice::evaluation {
namespace {

constexpr std::array kShown = std::to_array<FigureId>(
    {FigureId::kFinalShare, FigureId::kT95Seconds, FigureId::kT95Changes, FigureId::kLost,
     FigureId::kMemoryShare, FigureId::kOoms, FigureId::kCoreWaste, FigureId::kChangesPerMinute,
     FigureId::kExcessSd, FigureId::kShiftSeconds, FigureId::kFalseAlarmsPerHour, FigureId::kWorstWindow,
     FigureId::kDiagnosed, FigureId::kOverBest, FigureId::kThreads});

}  // namespace

std::span<const FigureId> ShownFigures() {
  return kShown;
}

std::string NumberText(std::optional<double> value, int decimals) {
  if (!value) return "-";
  if (!std::isfinite(*value)) return "never";
  const double unit = std::pow(10, -decimals);
  const double shown = std::abs(*value) < unit / 2 ? 0 : *value;  // no -0.0
  return fmt::format("{:.{}f}", shown, decimals);
}

std::string CountsText(const SuiteResult& result) {
  const auto plural = [](std::size_t n) { return n == 1 ? "" : "s"; };
  const auto seeds = static_cast<std::size_t>(result.seeds);
  return fmt::format("{} scenario{}, medians of {} seed{}", result.scenarios.size(),
                     plural(result.scenarios.size()), seeds, plural(seeds));
}

std::string OfText(int some, int all) {
  return fmt::format("{} of {}", some, all);
}

std::string FloorsText(const std::vector<Held>& held) {
  const auto met = std::ranges::count(held, Held::kMet);
  return fmt::format("{}/{}", met, met + std::ranges::count(held, Held::kMissed));
}

std::string MissedText(const MissedFloor& missed, std::size_t most) {
  const std::size_t shown = std::min(most, missed.scenarios.size());
  std::string text = fmt::format("{} in {}", missed.floor,
                                 fmt::join(missed.scenarios.begin(), missed.scenarios.begin() + shown, ", "));
  if (shown < missed.scenarios.size()) text += fmt::format(" and {} more", missed.scenarios.size() - shown);
  return text;
}

std::string OptimaText(const ScenarioScores& scenario) {
  std::string text;
  for (const simulator::Optimum& optimum : scenario.optima) {
    const std::string op = optimum.op ? scenario.scenario.ops[*optimum.op].name : "";
    text += text.empty()
                ? fmt::format("optimum {:.4g} items/s", optimum.rate.per_second)
                : fmt::format("; from {:.4g} s {:.4g}", Seconds(optimum.from), optimum.rate.per_second);
    text += fmt::format(" ({})", LimitWords(optimum.limit, op));
  }
  return text;
}

}  // namespace sluice::evaluation
