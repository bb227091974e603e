// PlaceTimes: how much of their CPU time the workers of ops that are bound to NUMA nodes spent on these
// nodes.
//
// At each look a thread's CPU time since the look before counts for the node of the CPU that it ran on last.
// One thread.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/cpu_set.h"
#include "sluice/base/snapshot.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {

class PlaceTimes {
 public:
  explicit PlaceTimes(std::string root) : root_(std::move(root)) {}

  // `threads` and `sched` as CpuAttribution has them, of process `pid`. Adds to those ops of `now` that are
  // placed what was seen since they were placed there.
  void Look(int pid, std::span<const WorkerThread> threads, std::span<const std::optional<SchedStat>> sched,
            Snapshot& now);

 private:
  struct Op {
    std::int64_t placement = 0;  // of its knob
    std::uint64_t generation = 0;
    CpuSet home;
    Nanos at_home{0}, elsewhere{0};
    std::map<int, Nanos> seen;  // on-CPU time by thread
  };
  [[nodiscard]] const CpuSet& CpusOf(int node);

  const std::string root_;
  std::map<int, CpuSet> nodes_;
  std::map<std::uint32_t, Op> ops_;
};

}  // namespace sluice::probes
