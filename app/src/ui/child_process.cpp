#include "ui/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "sluice/base/clock.h"

namespace sluice::app {
namespace {

constexpr std::size_t kMostSaid = 4096;
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kLook{10};
constexpr int kNoSuchProgram = 127;

// In the child; only what may be called between fork and exec.
[[noreturn]] void Become(char* const* arguments, int nothing, int errors, pid_t parent) {
  std::signal(SIGINT, SIG_DFL);  // a shell's job in the background hands down that it is ignored
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != parent) _exit(kNoSuchProgram);  // it has ended already
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(arguments[0], arguments);
  const char* const why = std::strerror(errno);
  (void)!write(STDERR_FILENO, why, std::strlen(why));
  _exit(kNoSuchProgram);
}

}  // namespace

Result<ChildProcess> ChildProcess::Start(const std::string& program,
                                         const std::vector<std::string>& arguments) {
  std::array<int, 2> errors{-1, -1};
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || pipe2(errors.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    if (nothing >= 0) close(nothing);
    return Fail(program + " cannot be started: " + std::strerror(error));
  }
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(words.data(), nothing, errors[1], parent);
  const int error = errno;
  close(nothing);
  close(errors[1]);
  if (pid < 0) {
    close(errors[0]);
    return Fail(program + " cannot be started: " + std::strerror(error));
  }
  fcntl(errors[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(pid, errors[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      ended_(other.ended_),
      said_(std::move(other.said_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  Interrupt();
  for (const MonoTime begin = MonoNow(); !Poll() && MonoNow() - begin < kPatience;)
    std::this_thread::sleep_for(kLook);
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(errors_);
}

std::optional<int> ChildProcess::Poll() {
  Listen();
  if (ended_) return ended_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  Listen();
  return ended_;
}

void ChildProcess::Listen() {
  std::array<char, 1024> buffer{};
  for (ssize_t got = 0; (got = read(errors_, buffer.data(), buffer.size())) > 0;) {
    said_.append(buffer.data(), static_cast<std::size_t>(got));
    if (said_.size() > kMostSaid) said_.erase(0, said_.size() - kMostSaid);
  }
}

void ChildProcess::Interrupt() {
  if (!ended_) kill(pid_, SIGINT);
}

}  // namespace sluice::app
