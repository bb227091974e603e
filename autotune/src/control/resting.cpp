#include <fmt/format.h>

#include <algorithm>

#include "control/states.h"
#include "explain/wording.h"
#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr std::size_t kWindowsBeforeTrim = 5;

std::optional<Step> StepDown(const Resting& state, Knowledge& known, const Snapshot& seen,
                             const Planner& planner) {
  const RateSummary measured = state.windows.Summary();
  auto plan = known.trim.Propose(planner, measured.mean, seen.at, known.quiet_since);
  if (!On(Rule::kTrim) || !plan || known.failures.Includes(plan->changes)) return std::nullopt;
  std::string because = fmt::format("{} needs less than it has: {} {} predicted to be enough",
                                    InRows(*seen.graph, planner.model().Optimum().rate),
                                    InWords(seen, plan->changes), plan->changes.size() == 1 ? "is" : "are");
  return Try(known, seen, std::move(*plan), TrialKind::kTrim, measured, std::move(because));
}

Observing AwakeFrom(Resting& state) {
  return {state.settling, std::move(state.windows)};
}

void LookAgain(Knowledge& known) {
  known.rest = std::min<Nanos>(2 * known.rest, known.settings.longest_rest);
  known.failures.EndRow();
  if (known.rest < known.settings.longest_rest) return;
  known.failures.Forget();
  known.descent.Reopen();
}

}  // namespace

Step StepOf(Resting& state, Knowledge& known, const Moment& now) {
  if (!state.settling.done()) state.settling.Add(now.interval);
  if (now.interval.state != Cleanliness::kClean || !state.settling.done()) return {};
  const auto window =
      state.windows.Add(now.interval, known.observer.finest(), known.observer.finest_visits());
  if (const auto shift = known.watch.Add(now.interval, window)) return Respond(known, now, *shift);
  if (now.seen.at - state.since >= known.rest) {
    LookAgain(known);
    return {{}, AwakeFrom(state)};
  }
  const auto view = known.Look(now.seen);
  const Planner& planner = view->planner;
  if (TakesTooMuch(planner)) return {{}, AwakeFrom(state)};
  const RateSummary measured = state.windows.Summary();
  if (On(Rule::kClearGain) && known.failures.in_a_row() < known.settings.most_failures &&
      known.second_thoughts.SeesAClearGain(planner, known.observer.phase(), measured,
                                           view->estimate.starved)) {
    return {{}, AwakeFrom(state)};
  }
  if (known.failures.TakeBack(measured, known.observer.phase())) return {{}, AwakeFrom(state)};
  if (measured.windows < kWindowsBeforeTrim) return {};
  if (auto attempt = StepDown(state, known, now.seen, planner)) return std::move(*attempt);
  return {};
}

// Buffers may have been filling until now: the rate is measured anew.
Resting Rest(Knowledge& known, MonoTime now, const Settling& settling, bool after_trim) {
  after_trim ? known.watch.ArmAfterTrim() : known.watch.Arm();
  return {now, settling, RateWindows(known.settings)};
}

Step Respond(Knowledge& known, const Moment& now, const Shift& shift) {
  const bool returned = known.trimmed && shift.what == Watched::kDemand && shift.ratio > 1;
  if (returned) known.trim.GivenBack(now.seen.at);
  known.trimmed = false;
  if (shift.what == Watched::kCost) {
    known.descent.Reopen(shift.op);
    if (On(Rule::kReanchor)) known.estimates.Reanchor();
  }
  Observing next = Reopened(known, now.seen);
  if (shift.what == Watched::kRate) return {{}, std::move(next)};
  if (shift.what == Watched::kDemand) known.estimates.ForgetConsumer();
  known.estimates.Add(now.interval, false);
  return Consider(std::move(next), known, now.seen, &shift);
}

}  // namespace sluice::autotune
