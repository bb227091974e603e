// `sluice doctor`: what a wrap would find and do here, what stands in its way, and what the host itself is
// slow by. Changes nothing.
#pragma once
#include <string>
#include <vector>

namespace sluice::app {

struct DoctorOptions {
  std::vector<std::string> command{};  // empty: python3
  std::vector<std::string> data{};     // folders of data sets; empty: the current one
  bool json = false;
};

// Returns kExitDone where a wrap would work.
[[nodiscard]] int ExamineWrap(DoctorOptions options);

}  // namespace sluice::app
