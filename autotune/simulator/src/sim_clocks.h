// How long workers were in which state, and how long on a core: integrals over virtual time that grow only
// where something changes. One thread.
#pragma once
#include <vector>

#include "sim_machine.h"

namespace sluice::simulator {

enum class IdleReason { kStarved, kBackedUp };

// Of the workers of one op, or of the consumer.
class WorkerClock {
 public:
  struct Totals {
    double busy = 0;
    double starved = 0;
    double backed_up = 0;
  };
  // Workers busy and idle from now on.
  void Set(double now, int busy, int idle, IdleReason reason) {
    totals_ = At(now);
    at_ = now;
    busy_ = busy;
    idle_ = idle;
    reason_ = reason;
  }
  [[nodiscard]] Totals At(double now) const {
    const double passed = now - at_;
    Totals totals = totals_;
    totals.busy += busy_ * passed;
    (reason_ == IdleReason::kStarved ? totals.starved : totals.backed_up) += idle_ * passed;
    return totals;
  }

 private:
  Totals totals_;
  double at_ = 0;
  int busy_ = 0;
  int idle_ = 0;
  IdleReason reason_ = IdleReason::kStarved;
};

// Of the jobs of one op that want a core: being served, and waiting for one.
class CpuClock {
 public:
  explicit CpuClock(int nodes) : nodes_(static_cast<std::size_t>(nodes)) {}
  // One job more or less on the node from now on.
  void Change(const SimMachine& machine, int node, int by) {
    PerNode& n = nodes_[static_cast<std::size_t>(node)];
    const double service = machine.node(node).ServiceAt(machine.now());
    n.on_cpu += n.jobs * (service - n.service);
    n.inside += n.jobs * (machine.now() - n.at);
    n = {n.jobs + by, service, machine.now(), n.on_cpu, n.inside};
  }
  void Clear(const SimMachine& machine) {
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      Change(machine, n, -nodes_[static_cast<std::size_t>(n)].jobs);
    }
  }
  struct Totals {
    double on_cpu = 0;
    double runnable = 0;
  };
  [[nodiscard]] Totals Now(const SimMachine& machine) const {
    Totals totals;
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
      const PerNode& n = nodes_[static_cast<std::size_t>(i)];
      const double on_cpu = n.on_cpu + n.jobs * (machine.node(i).ServiceAt(machine.now()) - n.service);
      totals.on_cpu += on_cpu;
      totals.runnable += n.inside + n.jobs * (machine.now() - n.at) - on_cpu;
    }
    return totals;
  }

 private:
  struct PerNode {
    int jobs = 0;
    double service = 0;
    double at = 0;
    double on_cpu = 0;
    double inside = 0;
  };
  std::vector<PerNode> nodes_;
};

}  // namespace sluice::simulator
