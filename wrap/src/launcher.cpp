#include "sluice/wrap/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "core_flag.h"
#include "sluice/base/clock.h"
#include "sluice/base/fd.h"
#include "sluice/probes/proc_files.h"
#include "standard_files.h"
#include "stopped_waker.h"

namespace sluice::wrap {
namespace {

constexpr int kDeepestTree = 128;
constexpr int kNotFound = 127;
constexpr int kKilled = 128;  // + the signal's number

// Everything that can be waited for. What a fault of our own raises, and a write of our own, stays as it is.
sigset_t ToWatch() {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE})
    sigdelset(&set, fault);
  return set;
}

// What the caller had, to be given back to the command.
struct Inherited {
  sigset_t mask;
  struct sigaction child_ended;
  int parent_death = 0;  // the signal that this process gets when its parent dies
};

// An ignored SIGCHLD would reap the command before its status is read.
Inherited TakeSignals(const sigset_t& watched) {
  Inherited before{};
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  pthread_sigmask(SIG_BLOCK, &watched, &before.mask);
  sigaction(SIGCHLD, &standard, &before.child_ended);
  prctl(PR_GET_PDEATHSIG, &before.parent_death);
  return before;
}

void GiveBack(const Inherited& before) {
  sigaction(SIGCHLD, &before.child_ended, nullptr);
  pthread_sigmask(SIG_SETMASK, &before.mask, nullptr);
}

[[noreturn]] void BecomeInChild(const Command& command, const Inherited& before, pid_t parent, int report) {
  // Whoever wants this process killed with its parent wants the command killed too.
  if (before.parent_death == SIGKILL) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) raise(SIGKILL);
  }
  GiveBack(before);
  const int error = Become(command);
  (void)!write(report, &error, sizeof(error));
  _exit(kNotFound);
}

// 0: the command runs.
int ReadStartError(int report) {
  int error = 0;
  ssize_t n = 0;
  do {
    n = read(report, &error, sizeof(error));
  } while (n < 0 && errno == EINTR);
  return n == sizeof(error) ? error : 0;
}

// What the signal does by default, to this process.
void Suffer(int signal) {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  kill(getpid(), signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
}

// In this very process: without a second one there is nobody to watch.
StartFailure BecomeAtOnce(const Command& command, const Inherited& before, const char* why) {
  std::fprintf(stderr, "sluice: %s: %s; the command runs unwatched\n", why, std::strerror(errno));
  GiveBack(before);
  return ExplainStart(command.arguments[0], Become(command));
}

}  // namespace

Launcher::Launcher(pid_t pid, const sigset_t& watched) : pid_(pid), started_(MonoNow()), watched_(watched) {}

std::expected<Launcher, StartFailure> Launcher::Start(const Command& command) {
  OccupyStandardFiles();
  const sigset_t watched = ToWatch();
  const Inherited before = TakeSignals(watched);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(BecomeAtOnce(command, before, "no pipe"));
  Fd result(ends[0]);
  Fd report(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return std::unexpected(BecomeAtOnce(command, before, "no further process"));
  if (pid == 0) BecomeInChild(command, before, parent, report.get());
  report = Fd();
  Launcher launched(pid, watched);
  const int error = ReadStartError(result.get());
  if (error != 0) {
    launched.Reap(MonoNow());
    return std::unexpected(ExplainStart(command.arguments[0], error));
  }
  NullFiles(STDIN_FILENO, STDOUT_FILENO);
  CloseOthers(result.get());
  return launched;
}

CommandEnd Launcher::Wait(const std::function<void()>& last_look) {
  while (!HasEnded()) {
    siginfo_t got{};
    if (sigwaitinfo(&watched_, &got) < 0 || got.si_signo == SIGCHLD) continue;
    if (got.si_signo == SIGCONT) {
      Continue(got);
    } else {
      HandOn(got);
    }
  }
  const MonoTime at = MonoNow();
  last_look();
  return Reap(at);
}

// Stops with it where it has stopped. An end is not waited for here, only seen: what has been waited for is
// gone from /proc.
bool Launcher::HasEnded() {
  const auto id = static_cast<id_t>(pid_);
  for (;;) {
    siginfo_t seen{};
    if (waitid(P_PID, id, &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid == pid_) return true;
    seen = {};
    if (waitid(P_PID, id, &seen, WSTOPPED | WNOHANG) != 0 || seen.si_pid != pid_) return false;
    StopWithIt(seen.si_status);
  }
}

CommandEnd Launcher::Reap(MonoTime at) const {
  CommandEnd end{.at = at};
  while (wait4(pid_, &end.status, 0, &end.usage) < 0 && errno == EINTR) {
  }
  return end;
}

// Sent by the terminal, the command has it already. A session's leader is told alone that its terminal is
// gone, and nobody else sees the alarm that was set before this program was started.
bool Launcher::IsForUsAlone(const siginfo_t& got) const {
  if (got.si_code <= 0) return !IsDescendant(got.si_pid);
  if (got.si_signo == SIGALRM) return true;
  const bool hangup = got.si_signo == SIGHUP || got.si_signo == SIGCONT;
  return hangup && getsid(0) == getpid();
}

void Launcher::HandOn(const siginfo_t& got) {
  if (!IsForUsAlone(got)) return;
  if (got.si_code == SI_QUEUE) {
    sigqueue(pid_, got.si_signo, got.si_value);
  } else {
    kill(pid_, got.si_signo);
  }
}

// A shell's `fg` continues the whole group: the command runs already. `kill -CONT` continues this process
// alone.
void Launcher::Continue(const siginfo_t& got) {
  const bool stopped_with_it = std::exchange(was_stopped_, false);
  if (got.si_pid == waker_ && waker_ != 0) return;
  if (!stopped_with_it) return HandOn(got);
  const auto stat = probes::ReadProcStat(pid_);
  if (stat && stat->state == 'T') kill(pid_, SIGCONT);
}

void Launcher::StopWithIt(int signal) {
  waker_ = StartStoppedWaker(pid_);
  Suffer(signal);  // stops here until somebody continues us
  EndStoppedWaker(waker_);
  was_stopped_ = true;
}

bool Launcher::IsDescendant(pid_t pid) const {
  for (int depth = 0; depth < kDeepestTree && pid > 1; ++depth) {
    if (pid == pid_) return true;
    const auto stat = probes::ReadProcStat(pid);
    if (!stat) return false;
    pid = stat->parent;
  }
  return false;
}

void EndLike(int status) {
  std::fflush(nullptr);
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (!WCOREDUMP(status) || !AllowEmptyCore()) AllowNoCore();
  Suffer(signal);
  _exit(kKilled + signal);  // the first process of a container survives its own signals
}

}  // namespace sluice::wrap
