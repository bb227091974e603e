#include "explain/foresight.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune {
namespace {

Bytes HeldWith(const Planner& planner, const Setting& setting) {
  return {static_cast<std::int64_t>(planner.Held(setting))};
}

}  // namespace

Forecast Foresee(const Planner& planner, const RateSummary& measured,
                 const std::vector<KnobChange>& changes) {
  const CapacityModel& model = planner.model();
  const Setting &present = planner.present(), target = With(present, changes);
  const double modelled = model.With(present.workers).rate;
  const Ceiling then = model.With(target.workers);
  const double now = measured.windows > 0 ? measured.mean : std::isfinite(modelled) ? modelled : 0;
  const double most = std::max(now, model.input().demand);
  double rate = now;
  if (modelled > 0 && std::isfinite(modelled) && std::isfinite(then.rate))
    rate = std::min(now * then.rate / modelled, most);
  Forecast forecast;
  forecast.changes = changes;
  forecast.now = {Rate{now}, now * model.CpuPerItem(present.workers), HeldWith(planner, present)};
  forecast.then = {Rate{rate}, rate * model.CpuPerItem(target.workers), HeldWith(planner, target)};
  forecast.limit = then.limit;
  if (then.op) forecast.op = static_cast<std::uint32_t>(*then.op);
  return forecast;
}

}  // namespace sluice::autotune
