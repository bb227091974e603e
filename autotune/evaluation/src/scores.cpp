#include "sluice/evaluation/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "stretches.h"

namespace sluice {
namespace {

constexpr double kQuiet = 30;  // seconds without a change, before one is an alarm
constexpr double kSecondsPerHour = 3600;
constexpr double kSecondsPerMinute = 60;
constexpr int kOftenRevisited = 2;
constexpr double kWorse = 0.97;

int ChangesBetween(const RunRecord& run, double from, double to) {
  return static_cast<int>(std::ranges::count_if(run.decisions, [&](const Decision& decision) {
    return Seconds(decision.at) > from && Seconds(decision.at) <= to;
  }));
}

double ItemsUntil(const RunRecord& run, double to) {
  double items = 0;
  for (const RunTick& tick : run.ticks) {
    if (Seconds(tick.at) <= to) items += static_cast<double>(tick.items);
  }
  return items;
}

Reached ReachedAt(const RunRecord& run, const Stretch& stretch, double at) {
  return {at - stretch.from, ItemsUntil(run, at) - ItemsUntil(run, stretch.from),
          ChangesBetween(run, stretch.from, at)};
}

// Over time, so that windows that are missing at the end do not matter.
double ShareFrom(const RunRecord& run, const Stretch& stretch, double from) {
  const double items = ItemsUntil(run, stretch.to) - ItemsUntil(run, from);
  return items / (stretch.to - from) / stretch.optimum.rate.per_second;
}

double FinalShare(const RunRecord& run, const Stretch& last) {
  return ShareFrom(run, last, (last.from + last.to) / 2);
}

double WorstShare(const std::vector<Stretch>& stretches) {
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const auto& windows = stretches[s].windows;
    for (std::size_t i = s == 0 ? 1 : 0; i < windows.size(); ++i) {  // the first one fills the pipeline
      worst = std::min(worst, windows[i].share * stretches[s].optimum.rate.per_second);
    }
  }
  return worst;
}

double LostIn(const RunRecord& run, const Stretch& stretch) {
  return (stretch.to - stretch.from) * (1 - ShareFrom(run, stretch, stretch.from));
}

double CoreWaste(const RunRecord& run, const std::vector<Stretch>& stretches) {
  double wasted = 0, wanted = 0;
  std::size_t s = 0;
  double begin = 0;
  for (const RunTick& tick : run.ticks) {
    while (s + 1 < stretches.size() && begin >= stretches[s].to) ++s;
    const double seconds = Seconds(tick.at) - begin;
    wanted += stretches[s].optimum.cores * seconds;
    wasted += std::max(0.0, tick.core_seconds - stretches[s].optimum.cores * seconds);
    begin = Seconds(tick.at);
  }
  return wanted > 0 ? wasted / wanted : 0;
}

bool Cycles(const RunRecord& run) {
  std::map<KnobId, std::int64_t> setting;
  std::map<std::map<KnobId, std::int64_t>, int> seen;
  bool cycles = false;
  for (const Decision& decision : run.decisions) {
    for (const KnobChange& change : decision.changes) setting[change.knob] = change.to;
    cycles = ++seen[setting] > 1 + kOftenRevisited || cycles;
  }
  return cycles;
}

// Changes after a quiet time that no event ended.
int FalseAlarms(const RunRecord& run, const Stretch& stretch) {
  double quiet_since = stretch.from;
  int alarms = 0;
  for (const Decision& decision : run.decisions) {
    const double at = Seconds(decision.at);
    if (at <= stretch.from || at > stretch.to) continue;
    alarms += at - quiet_since > kQuiet ? 1 : 0;
    quiet_since = at;
  }
  return alarms;
}

bool Names(const RunTick& tick, const Optimum& optimum) {
  if (tick.limit != optimum.limit) return false;
  const bool of_an_op =
      tick.limit == Limit::kOp || tick.limit == Limit::kSerialOp || tick.limit == Limit::kContention;
  return !of_an_op || tick.limit_op == optimum.op;
}

struct Settled {
  const Stretch* stretch;
  double since;
};

// Where the run has arrived in each stretch, if it has.
std::vector<Settled> SettledParts(const std::vector<Stretch>& stretches,
                                  const std::vector<const ShareWindow*>& arrivals) {
  std::vector<Settled> parts;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    if (arrivals[s] != nullptr) parts.push_back({&stretches[s], arrivals[s]->from});
  }
  return parts;
}

