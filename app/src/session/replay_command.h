// `sluice replay`: a recorded run as it went.
#pragma once
#include <string>

namespace sluice::app {

struct ReplayOptions {
  std::string session;  // file
  std::string loader;   // of several pipelines: the one with this in its name
  std::string at;       // with unit, as typed; empty: from the start
  double speed = 1;     // times faster than it went
  bool plain = false;   // lines instead of the table
};

// Returns the exit status.
[[nodiscard]] int ReplayRun(const ReplayOptions& options);

}  // namespace sluice::app
