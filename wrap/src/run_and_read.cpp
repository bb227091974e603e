#include "sluice/wrap/run_and_read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sluice/base/clock.h"
#include "sluice/base/fd.h"
#include "sluice/base/text.h"
#include "standard_files.h"

namespace sluice::wrap {
namespace {

constexpr int kNotFound = 127;

[[noreturn]] void BecomeInChild(const Command& command, int out) {
  NullFiles(STDIN_FILENO, STDERR_FILENO);
  dup2(out, STDOUT_FILENO);
  for (const int fd : {STDIN_FILENO, STDERR_FILENO}) fcntl(fd, F_SETFD, 0);
  static_cast<void>(Become(command));
  _exit(kNotFound);
}

// False: time is up.
bool ReadAll(int fd, MonoTime deadline, std::string& text) {
  std::array<char, 4096> block;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - MonoNow()).count();
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready == 0) return false;
    const ssize_t n = ready < 0 ? -1 : read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

Result<std::string> RunAndRead(const Command& command, Nanos longest) {
  const std::string& name = command.arguments[0];
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(fmt::format("no pipe: {}", std::strerror(errno)));
  const Fd result(ends[0]);
  Fd out(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return Fail(fmt::format("no further process: {}", std::strerror(errno)));
  if (pid == 0) BecomeInChild(command, out.get());
  out = Fd();
  std::string text;
  const bool whole = ReadAll(result.get(), MonoNow() + longest, text);
  if (!whole) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole) return Fail(fmt::format("{} was not through after {}", name, FormatDuration(longest)));
  if (WIFSIGNALED(status)) return Fail(fmt::format("{} was killed by signal {}", name, WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return Fail(fmt::format("{} ended with {}", name, WEXITSTATUS(status)));
  return text;
}

}  // namespace sluice::wrap
