// Launcher: runs a command beside this process so that whoever looks at this process sees the command: exit
// status, signals, terminal, job control.
//
// The command is a child in the same process group. What the kernel tells the whole group (Ctrl-C, a window's
// new size) reaches it by itself; what somebody sends to this process is handed on. When it stops, this
// process stops; when it ends, Wait() returns at once, whatever of its descendants still runs.
//
// One thread, the first one: Start() blocks all signals in it for good, and threads that are made later
// inherit that. Start() before any other thread.
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <expected>
#include <functional>

#include "sluice/base/units.h"
#include "sluice/wrap/command.h"

namespace sluice::wrap {

struct CommandEnd {
  int status = 0;  // as waitpid() gives it
  MonoTime at{0};
  rusage usage{};  // of the command and of those descendants that were waited for
};

class Launcher {
 public:
  // Afterwards this process holds none of the command's files but standard error: a pipe that the command
  // closes is closed.
  [[nodiscard]] static std::expected<Launcher, StartFailure> Start(const Command& command);

  // `last_look`: called when the command has ended and still has its pid, so that /proc tells its last
  // figures.
  [[nodiscard]] CommandEnd Wait(const std::function<void()>& last_look);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] MonoTime started() const { return started_; }

 private:
  Launcher(pid_t pid, const sigset_t& watched);
  [[nodiscard]] bool HasEnded();
  CommandEnd Reap(MonoTime at) const;
  void HandOn(const siginfo_t& got);
  void Continue(const siginfo_t& got);
  void StopWithIt(int signal);
  [[nodiscard]] bool IsDescendant(pid_t pid) const;
  [[nodiscard]] bool IsForUsAlone(const siginfo_t& got) const;

  pid_t pid_;
  MonoTime started_;
  sigset_t watched_;
  bool was_stopped_ = false;
  pid_t waker_ = 0;
};

// Ends this process as the command has ended: the same exit code, or killed by the same signal, without a
// core dump of its own.
[[noreturn]] void EndLike(int status);

}  // namespace sluice::wrap
