// `sluice sim`: one controller before one simulated scenario.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace sluice::app {

struct SimOptions {
  std::string scenario;               // a file or the name of a shipped one
  std::string controller = "sluice";  // a name of controllers.h
  std::optional<std::uint64_t> seed;  // default: the scenario's
  std::string duration;               // with unit, as typed; empty: the scenario's
  std::string start = "file";         // a name of starts.h
  bool trace = false;                 // decision by decision
  std::string json;                   // file; empty: none
  std::string record;                 // the same, a session of it
  std::string columns;                // the same, of what the controller believed
};

// Returns the exit status.
[[nodiscard]] int SimulateRun(const SimOptions& options);

}  // namespace sluice::app
