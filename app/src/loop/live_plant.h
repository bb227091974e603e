// LivePlant: a running pipeline as a Plant: senses through its telemetry segment, acts through its knobs.
// Inside the same process or on another one's segment; the pipeline itself is never touched.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "loop/core_budget.h"
#include "loop/knob_bounds.h"
#include "sluice/base/plant.h"
#include "sluice/probes/sampler.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

// One thread (the agent's).
class LivePlant : public Plant {
 public:
  LivePlant(probes::Sampler sampler, probes::KnobRequester requester)
      : sampler_(std::move(sampler)), requester_(std::move(requester)) {}
  [[nodiscard]] Snapshot Sense() override;
  void Act(const Decision& decision) override;
  // From the next look on.
  bool SetHolder(KnobId knob, Holder holder) { return requester_.SetHolder(knob, holder); }
  // The same.
  [[nodiscard]] KnobBounds& bounds() { return bounds_; }
  [[nodiscard]] const KnobBounds& bounds() const { return bounds_; }
  // Where its ops can be placed, and near what; from the next look on.
  void SetMachine(std::shared_ptr<const Topology> topology, std::optional<std::size_t> device) {
    topology_ = std::move(topology);
    device_ = device;
  }
  // Narrows the budget of what it senses; nullptr: nobody does. Outlives the plant's last look.
  void SetBudget(const CoreBudget* budget) { budget_ = budget; }
  bool SetPace(double cores) { return requester_.SetPace(cores); }
  // As the run has them, whatever users leave of their ranges.
  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  // Into the segment's ring, for those who watch from elsewhere.
  void LogDecision(MonoTime at, std::string_view json) { requester_.LogDecision(at, json); }
  [[nodiscard]] const probes::Sampler& sampler() const { return sampler_; }

 private:
  probes::Sampler sampler_;
  probes::KnobRequester requester_;
  KnobBounds bounds_;
  std::vector<Knob> knobs_;
  std::shared_ptr<const Topology> topology_;
  std::optional<std::size_t> device_;
  const CoreBudget* budget_ = nullptr;
};

}  // namespace sluice::app
