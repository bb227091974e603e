// Fluid: the best rate of a pipeline as fluid flows, given what its ops cost (optimum.h has the formulas).
// Immutable.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/simulator/optimum.h"

namespace sluice::simulator {

struct FluidOp {
  double visits = 1;   // items per consumer item; 0: it has nothing to do
  double cpu = 0;      // seconds per item, alone
  double wait = 0;     // the same
  double storage = 0;  // seconds of the storage at full speed
  Contention contention{};
  int least = 1;  // workers that are possible
  int most = 1;
  int node = -1;  // where it is bound to
  bool serial = false;
  bool locks = false;
  double bytes = 0;           // that one item holds
  double frees = 0;           // that a worker holds beside it
  double gathers = 0;         // that the op holds while it gathers
  std::int64_t buffered = 1;  // items that must have room behind it
};

// Bytes that come to be held: behind every op as many items as `capacity` says, and what workers are at.
[[nodiscard]] double HeldBytes(const std::vector<FluidOp>& ops, const std::vector<int>& workers,
                               const std::vector<std::int64_t>& capacity);

struct FluidProblem {
  std::vector<FluidOp> ops;
  double step = 0;  // seconds of the consumer per item, in all
  double burn = 0;  // of these, on our cores
  double cores = 1;
  int nodes = 1;
  std::vector<double> storage_speed = {1};  // of 1, 2, ... reads at once, of all ranks
  double ranks = 1;                         // that read as much
  double memory = 0;                        // bytes; 0: no limit
};

class Fluid {
 public:
  explicit Fluid(FluidProblem problem) : p_(std::move(problem)) {}
  [[nodiscard]] Optimum Solve() const;
  // Consumer items per second that the cores alone allow, without contention.
  [[nodiscard]] double CoresRate() const;

 private:
  struct Needs {
    std::vector<Bound> broken;  // empty: the rate is possible
    std::vector<int> workers;
    double cores = 0;
    double bytes = 0;
  };
  struct Cap {
    double rate;
    Bound bound;
  };
  // The consumer's first.
  [[nodiscard]] std::vector<Cap> Caps() const;
  [[nodiscard]] double OpRate(const FluidOp& op) const;
  [[nodiscard]] Needs At(double rate) const;
  [[nodiscard]] std::optional<int> WorkersFor(const FluidOp& op, double rate, double stretch) const;
  [[nodiscard]] double BusyFor(const FluidOp& op, double rate, double stretch, int workers) const;
  [[nodiscard]] std::optional<double> ReadStretch(double rate) const;
  [[nodiscard]] Limit LimitOf(const FluidOp& op) const;
  [[nodiscard]] Optimum Finish(double rate, const Needs& needs, const Bound& bound) const;

  const FluidProblem p_;
};

}  // namespace sluice::simulator
