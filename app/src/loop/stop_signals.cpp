#include "loop/stop_signals.h"

#include <pthread.h>
#include <termios.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "loop/key_terminal.h"
#include "result/exit_codes.h"

namespace sluice::app {
namespace {

constexpr timespec kTick{.tv_sec = 0, .tv_nsec = 50'000'000};

bool IsIgnored(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t ToWatch() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaddset(&set, signal);
  }
  return set;
}

// Async-signal-safe.
[[noreturn]] void EndNow(int signal) {
  static constexpr char kShowCursor[] = "\x1b[?25h\r\n";
  KeyTerminal::GiveBack();
  termios settings{};
  if (tcgetattr(STDOUT_FILENO, &settings) == 0) {
    (void)!write(STDOUT_FILENO, kShowCursor, sizeof(kShowCursor) - 1);
  }
  _exit(kExitSignal + signal);
}

// In the calling thread; the others keep them blocked.
void EndNowOn(const sigset_t& set) {
  struct sigaction end = {};
  end.sa_handler = EndNow;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (sigismember(&set, signal) == 1) sigaction(signal, &end, nullptr);
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

StopSignals::StopSignals() : watched_(ToWatch()) {
  pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // as a full disk: told as an error
  watcher_ = std::thread([this] { Watch(); });
}

StopSignals::~StopSignals() {
  leaving_.store(true);
  watcher_.join();
}

void StopSignals::OnStop(std::function<void()> on_stop) {
  MutexLock lock(mutex_);
  on_stop_ = std::move(on_stop);
}

void StopSignals::Forget() {
  OnStop([] {});
}

void StopSignals::Watch() {
  pthread_setname_np(pthread_self(), "sluice-signals");
  while (!leaving_.load()) {
    const int got = sigtimedwait(&watched_, nullptr, &kTick);
    if (got <= 0) continue;
    received_.store(got);
    EndNowOn(watched_);
    TellOnce();
    break;
  }
  while (!leaving_.load()) nanosleep(&kTick, nullptr);
}

void StopSignals::TellOnce() {
  MutexLock lock(mutex_);
  if (!on_stop_) EndNow(received());
  on_stop_();
}

}  // namespace sluice::app
