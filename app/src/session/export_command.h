// `sluice export settings`: what tuning has found, for the next run or for readers of other tools' files.
#pragma once
#include <string>

namespace sluice::app {

struct ExportOptions {
  std::string source;           // a session file, or the PID of a measured process
  std::string format = "toml";  // or "mindspore"
  std::string loader;           // of several pipelines: those with this in their names
  std::string output;           // file; empty: standard output
};

// Returns the exit status.
[[nodiscard]] int ExportSettings(const ExportOptions& options);

}  // namespace sluice::app
