// Which Python a command line runs, and whether it lets itself be measured from inside. Reads the first line
// of scripts, else pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace sluice::wrap {

struct PythonCommand {
  std::string interpreter;         // a file
  std::vector<std::string> flags;  // those before the script
  std::string forbids;  // the one that keeps sitecustomize or PYTHONPATH out: -S, -I or -E; else empty
};

// nullopt: not a Python program (a shell script may run one all the same). `path`: the value of PATH.
[[nodiscard]] std::optional<PythonCommand> FindPython(const std::vector<std::string>& command,
                                                      const std::string& path);

}  // namespace sluice::wrap
