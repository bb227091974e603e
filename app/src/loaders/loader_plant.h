// LoaderPlant: one loader of a wrapped run as a Plant: its segment, seen within the share of the host that
// it has been granted. Its workers are processes, and what they take of the memory counts.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "epochs/epoch_judge.h"
#include "loaders/worker_places.h"
#include "loop/live_plant.h"
#include "sluice/autotune/host_arbiter.h"
#include "topology/machine_map.h"

namespace sluice::app {

// One thread (the agent's).
class LoaderPlant : public Plant {
 public:
  LoaderPlant(probes::Sampler sampler, probes::KnobRequester requester, const MachineMap& machine = {})
      : live_(std::move(sampler), std::move(requester)), places_(machine.nodes) {
    live_.SetMachine(machine.topology, machine.device);
  }
  [[nodiscard]] Snapshot Sense() override;
  void Act(const Decision& decision) override;
  bool SetHolder(KnobId knob, Holder holder);
  // Its whole epochs, as of the last look.
  [[nodiscard]] EpochJudge& epochs() { return epochs_; }
  [[nodiscard]] const EpochJudge& epochs() const { return epochs_; }
  // As the run has them, whatever the controller may do with them.
  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  // From the next look on.
  [[nodiscard]] KnobBounds& bounds() { return live_.bounds(); }
  [[nodiscard]] const KnobBounds& bounds() const { return live_.bounds(); }
  void LogDecision(MonoTime at, std::string_view json) { live_.LogDecision(at, json); }
  // The most that it may use from now on; nullopt: what the sampler finds.
  void Grant(double cores, std::optional<Bytes> memory);
  // Of the process that it feeds, by its affinity mask and quotas, whatever was granted; as of the last look
  // at which it lived.
  [[nodiscard]] double process_cores() const { return process_cores_; }
  // Of one worker process by itself; remembered while there is none.
  void NoteWorkerMemory(Bytes memory) { worker_memory_ = memory; }
  [[nodiscard]] Bytes worker_memory() const { return worker_memory_; }
  // The processes that its workers live in, other than the one that it feeds.
  [[nodiscard]] std::vector<int> WorkerProcesses() const;
  [[nodiscard]] const probes::SegmentReader& reader() const { return live_.sampler().reader(); }

 private:
  LivePlant live_;
  double process_cores_ = std::numeric_limits<double>::infinity();
  std::optional<double> cores_;
  std::optional<Bytes> memory_;
  Bytes worker_memory_{0};
  EpochJudge epochs_;
  WorkerPlaces places_;
  std::vector<Knob> knobs_;
};

// What a pipeline used between two snapshots.
[[nodiscard]] autotune::Claim ClaimOf(const Snapshot& from, const Snapshot& to, int process);

}  // namespace sluice::app
