// The parts of a pipeline as JSON: what the result of a run and that of a look at one have in common
// (docs/result-json.md). Immutable functions.
#pragma once
#include <optional>
#include <vector>

#include "json/json_values.h"
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/interval.h"

namespace sluice::exporters {

[[nodiscard]] Json VerdictJson(const Verdict& verdict, const Snapshot& now);
[[nodiscard]] Json WindowJson(const std::optional<ConsumerInterval>& window);
[[nodiscard]] Json BudgetJson(const Snapshot& now);
[[nodiscard]] Json ProcessJson(const Snapshot& now);
[[nodiscard]] Json ConsumerJson(const ConsumerReading& consumer);
// Why the run itself keeps a knob where it is: "order"; null: it does not.
[[nodiscard]] Json HeldJson(HeldBecause held);
[[nodiscard]] Json ChangesJson(const std::vector<NamedChange>& changes);

// Arrays. Rates and shares are of the time between the two snapshots.
[[nodiscard]] Json OpsJson(const Snapshot& from, const Snapshot& to, const Verdict& verdict);
[[nodiscard]] Json ConnectorsJson(const Snapshot& from, const Snapshot& to);
[[nodiscard]] Json SettingsJson(const Snapshot& from, const Snapshot& to);
[[nodiscard]] Json DecisionsJson(const DecisionLog& log, MonoTime run_start, const std::vector<Knob>& knobs);

}  // namespace sluice::exporters
