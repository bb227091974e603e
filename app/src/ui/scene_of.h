// What the window shows, from what the exporters measure between two snapshots. Immutable functions.
#pragma once
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::app {

// A scene with the figures of the time between `from` and `now`; where it comes from is the caller's to add.
[[nodiscard]] ui::Scene SceneOf(const Snapshot& from, const Snapshot& now, const Verdict& verdict);

// Those made by `until`.
[[nodiscard]] std::vector<ui::DecisionSeen> DecisionsOf(const exporters::DecisionLog& log, MonoTime until);

// Adds the time between the two to every curve. `start`: of the run.
void Extend(ui::Track& track, const Snapshot& from, const Snapshot& to, MonoTime start);

}  // namespace sluice::app
