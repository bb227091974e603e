// WrapWatch: what runs beside a wrapped command: the agent for its loaders, the measuring from outside, and
// the report at the end. Nothing of it can harm the command: what fails is a warning.
//
// One thread makes, waits and ends; the rest happens on threads of its own.
#pragma once
#include <sys/types.h>

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "findings/wrap_findings.h"
#include "loaders/host_agent.h"
#include "sluice/wrap/detached.h"
#include "sluice/wrap/launcher.h"
#include "sluice/wrap/leftovers.h"
#include "sluice/wrap/tree_watch.h"
#include "wrap/wrap_command.h"
#include "wrap/wrap_plan.h"

namespace sluice::app {

class WrapWatch {
 public:
  // `pid`: the command. REQUIRES: options and plan outlive it.
  WrapWatch(const WrapOptions& options, const WrapPlan& plan, pid_t pid);
  WrapWatch(const WrapWatch&) = delete;
  WrapWatch& operator=(const WrapWatch&) = delete;

  // The command has ended, and /proc still has it where it is our child: measures it for the last time, for
  // half a second at most.
  void LastLook();
  // After LastLook(): tells what is to be told; takes half a second at most, and then as long as whoever
  // scrapes metrics takes to get the last. `end`: nullopt where the command is not our child.
  void End(const std::optional<wrap::CommandEnd>& end);

 private:
  struct TreeEnd {
    wrap::TreeUse use;
    std::vector<GpuUse> gpus;
  };
  [[nodiscard]] static TreeEnd StopTree(wrap::TreeWatch& tree);
  [[nodiscard]] WrapOutcome Outcome(const std::optional<wrap::CommandEnd>& end);

  const WrapOptions& options_;
  const WrapPlan& plan_;
  const MonoTime started_;
  std::shared_ptr<HostAgent> agent_;                           // nullptr: there is none
  std::shared_ptr<wrap::TreeWatch> tree_;                      // the same
  std::future<std::vector<exporters::LoaderReport>> loaders_;  // not valid: there is no agent
  std::optional<TreeEnd> last_;
  MonoTime ended_{0};
  std::exception_ptr failed_;                  // why there was no last look
  std::shared_future<wrap::Leftovers> swept_;  // what earlier runs left; not valid: nobody looks
};

}  // namespace sluice::app
