// StopSignals: SIGINT, SIGTERM and SIGHUP as a polite request: the first one calls what OnStop was given
// (from a thread of its own), the second ends the process at once, whatever hangs. A signal that the process
// was started to ignore stays ignored. SIGPIPE and SIGXFSZ are ignored: writing to a closed pipe, or beyond
// what a file may hold, fails instead.
//
// Construct before any other thread starts, so that all inherit the blocked signals.
#pragma once
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "sluice/base/mutex.h"

namespace sluice::app {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Before this call the first signal ends the process.
  void OnStop(std::function<void()> on_stop);
  // When it returns, `on_stop` is not running and will not be called.
  void Forget();
  [[nodiscard]] int received() const { return received_.load(); }  // 0: none

 private:
  void Watch();
  void TellOnce();

  const sigset_t watched_;
  std::atomic<int> received_{0};
  std::atomic<bool> leaving_{false};
  Mutex mutex_;
  std::function<void()> on_stop_ GUARDED_BY(mutex_);
  std::thread watcher_;
};

}  // namespace sluice::app
