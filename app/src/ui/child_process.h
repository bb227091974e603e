// ChildProcess: a program that was started and ends with this one. What it says on standard error is kept,
// its end at least. One thread, always the same: the child is told when that ends.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::app {

class ChildProcess {
 public:
  // In this working directory; its standard input and output are /dev/null. An error names the program.
  [[nodiscard]] static Result<ChildProcess> Start(const std::string& program,
                                                  const std::vector<std::string>& arguments);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Interrupts it, waits for two seconds, and kills it then.
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Its exit status, or 128 and the signal that has ended it; nullopt: it goes on. Takes in what it says.
  [[nodiscard]] std::optional<int> Poll();
  // What it has said last, up to 4 KiB.
  [[nodiscard]] const std::string& said() const { return said_; }
  // As Ctrl+C does.
  void Interrupt();

 private:
  ChildProcess(pid_t pid, int errors) : pid_(pid), errors_(errors) {}
  void Listen();

  pid_t pid_;
  int errors_;  // a pipe's end
  std::optional<int> ended_;
  std::string said_;
};

}  // namespace sluice::app
