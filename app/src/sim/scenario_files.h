// Finds simulated scenarios: those that are shipped, by name, and others by file, folder or pattern.
// They look into the file system; any thread.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::app {

// The folder of the shipped ones: of the installation that this program belongs to, else of the source tree
// that it was built in, else of the working directory.
[[nodiscard]] Result<std::string> ShippedScenarios();

// Files, by name within a folder. `patterns` are separated by commas, each a file, a folder (all its *.toml),
// a file pattern (with a slash or ".toml") or a pattern of shipped names ("cedar_*"). Empty: all that are
// shipped. An error names the pattern and, where one is near, the name that was meant.
[[nodiscard]] Result<std::vector<std::string>> FindScenarioFiles(const std::string& patterns);

// A file, or the one of a shipped name.
[[nodiscard]] Result<std::string> FindScenarioFile(const std::string& name);

[[nodiscard]] Result<std::vector<simulator::SimScenario>> LoadScenarioFiles(
    const std::vector<std::string>& files);

}  // namespace sluice::app
