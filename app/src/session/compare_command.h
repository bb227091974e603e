// `sluice compare`: two recorded runs side by side.
#pragma once
#include <optional>
#include <string>

namespace sluice::app {

struct CompareOptions {
  std::string a, b;                  // session files
  std::optional<double> fail_below;  // of B's rate over A's
};

// Returns the exit status.
[[nodiscard]] int CompareRuns(const CompareOptions& options);

}  // namespace sluice::app
