#include "sluice/evaluation/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stretches.h"
#include "tallies.h"

namespace sluice::evaluation {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kSecondsPerMinute = 60;
constexpr double kFilling = 2;  // seconds after which the oracle's windows show the plant's own noise
constexpr double kWorse = 0.97;
// The plant's own noise sets a tolerance, so it may not be any: an oracle that wavers more than this is a bad
// one.
constexpr double kMostNoise = 0.1;
constexpr double kThreadsOverOracle = 1.5;
constexpr double kThreadsToSpare = 8;

// One stretch of the run beside the same one of the yardsticks; these may have ended before it.
struct Compared {
  const Stretch* run;
  const Stretch* reachable;    // may be null
  const Stretch* untouched;    // may be null
  const ShareWindow* arrival;  // null: not reached
};

Compared Compare(const std::vector<Stretch>& runs, const std::vector<Stretch>& reachable,
                 const std::vector<Stretch>& untouched, std::size_t i) {
  const Stretch* best = i < reachable.size() ? &reachable[i] : nullptr;
  const double noise = best != nullptr ? std::min(kMostNoise, Deviation(*best, best->from + kFilling)) : 0;
  return {&runs[i], best, i < untouched.size() ? &untouched[i] : nullptr, Arrival(runs[i], noise)};
}

double FinalShare(const RunRecord& run, const Stretch& last) {
  return ShareFrom(run, last, (last.from + last.to) / 2);
}

std::optional<Reached> WhenReached(const RunRecord& run, const Compared& part) {
  if (part.arrival == nullptr) return std::nullopt;
  const double from = part.run->from, at = part.arrival->from;
  return Reached{at - from, ItemsBetween(run, from, at), ChangesBetween(run, from, at)};
}

double Lost(const RunRecord& run, const Stretch& stretch) {
  return (stretch.to - stretch.from) * (1 - ShareFrom(run, stretch, stretch.from));
}

std::optional<double> MemoryShare(const RunRecord& run) {
  double most = 0;
  for (const RunTick& tick : run.ticks) most = std::max(most, tick.memory_share);
  return most > 0 ? std::optional(most) : std::nullopt;
}

double CoreWaste(const std::vector<Stretch>& stretches) {
  double wasted = 0, wanted = 0;
  for (const Stretch& stretch : stretches) {
    for (const ShareWindow& window : stretch.windows) {
      const double optimum = stretch.optimum.cores * (window.to - window.from);
      wanted += optimum;
      wasted += std::max(0.0, window.core_seconds - optimum);
    }
  }
  return wanted > 0 ? wasted / wanted : 0;
}

// The slowest; missing where one was not reached.
std::optional<Reached> SlowestShift(const RunRecord& run, const std::vector<Compared>& parts) {
  std::optional<Reached> slowest;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto reached = WhenReached(run, parts[i]);
    if (!reached) return std::nullopt;
    if (!slowest || reached->seconds > slowest->seconds) slowest = reached;
  }
  return slowest;
}

// The plant's own noise is what it shows while nobody changes anything: in the oracle's run, or here between
// two decisions.
double ExcessDeviation(const RunRecord& run, const Compared& part) {
  const double since = part.arrival->from;
  const double sd = Deviation(*part.run, since);
  const double oracles =
      part.reachable != nullptr ? std::min(kMostNoise, Deviation(*part.reachable, since)) : 0;
  const double own = std::max(oracles, DeviationBetweenDecisions(run, *part.run, since));
  return std::sqrt(std::max(0.0, sd * sd - own * own));
}

std::optional<Steadiness> SteadinessOf(const RunRecord& run, const std::vector<Compared>& parts) {
  Steadiness steady;
  double seconds = 0, changes = 0, alarms = 0;
  for (const Compared& part : parts) {
    if (part.arrival == nullptr) continue;
    const double since = part.arrival->from, to = part.run->to;
    seconds += to - since;
    changes += ChangesBetween(run, since, to);
    alarms += ChangesAfterQuiet(run, since, to);
    steady.excess_sd = std::max(steady.excess_sd, ExcessDeviation(run, part));
  }
  if (seconds <= 0) return std::nullopt;
  steady.changes_per_minute = changes / seconds * kSecondsPerMinute;
  steady.false_alarms_per_hour = alarms / seconds * kSecondsPerHour;
  return steady;
}

Restlessness RestlessnessOf(const RunRecord& run, const std::vector<Compared>& parts) {
  double seconds = 0;
  Restlessness restless;
  for (const Compared& part : parts) {
    const double half = (part.run->from + part.run->to) / 2;
    const double since = part.arrival != nullptr ? part.arrival->from : half;
    seconds += part.run->to - since;
    restless.decisions_per_minute += ChangesBetween(run, since, part.run->to);
    restless.knobs_per_minute += KnobsBetween(run, since, part.run->to);
  }
  const double minutes = seconds / kSecondsPerMinute;
  if (minutes <= 0) return {};
  restless.decisions_per_minute /= minutes;
  restless.knobs_per_minute /= minutes;
  return restless;
}

