// CapacityModel: the fluid optimum of a pipeline and the least number of workers that reaches it.
//
//   X* = min( D,  (W / (sum_i V_i d_i + other)),  rate_i(n*_i) / V_i of every op i,
//             1 / sum of V_i d_i under one lock )
//   n_i = the least n with  n >= (1 + h) X V_i s_i(n) + z sqrt(X V_i wait_i)
// X in consumer items per second, W cores, V visits, d CPU-seconds and s seconds per item, n* the best
// count allowed. Where cores are the limit, an op that slows itself down gets only as many workers as the
// rate needs, since d_i grows with them: X* is then a fixed point. Sources: operational analysis (Denning,
// Buzen 1978), Little's law for the workers, the universal scalability law for s_i(n), square-root staffing
// (Halfin, Whitt 1981) for workers that wait. What does not depend on the question is worked out once:
// building one costs about as much as a few questions for every op. Immutable.
#pragma once
#include <optional>
#include <vector>

#include "all_settings.h"
#include "estimate/estimates.h"
#include "observe/phases.h"
#include "sluice/base/decision.h"

namespace sluice::autotune {

struct OpModel {
  OpEstimate cost;
  int workers = 1;  // now
  int least = 1;    // allowed
  int most = 1;
  bool serial = false;
  bool capped = false;  // `most` comes from a trial that did not pay
};

// All that is said of rates holds for the present phase of the pipeline, unless said otherwise.

struct ModelInput {
  std::vector<OpModel> ops;
  double demand = 0;  // infinite: as fast as possible
  double cores = 1;
  double other_cpu = 0;
  std::vector<std::size_t> locked{};  // ops that share one lock
  std::vector<Phase> phases{};        // empty: one, in which all ops have work
  std::size_t phase = 0;              // the present one
};

// A rate and what keeps it from being higher.
struct Ceiling {
  double rate = 0;  // consumer items per second
  Limit limit = Limit::kUnknown;
  std::optional<std::size_t> op;
  double runner_up = 0;  // the next higher ceiling
};

class CapacityModel {
 public:
  CapacityModel(ModelInput input, const AutoTuneSettings& settings);

  [[nodiscard]] const ModelInput& input() const { return input_; }
  // Whether the op has work in that phase.
  [[nodiscard]] bool Active(std::size_t op, std::size_t phase) const;
  // X*, with every op at its best allowed count of workers (below it where that saves cores).
  [[nodiscard]] Ceiling Optimum() const;
  // X* of the phase in which the op has most to do.
  [[nodiscard]] double OptimumFor(std::size_t op) const { return optimum_for_[op]; }
  // The same for a given number of workers per op.
  [[nodiscard]] Ceiling With(const std::vector<int>& workers) const;
  // Consumer items per second that `n` workers of the op can feed.
  // Without workers the consumer does the op's work itself, between its own steps.
  [[nodiscard]] double OpRate(std::size_t op, int n) const;
  // Between `least` and the best allowed count; the latter where no count is enough.
  [[nodiscard]] int WorkersFor(std::size_t index, double rate) const;
  // The same with none to spare.
  [[nodiscard]] int FewestFor(std::size_t op, double rate) const;
  [[nodiscard]] int BestWorkers(std::size_t op) const { return best_[op]; }
  // As many of the op as the cores can serve, were all of them busy.
  [[nodiscard]] int MostUsefulWorkers(std::size_t op) const;
  // Whether `n` busy workers of the op leave no core for another.
  [[nodiscard]] bool FillsTheCores(std::size_t op, int n) const;
  // Whether `n` busy workers of the op leave no core for a consumer that computes.
  [[nodiscard]] bool CrowdsConsumer(std::size_t op, int n) const;

  // Consumer items per second that one lock lets through; infinite where there is none.
  [[nodiscard]] double LockRate() const;
  // With the optimum's counts: an op that slows itself down costs more CPU with more workers.
  [[nodiscard]] double CoresRate() const;  // consumer items per second; infinite where nothing costs CPU
  // Whether cores are the limit and `n` busy workers of an op take clearly more of them per item than
  // `enough`.
  [[nodiscard]] bool WastesCores(std::size_t op, int n, int enough) const;
  // Seconds per consumer item, ops and the rest, in the optimum.
  [[nodiscard]] double CpuPerItem() const { return cpu_per_item_; }
  // The same for a given number of workers per op.
  [[nodiscard]] double CpuPerItem(const std::vector<int>& workers) const {
    return CpuPerItemIn(input_.phase, workers);
  }
  // Of the CPU time that is used at present.
  [[nodiscard]] double CpuShare(std::size_t op) const;
  // dX* / dcore: what one more core would give, 0 where cores are not the limit.
  [[nodiscard]] double ShadowPrice() const;

 private:
  [[nodiscard]] double CpuPerItemIn(std::size_t phase, const std::vector<int>& workers) const;
  [[nodiscard]] double CoresRateIn(std::size_t phase, const std::vector<int>& workers) const;
  [[nodiscard]] Ceiling CeilingIn(std::size_t phase, const std::vector<int>& workers) const;
  [[nodiscard]] bool Locked(std::size_t op) const;
  [[nodiscard]] int Working(std::size_t op, int n) const;
  [[nodiscard]] std::vector<int> JustEnough(double rate) const;
  [[nodiscard]] std::vector<int> CountsIn(std::size_t phase) const;
  [[nodiscard]] bool CoresLimit(std::size_t op, double rate) const;
  void LearnCurve(std::size_t index);
  void FindRates();
  [[nodiscard]] double Slowdown(std::size_t op, int n) const;
  [[nodiscard]] double Service(std::size_t op, int n) const;
  // Workers beyond the `inside` that `rate` keeps busy, and a tenth of them.
  [[nodiscard]] double ToSpare(std::size_t op, double rate, double inside) const;
  // Of `inside` busy workers, those off the cores on average.
  [[nodiscard]] double Waiting(std::size_t op, double inside) const;
  [[nodiscard]] double MostUseful(std::size_t op, double inside) const;
  [[nodiscard]] double CoresForOps() const;
  [[nodiscard]] double PresentCpu() const;
  [[nodiscard]] double SharedRate(double workers, double consumer_threads) const;
  [[nodiscard]] Limit WhyNotMore(std::size_t index, int n) const;

  ModelInput input_;
  AutoTuneSettings settings_;
  std::vector<int> best_;                       // per op, the count with the greatest rate of its own
  std::vector<int> counts_;                     // per op, in the optimum of the present phase
  std::vector<double> slowdown_now_;            // per op, at the mean number of busy workers
  std::vector<std::vector<double>> slowdowns_;  // per op that slows itself down, at 1, 2, 3, ... workers
  std::vector<double> optimum_for_;             // per op
  std::vector<double> cores_rate_for_;          // per op, in the phase in which it can be fastest
  double cores_for_ops_ = 1;
  double cpu_per_item_ = 0;  // in the optimum
  double present_cpu_ = 0;   // per consumer item
};

}  // namespace sluice::autotune
