// TimeLog: a sum of times that only grows, as it was seen now and then, and how fast it grew meanwhile.
#pragma once
#include <optional>
#include <vector>

#include "sluice/base/units.h"

namespace sluice {

// One thread. Remembers the first hundred looks and the last nine hundred: seconds and minutes at the usual
// pace.
class TimeLog {
 public:
  // REQUIRES: `at` never falls.
  void Add(MonoTime at, Nanos sum);
  // Seconds per second, between the looks that are nearest to `from` and `to`; nullopt: these are far from
  // there.
  [[nodiscard]] std::optional<double> Growth(MonoTime from, MonoTime to) const;

 private:
  struct Entry {
    MonoTime at{0};
    Nanos sum{0};
  };
  // REQUIRES: there is one.
  [[nodiscard]] const Entry& Nearest(MonoTime at) const;

  std::vector<Entry> entries_;
};

}  // namespace sluice
