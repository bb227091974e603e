// WorkerPlaces: the worker processes of a loader on NUMA nodes, from outside: threads are bound, memory that
// they hold already is moved, and what they touch later lies where they run. The trainer itself is left
// alone.
//
// One thread (the agent's).
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "sluice/base/knob.h"
#include "sluice/base/placement.h"
#include "sluice/base/snapshot.h"
#include "sluice/base/topology.h"

namespace sluice::app {

class WorkerPlaces {
 public:
  // Fewer than two nodes: there is nothing to choose.
  explicit WorkerPlaces(std::vector<NumaNode> nodes = {});

  // Of the op whose workers are processes, where there is one.
  [[nodiscard]] std::optional<Knob> KnobOf(const Snapshot& seen) const;
  // From the next Keep() on.
  void Request(std::int64_t value) { wanted_ = value; }
  // False: there is no such knob.
  bool SetHolder(Holder holder);
  [[nodiscard]] bool any() const { return !nodes_.empty(); }
  // Binds those of `workers` that are not yet where they should be. What the kernel refuses is warned of,
  // once, and nothing is bound any more.
  void Keep(const std::vector<int>& workers);

 private:
  void Bind(int worker);
  void GiveUp(const std::string& why);
  [[nodiscard]] CpuSet CpusOf(const Placement& placement) const;

  std::vector<NumaNode> nodes_;
  CpuSet anywhere_;
  std::int64_t wanted_ = 0, value_ = 0;
  std::uint64_t generation_ = 0;
  Holder holder_ = Holder::kAuto;
  std::set<int> bound_;  // to value_
  bool refused_ = false;
};

}  // namespace sluice::app
