// What the program's exit status says. Documented in `sluice --help` and README.md.
#pragma once

namespace sluice::app {

inline constexpr int kExitDone = 0;    // the run ended as asked
inline constexpr int kExitFailed = 1;  // the run failed: data, memory, files
inline constexpr int kExitUsage = 2;   // the command line or the scenario is wrong; nothing was run
inline constexpr int kExitFloor = 3;   // bench --check, compare --fail-below: all ran, and a floor was missed
inline constexpr int kExitSignal = 128;  // + the signal's number: 130 after Ctrl-C, with the report

}  // namespace sluice::app
