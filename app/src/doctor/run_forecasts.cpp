#include "doctor/run_forecasts.h"

namespace sluice::app {

std::vector<Foreseen> ForeseeCuts(const ControlRoad& road, const SteeredName& whom,
                                  const std::vector<Cut>& cuts) {
  SteeringClient client(road, whom, "sluice doctor");
  client.Look();
  std::vector<Foreseen> all;
  for (const Cut& cut : cuts) {
    Foreseen one{.cut = cut};
    if (client.seen().open) client.Do({ui::Ask::kForecast, {{cut.knob, cut.to}}});
    const ui::SteeringSeen& seen = client.seen();
    if (!seen.open || !seen.forecast) {
      one.unknown = seen.closed;
    } else if (!seen.forecast->refused.empty()) {
      one.unknown = seen.forecast->refused;
    } else {
      one.now = seen.forecast->now;
      one.then = seen.forecast->then;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace sluice::app
