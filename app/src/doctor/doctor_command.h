// `sluice doctor`: what a wrap would find and do here, and what stands in its way.
#pragma once
#include <string>
#include <vector>

namespace sluice::app {

// `command` empty: python3. Returns kExitDone where a wrap would work.
[[nodiscard]] int ExamineWrap(std::vector<std::string> command);

}  // namespace sluice::app
