// CpuAttribution: gives the CPU time of threads to the ops whose work it was. One thread, no I/O.
//
// A worker's thread does its own op's work and, now and then, a chained cheap op's on another slot's
// behalf. Of what the kernel counted for the thread in an interval, its own op gets the share
//
//   own / (own + helping),   own = busy - helped, all of the interval,
//
// never more than `own`; what the thread waited for a core (runnable) is divided alike and gets at most
// what is left of `own`. Work done by others on a slot's behalf (helped) counts as on-CPU in full:
// chained ops are short and do not wait.
//
// A thread that ended between two updates took its last numbers with it: its last own work is given the
// share on-CPU that its op had so far.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sluice/base/graph.h"
#include "sluice/base/units.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {

class CpuAttribution {
 public:
  explicit CpuAttribution(std::size_t ops) : ops_(ops) {}

  // `threads` as SegmentReader::Threads gives them; `sched` of the same threads, nullopt where the
  // kernel says nothing.
  void Update(std::span<const WorkerThread> threads, std::span<const std::optional<SchedStat>> sched);

  // Totals of the op. Never fall, never exceed `busy`, together neither. nullopt: it was busy, but the
  // kernel has said nothing of any thread so far.
  [[nodiscard]] std::optional<SchedStat> Report(OpId id, Nanos busy);
  // CPU time that the kernel has counted for all threads so far, whatever it went to. nullopt: it has said
  // nothing.
  [[nodiscard]] std::optional<Nanos> threads_cpu() const;

 private:
  struct Slot {
    Nanos own{0}, helped{0}, helping{0};  // seen so far
    bool seen_by_kernel = false;
  };
  struct Op {
    SchedStat own;      // given so far, for own work
    Nanos measured{0};  // own work that `own` covers
    Nanos helped{0};
    SchedStat reported;
  };

  void UpdateSlot(Slot& slot, const WorkerThread& thread, const std::optional<SchedStat>& sched);
  [[nodiscard]] SchedStat Advance(std::int32_t tid, const SchedStat& now);

  std::vector<Op> ops_;
  std::vector<Slot> slots_;                   // as threads are given
  std::map<std::int32_t, SchedStat> by_tid_;  // a thread may serve one slot after the other
  Nanos threads_cpu_{0};
  bool kernel_counts_ = false;
};

}  // namespace sluice::probes
