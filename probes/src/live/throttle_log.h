// ThrottleLog: how often the CPU quotas of a process's groups held it back lately. One thread.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sluice/base/machine_limits.h"

namespace sluice::probes {

class ThrottleLog {
 public:
  // Remembers what `quotas` say at `now`, and fills in their shares of the last seconds. A group whose
  // counters have begun anew, or that was not there before, has none yet. REQUIRES `now` does not fall.
  void Look(MonoTime now, std::vector<CpuQuota>& quotas);

 private:
  struct Seen {
    MonoTime at;
    QuotaUse use;
  };
  std::map<std::string, std::deque<Seen>> seen_;  // by group, the oldest first
};

}  // namespace sluice::probes
