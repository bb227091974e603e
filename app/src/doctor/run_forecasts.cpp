#include "doctor/run_forecasts.h"

#include <string>
#include <utility>

namespace sluice::app {
namespace {

// The same road, which keeps why the last call failed: a run that has no memory or no cores may not answer in
// time, and that is another thing than a run that nobody tunes.
ControlRoad Noting(const ControlRoad& road, std::string& failed) {
  return {road.sockets, [&road, &failed](const std::string& socket, const ControlCall& call) {
            auto reply = road.call(socket, call);
            if (!reply) failed = reply.error().message;
            return reply;
          }};
}

}  // namespace

std::vector<Foreseen> ForeseeCuts(const ControlRoad& road, const SteeredName& whom,
                                  const std::vector<Cut>& cuts) {
  std::string failed;
  SteeringClient client(Noting(road, failed), whom, "sluice doctor");
  client.Look();
  std::vector<Foreseen> all;
  for (const Cut& cut : cuts) {
    Foreseen one{.cut = cut};
    if (client.seen().open) client.Do({ui::Ask::kForecast, {{cut.knob, cut.to}}});
    const ui::SteeringSeen& seen = client.seen();
    if (!seen.open || !seen.forecast) {
      one.unknown = failed.empty() ? seen.closed : failed;
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
