// `sluice bench autotune`: controllers against the optimum, over a suite of simulated scenarios.
#pragma once
#include <cstdint>
#include <string>

namespace sluice::app {

struct BenchOptions {
  std::string scenarios;        // patterns (scenario_files.h), or a range of seeds (random_scenarios.h);
                                // empty: all that are shipped
  std::string controllers;      // names separated by commas; empty: all
  std::string starts = "file";  // names separated by commas
  std::uint64_t seeds = 5;
  std::uint64_t jobs = 0;  // threads; 0: as many as cores
  std::string json;        // files; empty: none
  std::string log;         // that a run which is ended early goes on from
  std::string made_by;     // the program, for the log
  std::string markdown;
  bool check = false;  // a missed floor of ours is a failure
  bool list = false;   // only say which controllers and scenarios there are
  bool quiet = false;  // no progress
};

// Returns the exit status.
[[nodiscard]] int BenchAutoTune(const BenchOptions& options);

}  // namespace sluice::app
