// QueueLog: how long a trainer's main thread was ready to run and had no core, by time.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/time_log.h"

namespace sluice::app {

// One thread.
class QueueLog {
 public:
  // What the kernel says of the process now; nothing where it does not say. `root` is prefixed to /proc.
  void Look(MonoTime at, int pid, const std::string& root = "");
  // Share of the time from `from` to `to`; nullopt: not known for at least most of it.
  [[nodiscard]] std::optional<Fraction> Queued(MonoTime from, MonoTime to) const;

 private:
  TimeLog runnable_;
};

}  // namespace sluice::app