// Of the mean of its windows.
double FinalNoise(const std::vector<Stretch>& reachable) {
  if (reachable.empty()) return 0;
  const Stretch& last = reachable.back();
  const double since = (last.from + last.to) / 2;
  const auto n = std::ranges::count_if(last.windows, [&](const ShareWindow& w) { return w.from >= since; });
  return n > 1 ? Deviation(last, since) / std::sqrt(static_cast<double>(n)) : 0;
}

bool StartsHigh(const simulator::SimScenario& scenario, const simulator::Optimum& optimum) {
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    if (scenario.ops[i].workers < optimum.workers[i]) return false;
  }
  return true;
}

// The run's very first window fills the pipeline.
double WorstWindow(const Stretch& stretch) {
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t i = stretch.from > 0 ? 0 : 1; i < stretch.windows.size(); ++i) {
    worst = std::min(worst, stretch.windows[i].share);
  }
  return worst;
}

// Where the start setting has nothing to lose, no harm is done.
double WorstRatio(const std::vector<Compared>& parts) {
  double worst = std::numeric_limits<double>::infinity();
  for (const Compared& part : parts) {
    const double own = part.untouched != nullptr ? WorstWindow(*part.untouched) : 0;
    const double share = WorstWindow(*part.run);
    if (own > 0 && std::isfinite(own) && std::isfinite(share)) worst = std::min(worst, share / own);
  }
  return std::isfinite(worst) ? worst : 1;
}

std::optional<double> Diagnosed(const RunRecord& run, const std::vector<Compared>& parts,
                                const simulator::SimScenario& scenario) {
  double right = 0, all = 0;
  for (const RunTick& tick : run.ticks) {
    for (const Compared& part : parts) {
      const double at = Seconds(tick.at);
      if (part.arrival == nullptr || at <= part.arrival->from || at > part.run->to) continue;
      ++all;
      right += Names(tick, part.run->optimum, scenario) ? 1 : 0;
    }
  }
  return all > 0 ? std::optional(right / all) : std::nullopt;
}

bool NamesALimit(const RunRecord& run) {
  return std::ranges::any_of(run.ticks, [](const RunTick& tick) { return tick.limit != Limit::kUnknown; });
}

}  // namespace

Yardstick MakeYardstick(const simulator::SimScenario& scenario, std::vector<simulator::Optimum> optima,
                        std::uint64_t seed) {
  RunRecord reachable = RunSimulated(scenario, MakeOracle(scenario, optima).get(), seed);
  return {std::move(optima), RunSimulated(scenario, nullptr, seed), std::move(reachable)};
}

Scores Score(const simulator::SimScenario& scenario, const RunRecord& run, const Yardstick& yardstick) {
  const auto stretches = StretchesOf(scenario, run, yardstick.optima);
  const auto reachable = StretchesOf(scenario, yardstick.reachable, yardstick.optima);
  const auto untouched = StretchesOf(scenario, yardstick.untouched, yardstick.optima);
  std::vector<Compared> parts;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    parts.push_back(Compare(stretches, reachable, untouched, i));
  }
  Scores scores;
  scores.seconds = stretches.back().to;
  scores.final_share = FinalShare(run, stretches.back());
  scores.t95 = WhenReached(run, parts[0]);
  for (const Stretch& stretch : stretches) scores.lost += Lost(run, stretch);
  scores.memory_share = MemoryShare(run);
  scores.ooms = run.ooms;
  scores.core_waste = CoreWaste(stretches);
  scores.steadiness = SteadinessOf(run, parts);
  scores.cycles = Cycles(run);
  scores.shifts = static_cast<int>(parts.size()) - 1;
  scores.shift = SlowestShift(run, parts);
  scores.worst_window = WorstRatio(parts);
  const double own = FinalShare(yardstick.untouched, untouched.back());
  scores.worse_than_start = scores.final_share < kWorse * own;
  if (own > 0) scores.over_untouched = scores.final_share / own;
  scores.restless = RestlessnessOf(run, parts);
  scores.noise = FinalNoise(reachable);
  const std::vector<int>& oracles = yardstick.reachable.workers;
  scores.threads =
      PlannedWorkers(run, oracles) / ReasonableThreads(PlannedWorkers(yardstick.reachable, oracles));
  scores.starts_high = StartsHigh(scenario, yardstick.optima.front());
  scores.names_limit = NamesALimit(run);
  if (scores.names_limit) scores.diagnosed = Diagnosed(run, parts, scenario);
  return scores;
}

double ReasonableThreads(int of_oracle) {
  return kThreadsOverOracle * of_oracle + kThreadsToSpare;
}

void NoteBest(const std::vector<Scores*>& scores) {
  double best = 0;
  for (const Scores* each : scores) {
    const bool within = each->ooms == 0 && each->memory_share.value_or(0) <= 1;
    if (within) best = std::max(best, each->final_share);
  }
  for (Scores* each : scores) {
    if (best > 0) each->over_best = std::min(1.0, each->final_share / best);
  }
}

}  // namespace sluice::evaluation
