// WrapPlan: everything that is decided about a wrapped run before it starts. Nothing in it can stop the run:
// what is broken becomes a warning, and less is measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "loaders/host_agent.h"
#include "sluice/base/error.h"
#include "sluice/wrap/command.h"
#include "sluice/wrap/environment.h"
#include "sluice/wrap/package.h"
#include "sluice/wrap/python_command.h"
#include "topology/place_command.h"
#include "wrap/wrap_command.h"

namespace sluice::app {

struct WrapPlan {
  wrap::Command command;
  std::vector<wrap::EnvironmentChange> changes;  // what `command` has beyond our own environment
  std::string run_id;
  std::string mark;  // "NAME=value", in the environment of all processes of the run
  std::optional<wrap::Package> package;
  std::optional<wrap::PythonCommand> python;  // nullopt: not a Python program by itself
  std::string segment_folder;
  std::optional<Where> place;             // of the command and all that it starts; nullopt: anywhere
  std::optional<HostAgentOptions> agent;  // nullopt: there is nothing that an agent could watch
  std::vector<std::string> warnings;
};

// Fails on what the user has mistyped.
[[nodiscard]] Result<WrapPlan> PlanWrap(const WrapOptions& options);

// For --dry-run.
[[nodiscard]] std::string PlanText(const WrapPlan& plan);

// Our own environment, as a Lookup.
[[nodiscard]] const char* OwnVariable(const char* name);

}  // namespace sluice::app
