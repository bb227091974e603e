#include "control/journal.h"

#include <utility>

namespace sluice::autotune {

Decision Journal::Ask(const Snapshot& seen, std::vector<KnobChange> changes, std::string because) {
  Decision decision;
  decision.id = ++last_;
  decision.because = std::move(because);
  expected_.Ask(seen, changes);
  decision.changes = std::move(changes);
  return decision;
}

Decision Journal::Order(const Snapshot& seen, std::vector<KnobChange> changes, std::string because) {
  Decision decision = Ask(seen, std::move(changes), std::move(because));
  unjudged_ = decision.id;
  return decision;
}

Decision Journal::Advise(const Plan& plan, double measured, std::string because) {
  if (SameTargets(said_, plan.changes)) return {};
  said_ = plan.changes;
  Decision decision;
  decision.id = ++last_;
  decision.advice = true;
  decision.changes = plan.changes;
  decision.because = std::move(because);
  decision.before = {measured};
  decision.predicted = {plan.predicted};
  Conclude(decision.id, Fate::kAdvised, std::nullopt);
  return decision;
}

void Journal::Conclude(std::uint64_t decision, Fate fate, std::optional<double> measured) {
  outcomes_.push_back({decision, fate, measured ? std::optional(Rate{*measured}) : std::nullopt});
}

void Journal::NoteRate(const RateSummary& measured) {
  if (measured.windows < kFewWindows) return;
  if (const auto decision = std::exchange(unjudged_, std::nullopt))
    Conclude(*decision, Fate::kKept, measured.mean);
}

std::vector<Outcome> Journal::TakeOutcomes() {
  return std::exchange(outcomes_, {});
}

void Journal::Accept(const Snapshot& seen) {
  expected_.Accept(seen);
  said_.clear();
}

}  // namespace sluice::autotune
