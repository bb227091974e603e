// The keys of the window as the user wants them: the table [keys] of ui.toml (docs/ui.md), name of an action
// = key. What is wrong in it is told and left out; the rest counts.
#pragma once
#include <string>
#include <vector>

#include "sluice/ui/keys.h"

namespace sluice::app {

struct KeysRead {
  ui::KeyMap keys{};
  std::vector<std::string> wrong{};  // each with file, line, value and remedy
};

// `path` is for messages only.
[[nodiscard]] KeysRead ParseKeys(const std::string& text, const std::string& path);
// Without the file all keys are as they come.
[[nodiscard]] KeysRead ReadKeys(const std::string& path);

}  // namespace sluice::app
