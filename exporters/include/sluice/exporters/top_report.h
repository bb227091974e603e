// TopReport: what was seen of somebody else's run between two looks, as a value, and its JSON document.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::exporters {

struct TopReport {
  std::string program{};  // "train.py: train_loader (Photos)", or the scenario
  std::string run_id{};
  std::optional<int> rank{};
  int pid = 0;
  std::string version{};  // of the sluice that looked
  MonoTime run_start{0};  // of the watched run
  Snapshot from{}, to{};  // the first and the last look; rates are of the time between them
  Verdict verdict{};
  DecisionLog decisions{};  // all that its own agent has logged, since the run's start
  bool over = false;        // the run has ended, or its process is gone
};

// The document described in docs/top-json.md. Grows by new keys only; anything else raises the version.
inline constexpr int kTopResultFormatVersion = 1;
[[nodiscard]] std::string TopJson(const TopReport& report);

}  // namespace sluice::exporters
