// What a wrapped command used, as text and as JSON. Immutable functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "findings/loader_stories.h"
#include "sluice/base/units.h"
#include "sluice/wrap/gpu_probe.h"
#include "sluice/wrap/launcher.h"
#include "sluice/wrap/process_tree.h"

namespace sluice::app {

struct WrapOutcome {
  std::vector<std::string> command;
  std::string run_id;
  Nanos wall{0};
  double cores = 1;                     // that this machine grants
  std::optional<wrap::CommandEnd> end;  // nullopt: it was not our child, so nobody told us
  std::optional<wrap::TreeUse> tree;    // nullopt: could not be watched
  std::vector<wrap::GpuUse> gpus;
  std::string kept_out;  // why nothing can have been measured from inside; empty: no reason is known
  // What the agent has seen; nullopt: it was late.
  std::optional<std::vector<LoaderStory>> loaders;
};

// A dozen lines. What could not be measured is named as such.
[[nodiscard]] std::string WrapReportText(const WrapOutcome& outcome);
[[nodiscard]] std::string WrapReportJson(const WrapOutcome& outcome);

}  // namespace sluice::app
