// `sluice top`: the live table of a measured process, from another terminal. It changes nothing but what its
// user types; the run goes on whatever becomes of it.
#pragma once
#include <optional>
#include <string>

#include "loop/metrics_outlet.h"
#include "loop/recording.h"

namespace sluice::app {

struct TopOptions {
  std::optional<int> pid;  // nullopt: the only one there is
  std::string loader;      // part of what is watched's name; empty: any
  std::string duration;    // with unit, as typed; empty: until the run ends or Ctrl-C
  std::string json;        // where the result goes; empty: nowhere
  MetricsOptions metrics;
  RecordOptions record;
  bool plain = false;
  bool quiet = false;
};

[[nodiscard]] int WatchRun(const TopOptions& options);

}  // namespace sluice::app
