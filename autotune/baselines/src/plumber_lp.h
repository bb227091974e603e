// PlumberLp: Plumber's allocation of cores by operational analysis.
//
//   maximise z  subject to  R_i theta_i >= z,  sum theta_i <= cores,  theta_i <= most_i
// with R_i = (C_i / V_i) / b_i, root elements per CPU-second of op i. All constraints but the first bind only
// through z, so the optimum is z = min(cores / sum 1/R_i, min_i R_i most_i) and the least theta_i = z / R_i.
// Source: Kuchnik et al., Plumber, MLSys 2022. Immutable function.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace sluice::baselines {

struct PlumberOp {
  double cpu_per_root = 0;  // seconds, 1 / R_i
  double most = 0;          // cores that it can use: 1 for a sequential op
};

struct PlumberPlan {
  double rate = 0;                    // z, root elements per second
  std::vector<double> cores;          // theta
  std::optional<std::size_t> capped;  // the op whose `most` binds; nullopt: the cores do
};

[[nodiscard]] PlumberPlan SolvePlumber(const std::vector<PlumberOp>& ops, double cores);

}  // namespace sluice::baselines
