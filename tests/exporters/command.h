// Runs a shell command with text on its standard input, for tests against independent readers.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace sluice::exporters {

struct CommandResult {
  int status = -1;
  std::string output;
};

inline CommandResult RunCommand(const std::string& command, const std::string& input) {
  char name[] = "/tmp/sluice-input-XXXXXX";
  const int fd = mkstemp(name);
  if (fd < 0) return {};
  FILE* file = fdopen(fd, "w");
  std::fwrite(input.data(), 1, input.size(), file);
  std::fclose(file);
  CommandResult result;
  FILE* pipe = popen((command + " 2>&1 < " + name).c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.output += static_cast<char>(c);
  result.status = WEXITSTATUS(pclose(pipe));
  unlink(name);
  return result;
}

}  // namespace sluice::exporters
