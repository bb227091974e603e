#include "plumber_lp.h"

namespace sluice::baselines {

PlumberPlan SolvePlumber(const std::vector<PlumberOp>& ops, double cores) {
  PlumberPlan plan;
  double sum = 0;
  for (const PlumberOp& op : ops) sum += op.cpu_per_root;
  plan.rate = sum > 0 ? cores / sum : 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].cpu_per_root <= 0) continue;
    const double alone = ops[i].most / ops[i].cpu_per_root;
    if (alone < plan.rate) {
      plan.rate = alone;
      plan.capped = i;
    }
  }
  for (const PlumberOp& op : ops) plan.cores.push_back(plan.rate * op.cpu_per_root);
  return plan;
}

}  // namespace sluice::baselines
