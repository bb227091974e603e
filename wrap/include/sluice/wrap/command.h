// Command: what the user wants to run, and becoming it. Says what the shell says when that is impossible.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::wrap {

struct Command {
  std::vector<std::string> arguments;    // the first one is looked up in PATH. REQUIRES: not empty
  std::vector<std::string> environment;  // "NAME=value"
};

// Why a command could not be started, and the exit status that a shell gives then: 127 where there is no such
// file, 126 where there is one.
struct StartFailure {
  int exit_code = 127;
  std::string message;
};
[[nodiscard]] StartFailure ExplainStart(const std::string& name, int error);

// Replaces this process. Returns errno, only where that fails. PATH is that of the command's environment.
[[nodiscard]] int Become(const Command& command);

// The file that would be run; fails with the words of ExplainStart.
[[nodiscard]] Result<std::string> FindProgram(const std::string& name, const std::string& path);

}  // namespace sluice::wrap
