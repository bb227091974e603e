// WrapFindings: the report of a wrapped command from what the kernel, the look at its processes and the agent
// have seen. Pure functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/machine_limits.h"
#include "sluice/base/units.h"
#include "sluice/exporters/wrap_report.h"
#include "sluice/wrap/launcher.h"
#include "sluice/wrap/process_tree.h"

namespace sluice::app {

struct WrapOutcome {
  std::vector<std::string> command;
  std::string run_id;
  Nanos wall{0};
  double cores = 1;                     // that this machine grants
  std::vector<CoreBound> core_bounds;   // the tightest first
  std::optional<wrap::CommandEnd> end;  // nullopt: it was not our child, so nobody told us
  std::optional<wrap::TreeUse> tree;    // nullopt: could not be watched
  std::vector<GpuUse> gpus;
  std::string kept_out;  // why nothing can have been measured from inside; empty: no reason is known
  // What the agent has seen; nullopt: it was late.
  std::optional<std::vector<exporters::LoaderReport>> loaders;
};

[[nodiscard]] exporters::WrapReport ReportOf(const WrapOutcome& outcome);

// One figure from two lower bounds: what the kernel says of the command and the children that were waited
// for, and what was seen of all processes of the tree.
[[nodiscard]] exporters::WrapTotals TotalsOf(const WrapOutcome& outcome);

// Those that handed out at least one batch, with what the tree tells of them, without what contradicts
// itself.
[[nodiscard]] std::vector<exporters::LoaderReport> Tellable(std::vector<exporters::LoaderReport> loaders,
                                                            const wrap::CoresLog& cores);

}  // namespace sluice::app
