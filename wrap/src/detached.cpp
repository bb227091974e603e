#include "sluice/wrap/detached.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/probes/proc_files.h"
#include "standard_files.h"

namespace sluice::wrap {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kShortLook{1};
constexpr std::chrono::milliseconds kLook{50};  // without a pidfd

Fd OpenPidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
#else
  static_cast<void>(pid);
  return Fd();
#endif
}

// The process between is a child of the command's until it has been waited for; not to be taken for one of
// its own.
void AwaitBetween() {
  const MonoTime deadline = MonoNow() + kPatience;
  while (kill(getsid(0), 0) == 0 && MonoNow() < deadline) std::this_thread::sleep_for(kShortLook);
}

[[noreturn]] void Stay(pid_t command, Fd ready, const std::function<void()>& prepare,
                       const std::function<void(const ProcessWatch&)>& stay) {
  NullFiles(STDIN_FILENO, STDOUT_FILENO);
  CloseOthers(ready.get());
  AwaitBetween();
  const ProcessWatch watch(command);
  prepare();
  std::fflush(nullptr);
  NullFiles(STDERR_FILENO, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_IGN);  // nobody reads it where a signal has ended the command before it became one
  (void)!write(ready.get(), "r", 1);
  ready = Fd();
  stay(watch);
  _exit(0);
}

// The first fork is waited for; the second one is then nobody's child.
bool ForkTwice(pid_t command, Fd ready, const std::function<void()>& prepare,
               const std::function<void(const ProcessWatch&)>& stay) {
  const pid_t first = fork();
  if (first == 0) {
    setsid();
    const pid_t second = fork();
    if (second == 0) Stay(command, std::move(ready), prepare, stay);
    _exit(second < 0 ? 1 : 0);
  }
  ready = Fd();
  int status = 0;
  while (first > 0 && waitpid(first, &status, 0) < 0 && errno == EINTR) {
  }
  return first > 0 && status == 0;
}

bool IsReady(int fd) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  int n = 0;
  do {
    n = poll(&wanted, 1, static_cast<int>(longest.count()));
  } while (n < 0 && errno == EINTR);
  char said = 0;
  return n == 1 && read(fd, &said, 1) == 1;
}

}  // namespace

ProcessWatch::ProcessWatch(pid_t pid) : pid_(pid), pidfd_(OpenPidfd(pid)) {
  if (const auto stat = probes::ReadProcStat(pid)) start_ticks_ = stat->start_ticks;
}

bool ProcessWatch::EndsWithin(Nanos longest) const {
  const MonoTime deadline = MonoNow() + longest;
  for (;;) {
    const Nanos left = std::max(deadline - MonoNow(), Nanos(0));
    const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left);
    if (pidfd_.valid()) {
      pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
      if (poll(&ended, 1, static_cast<int>(left_ms.count())) == 1) return true;
    } else {
      if (!probes::ProcessAlive(pid_, start_ticks_)) return true;
      std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(kLook, left_ms));
    }
    if (left == Nanos(0)) return false;
  }
}

Result<void> StartDetached(const std::function<void()>& prepare,
                           const std::function<void(const ProcessWatch&)>& stay) {
  OccupyStandardFiles();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(fmt::format("no pipe: {}", std::strerror(errno)));
  const Fd result(ends[0]);
  std::fflush(nullptr);
  if (!ForkTwice(getpid(), Fd(ends[1]), prepare, stay)) {
    return Fail(fmt::format("no further process: {}", std::strerror(errno)));
  }
  if (!IsReady(result.get())) return Fail("the process that watches has not started");
  return {};
}

}  // namespace sluice::wrap
