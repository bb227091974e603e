#include "doctor/run_forecasts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sluice/base/text.h"

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

constexpr int kLooks = 25;
constexpr std::uint64_t kLeastItems = 5;  // that the consumer takes meanwhile: fewer are chance
constexpr double kMoreThanThere = 1.1;    // cores: no run uses more than it may, but for rounding

bool IsPossible(const Forecast& forecast, const Budget& budget) {
  return budget.cores <= 0 || forecast.now.cores <= budget.cores * kMoreThanThere;
}

bool IsForeseen(const Foreseen& foreseen) {
  return foreseen.then.has_value();
}

std::vector<KnobChange> ChangesOf(const Cut& cut) {
  return {{.knob = cut.id, .from = cut.from, .to = cut.to}};
}

}  // namespace

bool AllForeseen(const std::vector<Foreseen>& foreseen) {
  return std::ranges::all_of(foreseen, IsForeseen);
}

std::vector<Foreseen> ForeseeFromOutside(Plant& plant, autotune::Controller& model,
                                         std::vector<Foreseen> asked, const std::function<void()>& pause) {
  std::uint64_t first = 0;
  Snapshot seen;
  for (int look = 0; look < kLooks; ++look) {
    pause();
    seen = plant.Sense();
    static_cast<void>(model.Decide(seen));
    if (look == 0) first = seen.consumer.items;
  }
  const bool enough = seen.consumer.items >= first + kLeastItems;
  const std::string over = FormatDuration(kLookEvery * kLooks);
  for (Foreseen& one : asked) {
    if (IsForeseen(one)) continue;
    const auto forecast = enough ? model.Foresee(seen, ChangesOf(one.cut)) : std::nullopt;
    if (!forecast || !IsPossible(*forecast, seen.budget)) {
      one.unknown += fmt::format("; in a look of {} at the run too little was seen for one", over);
      continue;
    }
    one.now = forecast->now;
    one.then = forecast->then;
    one.by = fmt::format("a forecast from a look of {} at the run", over);
  }
  return asked;
}

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
      one.steered = !failed.empty();  // it may answer later
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
