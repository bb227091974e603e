// WrapWatch: what runs beside a wrapped command: the agent for its loaders, the measuring from outside, and
// the report at the end. Nothing of it can harm the command: what fails is a warning.
//
// One thread makes, waits and ends; the rest happens on threads of its own.
#pragma once
#include <sys/types.h>

#include <memory>
#include <optional>

#include "sluice/wrap/detached.h"
#include "sluice/wrap/launcher.h"
#include "wrap_agent.h"
#include "wrap_command.h"
#include "wrap_plan.h"

namespace sluice {

class WrapWatch {
 public:
  // `pid`: the command. REQUIRES: both outlive it; all signals are blocked, or this process is detached.
  WrapWatch(const WrapOptions& options, const WrapPlan& plan, pid_t pid);
  ~WrapWatch();
  WrapWatch(const WrapWatch&) = delete;
  WrapWatch& operator=(const WrapWatch&) = delete;

  void WaitFor(const ProcessWatch& command);

  // Tells what is to be told; takes half a second at most. `end`: nullopt where the command is not our child.
  void End(const std::optional<CommandEnd>& end);

 private:
  void StartAgent();
  // Empty where the agent is late.
  [[nodiscard]] std::optional<std::string> StopAgent();

  const WrapOptions& options_;
  const WrapPlan& plan_;
  const MonoTime started_;
  std::shared_ptr<WrapAgent> agent_;
};

}  // namespace sluice
