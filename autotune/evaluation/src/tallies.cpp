#include "tallies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>

namespace sluice::evaluation {
namespace {

constexpr double kQuiet = 30;  // seconds
constexpr int kOften = 3;

using Setting = std::map<KnobId, std::int64_t>;

// Of the knobs that are ever changed.
Setting StartOf(const RunRecord& run) {
  Setting start;
  for (const Decision& decision : run.decisions) {
    for (const KnobChange& change : decision.changes) start.try_emplace(change.knob, change.from);
  }
  return start;
}

bool Within(Nanos at, double from, double to) {
  return Seconds(at) > from && Seconds(at) <= to;
}

bool OfAnOp(Limit limit) {
  return limit == Limit::kOp || limit == Limit::kSerialOp || limit == Limit::kContention;
}

bool IsSaid(const RunTick& tick, const simulator::Bound& bound, const simulator::SimScenario& scenario) {
  if (!OfAnOp(bound.limit)) return tick.limit == bound.limit;
  if (!OfAnOp(tick.limit) || !tick.limit_op || !bound.op || *tick.limit_op >= scenario.ops.size())
    return false;
  const simulator::SimOp &truth = scenario.ops[*bound.op], &said = scenario.ops[*tick.limit_op];
  const bool lock = truth.gil && !truth.serial && bound.limit == Limit::kSerialOp;
  if (lock) return said.gil && tick.limit != Limit::kOp;
  const bool hidden_cap = truth.shards > 0 && bound.limit == Limit::kOp;
  return *tick.limit_op == *bound.op && (hidden_cap || tick.limit == bound.limit);
}

}  // namespace

double ItemsBetween(const RunRecord& run, double from, double to) {
  double items = 0;
  for (const RunTick& tick : run.ticks) {
    if (Within(tick.at, from, to)) items += static_cast<double>(tick.items);
  }
  return items;
}

int ChangesBetween(const RunRecord& run, double from, double to) {
  return static_cast<int>(std::ranges::count_if(
      run.decisions, [&](const Decision& decision) { return Within(decision.at, from, to); }));
}

int KnobsBetween(const RunRecord& run, double from, double to) {
  int knobs = 0;
  for (const Decision& decision : run.decisions) {
    if (Within(decision.at, from, to)) knobs += static_cast<int>(decision.changes.size());
  }
  return knobs;
}

int PlannedWorkers(const RunRecord& run, const std::vector<int>& oracles) {
  int planned = std::accumulate(run.workers.begin(), run.workers.end(), 0);
  std::vector<int> now = run.workers;
  for (const Decision& decision : run.decisions | std::views::reverse) {
    for (const KnobChange& change : decision.changes) {
      if (change.knob.kind == KnobKind::kWorkers) now[change.knob.target] = static_cast<int>(change.from);
    }
  }
  std::ranges::transform(now, oracles, now.begin(),
                         [](int start, int most) { return std::min(start, most); });
  for (const Decision& decision : run.decisions) {
    std::int64_t more = 0;
    for (const KnobChange& change : decision.changes) {
      if (change.knob.kind != KnobKind::kWorkers) continue;
      more += change.to - change.from;
      now[change.knob.target] = static_cast<int>(change.to);
    }
    if (more > 0) planned = std::max(planned, std::accumulate(now.begin(), now.end(), 0));
  }
  return planned;
}

double DeviationBetweenDecisions(const RunRecord& run, const Stretch& stretch, double since) {
  struct Sums {
    double n = 0, sum = 0, squares = 0;
  };
  std::map<int, Sums> settings;
  for (const ShareWindow& window : stretch.windows) {
    if (window.from < since) continue;
    Sums& sums = settings[ChangesBetween(run, since, window.from)];
    ++sums.n;
    sums.sum += window.share;
    sums.squares += window.share * window.share;
  }
  double squares = 0, free = 0;
  for (const auto& [setting, sums] : settings) {
    squares += sums.squares - sums.sum * sums.sum / sums.n;
    free += sums.n - 1;
  }
  return free > 0 ? std::sqrt(std::max(0.0, squares / free)) : 0;
}

double ShareFrom(const RunRecord& run, const Stretch& stretch, double from) {
  double begin = stretch.from;
  for (const RunTick& tick : run.ticks) {
    if (Within(tick.at, begin, from)) begin = Seconds(tick.at);
  }
  return ItemsBetween(run, begin, stretch.to) / (stretch.to - begin) / stretch.optimum.rate.per_second;
}

int ChangesAfterQuiet(const RunRecord& run, double from, double to) {
  double quiet_since = from;
  int alarms = 0;
  for (const Decision& decision : run.decisions) {
    if (!Within(decision.at, from, to)) continue;
    alarms += Seconds(decision.at) - quiet_since > kQuiet ? 1 : 0;
    quiet_since = Seconds(decision.at);
  }
  return alarms;
}

bool Cycles(const RunRecord& run) {
  Setting setting = StartOf(run);
  std::map<Setting, int> seen = {{setting, 1}};
  bool cycles = false;
  for (const Decision& decision : run.decisions) {
    for (const KnobChange& change : decision.changes) setting[change.knob] = change.to;
    cycles = ++seen[setting] > kOften || cycles;
  }
  return cycles;
}

bool Names(const RunTick& tick, const simulator::Optimum& optimum, const simulator::SimScenario& scenario) {
  const auto is_said = [&](const simulator::Bound& bound) { return IsSaid(tick, bound, scenario); };
  return is_said({optimum.limit, optimum.op}) || std::ranges::any_of(optimum.near, is_said);
}

}  // namespace sluice::evaluation
