// OpPlaces: where each op's threads run and its items lie: on its NUMA nodes (a knob), on CPUs of its own
// (the description's). What cannot be had is said in the run's events, and the op runs where it did before,
// at last anywhere. Used by the pipeline's control thread; Start before it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory_plan.h"
#include "sluice/base/clock.h"
#include "sluice/base/cpu_set.h"
#include "sluice/base/error.h"
#include "sluice/base/placement.h"
#include "sluice/base/topology.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/runtime/buffer_pool.h"
#include "sluice/runtime/description.h"
#include "stage.h"

namespace sluice::runtime {

// Whether there is a choice of nodes.
[[nodiscard]] bool CanBePlaced(const std::vector<NumaNode>& nodes);

// Memory follows the CPUs that an op is to run on.
void LiveByItsCpus(OpSpec& op, const std::vector<NumaNode>& nodes);

class OpPlaces {
 public:
  // All outlive it; `stages` are there before Start, one for each op.
  OpPlaces(const PipelineDescription& description, const std::vector<NumaNode>& nodes,
           probes::SegmentWriter& segment, BufferPool& pool, MemoryPlan& memory,
           const std::vector<std::unique_ptr<Stage>>& stages);

  // As the description says.
  void Start();
  // Moves an op to the placement that is the value of its knob. Returns the value that is in force then.
  [[nodiscard]] std::int64_t Apply(std::size_t op, std::int64_t value);
  // Once a second: binds threads that others have moved, lets ops go whose CPUs have gone, and counts pages
  // at home.
  void Keep(MonoTime now);

 private:
  [[nodiscard]] Result<void> Place(std::size_t op, const Placement& placement);
  [[nodiscard]] bool UseOwnCpus(std::size_t op);
  void TellNeighbours();
  void LetGo(std::size_t op, MonoTime now, const std::string& why);
  void LookAtPages(MonoTime now);
  [[nodiscard]] probes::segment::KnobCell& CellOf(std::size_t op);

  const PipelineDescription& description_;
  const std::vector<NumaNode>& nodes_;
  probes::SegmentWriter& segment_;
  BufferPool& pool_;
  MemoryPlan& memory_;
  const std::vector<std::unique_ptr<Stage>>& stages_;
  std::vector<Placement> places_;  // by op, in force
  std::vector<CpuSet> own_cpus_;   // by op, within its place; empty: all of it
  MonoTime checked_{0};
};

}  // namespace sluice::runtime
