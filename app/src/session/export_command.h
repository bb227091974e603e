// `sluice export settings`: what tuning has found, for the next run or for readers of other tools' files.
// `sluice export beliefs`: what the tuner of a recorded run believed, for plots.
#pragma once
#include <string>

namespace sluice::app {

struct ExportOptions {
  std::string source;           // a session file, or the PID of a measured process
  std::string format = "toml";  // or "mindspore"
  std::string loader;           // of several pipelines: those with this in their names
  std::string output;           // file; empty: standard output
};

// Return the exit status. Of the beliefs `source` is a session.
[[nodiscard]] int ExportSettings(const ExportOptions& options);
[[nodiscard]] int ExportBeliefs(const ExportOptions& options);

}  // namespace sluice::app