std::optional<double> Diagnosed(const RunRecord& run, const std::vector<Settled>& parts) {
  double right = 0, all = 0;
  for (const RunTick& tick : run.ticks) {
    for (const auto& [stretch, since] : parts) {
      const double at = Seconds(tick.at);
      if (at <= since || at > stretch->to) continue;
      ++all;
      right += Names(tick, stretch->optimum) ? 1 : 0;
    }
  }
  return all > 0 ? std::optional(right / all) : std::nullopt;
}

void ScoreSteadiness(const RunRecord& run, const std::vector<Settled>& parts,
                     const std::vector<Stretch>& reachable, Scores& scores) {
  double settled = 0, changes = 0, alarms = 0, watched = 0;
  for (const auto& [stretch, since] : parts) {
    settled += stretch->to - since;
    changes += ChangesBetween(run, since, stretch->to);
    alarms += FalseAlarms(run, *stretch);
    watched += stretch->to - stretch->from;
    double own = 0;
    for (const Stretch& other : reachable) {
      if (other.from == stretch->from) own = Deviation(other, since);
    }
    const double sd = Deviation(*stretch, since);
    scores.excess_sd = std::max(scores.excess_sd, std::sqrt(std::max(0.0, sd * sd - own * own)));
  }
  if (settled > 0) scores.changes_per_minute = changes / settled * kSecondsPerMinute;
  if (watched > 0) scores.false_alarms_per_hour = alarms / watched * kSecondsPerHour;
}

}  // namespace

Yardstick MakeYardstick(const SimScenario& scenario, std::uint64_t seed) {
  return {Optima(scenario), RunSimulated(scenario, nullptr, seed),
          RunSimulated(scenario, MakeOracle(scenario).get(), seed)};
}

Scores Score(const SimScenario& scenario, const RunRecord& run, const Yardstick& yardstick) {
  const auto stretches = StretchesOf(scenario, run, yardstick.optima);
  const auto reachable = StretchesOf(scenario, yardstick.reachable, yardstick.optima);
  const auto untouched = StretchesOf(scenario, yardstick.untouched, yardstick.optima);
  std::vector<const ShareWindow*> arrivals;
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const double noise = s < reachable.size() ? Deviation(reachable[s], reachable[s].from + 2) : 0;
    arrivals.push_back(Arrival(stretches[s], noise));
  }
  Scores scores;
  scores.seconds = stretches.back().to;
  scores.final_share = FinalShare(run, stretches.back());
  if (arrivals[0] != nullptr) scores.t95 = ReachedAt(run, stretches[0], arrivals[0]->from);
  for (const Stretch& stretch : stretches) scores.lost += LostIn(run, stretch);
  for (const RunTick& tick : run.ticks)
    scores.memory_share = std::max(scores.memory_share, tick.memory_share);
  scores.ooms = run.ooms;
  scores.core_waste = CoreWaste(run, stretches);
  scores.cycles = Cycles(run);
  for (std::size_t s = 1; s < stretches.size(); ++s) {
    if (arrivals[s] == nullptr) {
      scores.shift_missed = true;
      continue;
    }
    const Reached reached = ReachedAt(run, stretches[s], arrivals[s]->from);
    if (!scores.shift || reached.seconds > scores.shift->seconds) scores.shift = reached;
  }
  const auto parts = SettledParts(stretches, arrivals);
  ScoreSteadiness(run, parts, reachable, scores);
  scores.worst_share = WorstShare(stretches) / WorstShare(untouched);
  scores.worse_than_start = scores.final_share < kWorse * FinalShare(yardstick.untouched, untouched.back());
  scores.diagnosed = Diagnosed(run, parts);
  return scores;
}

}  // namespace sluice
