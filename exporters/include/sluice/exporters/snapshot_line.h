// SnapshotLine: all that a viewer on another machine needs of a pipeline at one moment, as a line of JSON for
// the control socket (docs/control-api.md), written and read back. Immutable functions.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/control_report.h"

namespace sluice::exporters {

struct SeenPipeline {
  std::string name{};
  std::optional<int> rank{};
  int pid = 0;
  bool over = false;
  MonoTime run_start{0};  // of the clock of the machine that it runs on, as all times here
  Snapshot now{};
  Verdict verdict{};
  std::vector<LoggedDecision> decisions{};  // the last ones, oldest first
};

inline constexpr std::size_t kAllDecisions = ~std::size_t{0};

// One object and a line break. Totals since the run's start, so that two lines give rates. `decisions`: how
// many of the last ones at most.
[[nodiscard]] std::string SnapshotLine(const ControlledPipeline& pipeline, std::size_t decisions);

// The inverse, as far as a viewer needs it; `line` is untrusted. Errors name the field.
[[nodiscard]] Result<SeenPipeline> ReadSnapshotLine(std::string_view line);

}  // namespace sluice::exporters
