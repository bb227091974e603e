// Planner: from estimates to the setting that should be in force next, checked for memory. It only reads;
// whether a plan is worth an experiment is decided by its caller. Immutable, but it remembers what it has
// worked out: one thread.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "all_settings.h"
#include "model/capacity_model.h"
#include "model/regimes.h"
#include "observe/rate_windows.h"
#include "propose/buffer_plan.h"
#include "setting/setting.h"

namespace sluice::autotune {

struct Plan {
  Setting target;
  std::vector<KnobChange> changes;  // from what is in force; empty: nothing to do
  double predicted = 0;             // consumer items per second
  bool feeds = false;               // a growth after which the consumer gets all that it can take
  bool short_of_memory = false;     // buffers are smaller than wanted
  // Only what becomes smaller on the way to `target`: both at once could exceed the byte budget until what is
  // too much has drained. `predicted` is that of `target`.
  bool makes_room = false;
};

// Most workers per op that past trials speak for.
using WorkerCaps = std::vector<int>;
inline constexpr int kNoCap = std::numeric_limits<int>::max();

class Planner {
 public:
  // Keeps references for its own life only.
  Planner(const Snapshot& seen, const PipelineEstimate& estimate, const WorkerCaps& caps,
          const AutoTuneSettings& settings);

  [[nodiscard]] const CapacityModel& model() const { return model_; }
  [[nodiscard]] const Setting& present() const { return present_; }

  // What the model says is missing for the optimum: workers up (or down to an op's best count where
  // contention makes more of them slower), buffers up.
  [[nodiscard]] Plan Grow() const;
  // The rate that is worth looking for. More than the model's optimum where that rests on a contention curve
  // beyond the counts of workers that were tried: no real curve is exactly the law's.
  [[nodiscard]] double Hoped() const;
  // The model sees nothing missing but the pipeline stays below what is hoped for: a step at the busiest op,
  // or larger buffers around it.
  [[nodiscard]] Plan Nudge(const RateSummary& measured) const;
  // The op that limits the run although it is busy all the time, if it has several workers.
  [[nodiscard]] std::optional<std::size_t> BusyOp() const;
  // No curve speaks against the workers of an op, but not many fewer were ever seen either.
  [[nodiscard]] bool NeverSeenWithFewer(std::size_t index) const;
  // A count between two far apart that are all that is known of the op's curve; a lock explains one as well.
  [[nodiscard]] std::optional<Scaling::Guess> Between(std::size_t op) const;
  // With so many workers of an op.
  [[nodiscard]] Plan Fewer(std::size_t op, int workers, double predicted) const;
  // Of what is in force, as much as `rate` needs (in other phases: their optimum).
  [[nodiscard]] Setting Enough(double rate) const;
  // Down to `enough`, where an op has many more; buffers behind those that go down may become larger.
  [[nodiscard]] Plan Trim(Setting enough) const;
  // The placement of an op is held from outside, or cannot change now.
  [[nodiscard]] bool MustStay(std::size_t op) const;
  // `target`, made to fit the byte budget.
  [[nodiscard]] Plan Towards(Setting target) const { return Finish(std::move(target)); }
  // What is in force, made to fit the byte budget.
  [[nodiscard]] Plan Fit() const;

  [[nodiscard]] double Held(const Setting& setting) const;
  // Of `changes` those that can be made at once: all, or only those that make something smaller.
  [[nodiscard]] std::vector<KnobChange> Safe(const std::vector<KnobChange>& changes) const;
  // Infinite where no budget is known.
  [[nodiscard]] double MemoryLimit() const { return memory_limit_; }

 private:
  struct Ordering {
    int workers = 0;
    double slots = 1;
  };

  [[nodiscard]] const Allowance& AllowanceOf(std::size_t op) const {
    return AllowedIn(estimate_.ops[op].regime);
  }
  [[nodiscard]] double GainOfMore(std::size_t op) const;
  [[nodiscard]] int NextCount(std::size_t op) const;
  [[nodiscard]] Plan LargerBuffers(std::size_t around) const;
  [[nodiscard]] Setting AtOnce(const Setting& target) const;
  [[nodiscard]] Plan Finish(Setting target) const;
  [[nodiscard]] bool FitsOnTheWay(const Setting& target) const;
  // OrderingSlots of an op that has so many workers.
  [[nodiscard]] double InOrder(std::size_t op, int workers) const;
  [[nodiscard]] double LongestGap(std::size_t last, const std::vector<int>& workers) const;
  [[nodiscard]] std::vector<BufferSide> Sides(const std::vector<int>& workers) const;
  [[nodiscard]] std::vector<double> FedRates(const std::vector<int>& workers) const;
  [[nodiscard]] double TakenWhileReacting(double bytes) const;
  [[nodiscard]] int Grown(std::size_t op, double rate) const;
  [[nodiscard]] Setting WithBuffers(std::vector<int> workers) const;
  // Whether anything became less.
  bool TrimAlong(std::vector<int>& workers) const;
  [[nodiscard]] double TrimSlack(std::size_t index) const;
  [[nodiscard]] int Enough(const CapacityModel& model, std::size_t op, double rate) const;
  [[nodiscard]] std::vector<int> EnoughWorkers(double rate) const;
  [[nodiscard]] bool HasMany(std::size_t op, int enough) const;
  [[nodiscard]] std::vector<int> Trimmed(const std::vector<int>& enough) const;
  void MakeRoomBehind(Setting& fewer) const;
  void FitMemory(Setting& target) const;
  void ShedWorkers(Setting& target) const;

  const Snapshot& seen_;
  const PipelineEstimate& estimate_;
  AutoTuneSettings settings_;
  KnobIndex knobs_;
  Setting present_;
  std::vector<double> bytes_;
  double memory_limit_;
  double held_;  // Held() of what is in force
  CapacityModel model_;
  mutable std::vector<Ordering> in_order_;  // per op, what was asked for last
};

}  // namespace sluice::autotune
