// MachineLimits: what bounds the budget of a process, bound by bound with where it is written; what CPU
// quotas do to it, and what it loses to others. A value; snapshots share one until it is read again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/units.h"

namespace sluice {

// `origin` is for a person to check: "cgroup /pods/a: cpu.max 200000 100000".
struct CoreBound {
  double cores = 1;
  std::string origin;
};
struct MemoryBound {
  Bytes limit{0};
  std::optional<Bytes> left;  // below it now; nullopt: not known
  std::string origin;
};

// What a launcher says, and the kernel does not enforce.
struct CoreHint {
  std::optional<double> cores;  // nullopt: it does not say how many this process has
  std::string origin;           // "SLURM_CPUS_PER_TASK=4"
};

// Totals since the group was made.
struct QuotaUse {
  std::uint64_t periods = 0;            // in which the group ran
  std::uint64_t throttled_periods = 0;  // of these: it had used up its quota and was held back
  Nanos throttled{0};                   // for how long, summed over CPUs
};
struct CpuQuota {
  std::string group;  // "cgroup /pods/a"
  CoreBound bound;
  std::optional<QuotaUse> use;              // nullopt: it does not tell
  std::optional<Fraction> throttled_share;  // of the periods of the last seconds; nullopt: not known yet
};

// Time that tasks waited for a resource: at least one (`some`), all at once (`full`). Totals.
struct PressureTime {
  Nanos some{0};
  std::optional<Nanos> full;
};
struct PressureTimes {
  std::string origin;  // "cgroup /pods/a", "/proc/pressure"; empty: there is none
  std::optional<PressureTime> cpu, memory, io;
};

struct MachineLimits {
  int cpus = 1;                              // that it may run on, whatever the quotas
  std::vector<CoreBound> cores;              // the tightest first
  std::vector<MemoryBound> memory;           // that with the least left first
  std::optional<MemoryBound> shared_memory;  // for what worker processes hand over
  std::vector<CoreHint> hints;
  std::vector<CpuQuota> quotas;  // of the group's own level and those above it, the tightest first
  PressureTimes pressure;
  std::optional<Nanos> busy;   // what these CPUs were asked for since boot, with ...
  std::optional<Nanos> steal;  // ... what the hypervisor took of it
};

// Below the limit that leaves least; nullopt: not known.
[[nodiscard]] std::optional<Bytes> MemoryLeft(const MachineLimits& limits);

// Between two looks at one group; nullopt: the counters have begun anew.
[[nodiscard]] std::optional<QuotaUse> UseBetween(const QuotaUse& from, const QuotaUse& to);
// nullopt: no period has passed.
[[nodiscard]] std::optional<Fraction> ThrottledShare(const QuotaUse& use);

// The quota that held the process back most often, where that was so often that the run feels it; nullptr:
// none did. Points into `limits`.
[[nodiscard]] const CpuQuota* ThrottlingQuota(const MachineLimits& limits);
// "throttled by the cgroup quota: 2.0 of 16 cores".
[[nodiscard]] std::string ThrottledText(const MachineLimits& limits, const CpuQuota& quota);

}  // namespace sluice
