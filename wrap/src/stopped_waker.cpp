#include "stopped_waker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

namespace sluice::wrap {
namespace {

constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 20'000'000};

// Async-signal-safe: runs in a fork of a process with threads.
bool IsStopped(const char* stat_path) {
  char text[512];
  const int fd = open(stat_path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (n <= 0) return false;
  text[n] = '\0';
  return SaysStopped(text);
}

[[noreturn]] void Watch(const char* stat_path, pid_t sleeper) {
  setsid();
  while (getppid() == sleeper && IsStopped(stat_path)) nanosleep(&kLook, nullptr);
  while (getppid() == sleeper) {
    kill(sleeper, SIGCONT);
    nanosleep(&kLook, nullptr);
  }
  _exit(0);
}

}  // namespace

bool SaysStopped(const char* stat) {
  const char* name_end = std::strrchr(stat, ')');
  return name_end != nullptr && name_end[1] == ' ' && (name_end[2] == 'T' || name_end[2] == 't');
}

pid_t StartStoppedWaker(pid_t stopped) {
  const std::string stat_path = fmt::format("/proc/{}/stat", stopped);
  const pid_t sleeper = getpid();
  const pid_t helper = fork();
  if (helper == 0) Watch(stat_path.c_str(), sleeper);
  return helper;
}

void EndStoppedWaker(pid_t helper) {
  if (helper <= 0) return;
  kill(helper, SIGKILL);
  while (waitpid(helper, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace sluice::wrap
