#include "control/knowledge.h"

namespace sluice::autotune {

Knowledge::Knowledge(const Snapshot& seen, Journal& decisions, const AutoTuneSettings& all)
    : settings(all),
      journal(decisions),
      observer(seen, all),
      estimates(*seen.graph, all),
      watch(seen.ops.size(), all),
      failures(seen.ops.size()),
      trim(all),
      descent(InForce(seen).workers),
      second_thoughts(all),
      rest(all.rest),
      quiet_since(observer.since()) {
  journal.Accept(seen);
}

PipelineEstimate Knowledge::Estimate() const {
  PipelineEstimate estimate = estimates.Get(observer.visits());
  estimate.phases = observer.phases();
  estimate.phase = observer.phase();
  estimate.taken = taken.believed();
  return estimate;
}

std::shared_ptr<const View> Knowledge::Look(const Snapshot& seen) {
  if (!view || view->version != estimates.version() || view->caps != failures.caps()) {
    taken.Look(seen.budget.cores, Estimate());
    auto anew = std::make_shared<View>(seen, Estimate(), failures.caps(), settings);
    anew->version = estimates.version();
    view = std::move(anew);
  }
  return view;
}

Settling Knowledge::Unsettled(const Snapshot& seen) const {
  const std::size_t finest = observer.finest();
  return {static_cast<double>(seen.ops[finest].workers), finest, settings};
}

Decision Knowledge::Ask(const Snapshot& seen, std::vector<KnobChange> changes, std::string because) {
  estimates.Fade();
  return journal.Ask(seen, std::move(changes), std::move(because));
}

Decision Knowledge::Order(const Snapshot& seen, std::vector<KnobChange> changes, std::string because) {
  estimates.Fade();
  return journal.Order(seen, std::move(changes), std::move(because));
}

void Knowledge::Reopen(const Snapshot& seen) {
  quiet_since = seen.at;
  journal.Accept(seen);
  estimates.Reopen();
  failures.Forget();
  second_thoughts.Reopen();
  placing.Reopen();
  rest = settings.rest;
  before_room.reset();
  AbandonSetAside();
}

void Knowledge::AbandonSetAside() {
  for (const Trial& trial : set_aside) journal.Conclude(trial.plan().decision, Fate::kKept, std::nullopt);
  set_aside.clear();
}

bool OverBudget(const Planner& planner) {
  return planner.Held(planner.present()) > planner.MemoryLimit();
}

bool TakesTooMuch(const Planner& planner) {
  return OverBudget(planner) && !planner.Fit().changes.empty();
}

}  // namespace sluice::autotune
