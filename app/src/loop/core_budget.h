// CoreBudget: of the host's cores those that a run may use: beside the other measured runs of this user, as
// ShareNodes divides them, and below its CPU quota. Narrows the budget that the controller sees, and says how
// fast workers may go so that neither is exceeded.
//
// One thread (the agent's).
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/machine_limits.h"
#include "sluice/base/snapshot.h"
#include "sluice/base/topology.h"
#include "sluice/probes/host_leases.h"

namespace sluice::app {

// What a run may use where others run beside it.
struct SharedCores {
  double cores = 0;
  std::string others;  // who has the rest: "decode (pid 42)"; empty: nobody asks for any of it
};
// `nodes`: of the machine; empty: all CPUs are alike. Named are those that may use CPUs of `own`.
[[nodiscard]] SharedCores ShareWith(const std::vector<probes::CoreLease>& others,
                                    const probes::CoreLease& own, const std::vector<NumaNode>& nodes);

// Totals of what a run has used, and of what nobody has.
struct CoresUsed {
  MonoTime at{0};
  Nanos process{0};  // CPU time of all its processes
  Nanos workers{0};  // of that, of its workers, as a pace charges them: between items too
  Nanos queued{0};   // time that its workers were ready and had no core
  Nanos idle{0};     // of the CPUs that it may run on
  Nanos starved{0};  // time that its consumers waited for items, without starts of workers
  int consumers = 1;
};
[[nodiscard]] CoresUsed UsedBy(const Snapshot& seen);

class CoreBudget {
 public:
  // `folder`: of segments. Where others cannot be heard of, `why_alone` says so, and quotas alone count.
  CoreBudget(const std::string& folder, std::string program, std::vector<NumaNode> nodes = {});
  [[nodiscard]] const std::string& why_alone() const { return why_alone_; }

  // A snapshot that was just taken: its budget becomes what the last Note has found.
  void Narrow(Snapshot& seen) const;
  // Tells others of this run, and hears of them.
  void Note(const CoresUsed& used, const MachineLimits& limits);
  // What others leave; nullopt: there are none.
  [[nodiscard]] const std::optional<SharedCores>& shared() const { return shared_; }
  // Cores that the workers may keep busy together from now on; 0: as many as they like.
  [[nodiscard]] double pace() const { return pace_; }

 private:
  struct Rates {
    double process = 0, workers = 0, queued = 0, idle = 0;  // cores, over the last second
    double rest = 0;    // cores that the process uses beside its workers, of the last seconds
    double needed = 0;  // likewise, cores at which the consumer would lack nothing
  };
  [[nodiscard]] std::optional<Rates> Measure(const CoresUsed& used);
  void Share(const probes::CoreLease& own, const Rates& rates);
  [[nodiscard]] double Asked(const Rates& rates, double most) const;

  std::optional<probes::HostLeases> leases_;
  std::string why_alone_;
  const std::string program_;
  const std::vector<NumaNode> nodes_;
  std::deque<CoresUsed> uses_;         // the oldest first
  std::optional<SharedCores> shared_;  // nullopt: there is nobody else. Changes only by steps ...
  double exactly_ = 0;                 // ... and this is where they come from
  double pace_ = 0;
};

}  // namespace sluice::app
