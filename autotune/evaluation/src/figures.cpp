#include "sluice/evaluation/figures.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sluice::evaluation {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
using Value = std::optional<double>;

template <auto kMember>
Value Plain(const Scores& scores) {
  return static_cast<double>(scores.*kMember);
}

template <auto kMember>
Value Start(const Scores& scores) {
  return scores.t95 ? static_cast<double>((*scores.t95).*kMember) : kNever;
}

template <auto kMember>
Value Shift(const Scores& scores) {
  if (scores.shifts == 0) return std::nullopt;
  return scores.shift ? static_cast<double>((*scores.shift).*kMember) : kNever;
}

template <auto kMember>
Value Steady(const Scores& scores) {
  return scores.steadiness ? (*scores.steadiness).*kMember : kNever;
}

template <auto kMember>
Value Maybe(const Scores& scores) {
  return scores.*kMember;
}

template <auto kMember>
Value Restless(const Scores& scores) {
  return scores.restless.*kMember;
}

Value LostShare(const Scores& scores) {
  return scores.seconds > 0 ? scores.lost / scores.seconds : 0;
}

Value Diagnosed(const Scores& scores) {
  return scores.names_limit ? Value(scores.diagnosed.value_or(0)) : std::nullopt;
}

constexpr std::array kFigures = std::to_array<Figure>({
    {FigureId::kFinalShare, "final_share", "final", 3,
     "throughput over the optimum's in the second half of the last stretch", Plain<&Scores::final_share>},
    {FigureId::kT95Seconds, "t95_seconds", "t95 s", 1,
     "R1: until throughput stays at 0.95 of the optimum's, from the start", Start<&Reached::seconds>},
    {FigureId::kT95Items, "t95_items", "items", 0, "R1: consumer items until then", Start<&Reached::items>},
    {FigureId::kT95Changes, "t95_changes", "chg", 0, "R1: decisions until then", Start<&Reached::changes>},
    {FigureId::kLost, "lost_seconds", "lost s", 1,
     "R2: seconds of the optimum's throughput lost over the whole run", Plain<&Scores::lost>},
    {FigureId::kLostShare, "lost_share", "lost", 3, "R2: the same as a share of the run", LostShare},
    {FigureId::kMemoryShare, "memory_share", "mem", 2, "R3: greatest buffered bytes over the byte budget",
     Maybe<&Scores::memory_share>},
    {FigureId::kOoms, "ooms", "OOM", 0, "R3: how often the run was killed for want of memory",
     Plain<&Scores::ooms>},
    {FigureId::kCoreWaste, "core_waste", "waste", 2, "R4: core time beyond the optimum's, over the optimum's",
     Plain<&Scores::core_waste>},
    {FigureId::kChangesPerMinute, "changes_per_minute", "chg/min", 1, "R5: decisions per minute after t95",
     Steady<&Steadiness::changes_per_minute>},
    {FigureId::kExcessSd, "excess_sd", "sd", 3,
     "R5: standard deviation of throughput over the optimum's after t95, beyond the plant's own",
     Steady<&Steadiness::excess_sd>},
    {FigureId::kCycles, "cycles", "cycles", 2, "R5: 1 where a setting came back more than twice",
     Plain<&Scores::cycles>},
    {FigureId::kShiftSeconds, "shift_seconds", "shift s", 1, "R6: t95 after an event, the slowest of them",
     Shift<&Reached::seconds>},
    {FigureId::kShiftItems, "shift_items", "items", 0, "R6: consumer items until then",
     Shift<&Reached::items>},
    {FigureId::kFalseAlarmsPerHour, "false_alarms_per_hour", "alarm/h", 1,
     "R6: decisions after 30 s of quiet, while nothing had happened",
     Steady<&Steadiness::false_alarms_per_hour>},
    {FigureId::kWorstWindow, "worst_window", "worst", 2,
     "R7: worst window over the worst that the start setting has", Plain<&Scores::worst_window>},
    {FigureId::kWorseThanStart, "worse_than_start", "worse", 2,
     "R7: 1 where the end is below 0.97 of what the start setting gives then",
     Plain<&Scores::worse_than_start>},
    {FigureId::kDiagnosed, "diagnosed", "named", 2,
     "R8: share of the time after t95 in which the true limit was named", Diagnosed},
    {FigureId::kOverBest, "final_over_best", "of best", 3,
     "final_share over the best that any run of the suite has reached there within its memory",
     Maybe<&Scores::over_best>},
    {FigureId::kOverUntouched, "final_over_untouched", "of start", 2,
     "R7: final_share over that of the untouched run", Maybe<&Scores::over_untouched>},
    {FigureId::kNoise, "noise", "noise", 3, "standard error of the oracle's final_share",
     Plain<&Scores::noise>},
    {FigureId::kThreads, "threads", "threads", 2, "workers planned over 1.5 times the oracle's and 8 more",
     Plain<&Scores::threads>},
    {FigureId::kDecisionsPerMinute, "decisions_per_minute", "dec/min", 1,
     "R5: decisions per minute after t95; where that never came, in the second half of the stretch",
     Restless<&Restlessness::decisions_per_minute>},
    {FigureId::kKnobsPerMinute, "knobs_per_minute", "knobs/min", 1, "R5: knobs that these decisions changed",
     Restless<&Restlessness::knobs_per_minute>},
});

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    if (static_cast<std::size_t>(kFigures[i].id) != i) return false;
  }
  return true;
}
static_assert(InOrder());

double Quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  if (part == 0) return sorted[below];
  if (sorted[below + 1] == kNever) return kNever;
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

}  // namespace

std::span<const Figure> Figures() {
  return kFigures;
}

const Figure& FigureOf(FigureId id) {
  return kFigures[static_cast<std::size_t>(id)];
}

std::optional<Spread> SpreadOf(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return Spread{Quantile(values, 0.5), Quantile(values, 0.25), Quantile(values, 0.75), values.front(),
                values.back()};
}

std::optional<Spread> SpreadOf(FigureId id, std::span<const Scores> seeds) {
  std::vector<double> values;
  for (const Scores& scores : seeds) {
    if (const auto value = FigureOf(id).of(scores)) values.push_back(*value);
  }
  return SpreadOf(std::move(values));
}

}  // namespace sluice::evaluation
