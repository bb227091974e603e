// The table of `sluice ls`: the measured processes of this user. Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/units.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

enum class FoundState : std::uint8_t {
  kRunning = 0,
  kFinished = 1,    // the process lives, its pipeline has ended
  kStalled = 2,     // the process lives, its segment has not been touched for a while
  kDead = 3,        // the process is gone, its segment is still there
  kUnreadable = 4,  // `problem` says why
};

struct FoundRun {
  int pid = 0;
  std::string program;
  std::string run_id;
  FoundState state = FoundState::kRunning;
  std::optional<Nanos> age;      // since it started
  std::optional<int> ops;        // of its pipeline
  std::optional<Rate> consumer;  // items per second
  std::string problem;
};

// Lines without line breaks, the header first; a sentence that says what to do where there are no runs.
[[nodiscard]] std::vector<std::string> FoundList(const std::vector<FoundRun>& runs, const TextStyle& style);

}  // namespace sluice::exporters
