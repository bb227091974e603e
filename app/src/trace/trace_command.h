// `sluice trace`: what measured processes do for a few seconds, as a file for a trace viewer.
#pragma once
#include <optional>
#include <string>

namespace sluice::app {

struct TraceOptions {
  std::optional<int> pid;  // nullopt: all that are measured
  std::string loader;      // part of what is traced's name; empty: any
  double seconds = 5;
  std::string output;
  std::string format;  // "perfetto", "json"; empty: as the file's name says
  bool quiet = false;
};

[[nodiscard]] int TraceRuns(const TraceOptions& options);

}  // namespace sluice::app
