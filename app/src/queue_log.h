// QueueLog: how long a trainer's main thread was ready to run and had no core, by time.
#pragma once
#include <deque>
#include <optional>
#include <string>

#include "sluice/base/units.h"

namespace sluice {

// One thread. Remembers the first seconds of the run and its last minutes.
class QueueLog {
 public:
  // What the kernel says of the process now; nothing where it does not say. `root` is prefixed to /proc.
  void Look(MonoTime at, int pid, const std::string& root = "");
  void Add(MonoTime at, Nanos runnable);
  // Share of the time from `from` to `to`; nullopt: not known for at least most of it.
  [[nodiscard]] std::optional<Fraction> Queued(MonoTime from, MonoTime to) const;

 private:
  struct Entry {
    MonoTime at{0};
    Nanos runnable{0};
  };
  std::deque<Entry> entries_;
};

}  // namespace sluice
