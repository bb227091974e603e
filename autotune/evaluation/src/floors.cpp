#include "sluice/evaluation/floors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sluice/evaluation/controllers.h"
#include "sluice/evaluation/figures.h"
#include "sluice/simulator/sim_plant.h"

namespace sluice::evaluation {
namespace {

constexpr double kLostOverLeast = 1.05;
constexpr double kSameLoss = 0.02;  // of the run's seconds
constexpr double kInTime = 10;      // seconds
constexpr double kInItems = 200;    // of the consumer
constexpr double kNearBest = 0.97;
constexpr double kLeastKept = 0.9;
constexpr double kRounding = 1e-9;

struct Case {
  const ScenarioScores& scenario;
  const ControllerScores& scores;
};

// Missing: the floor does not apply.
using Holds = std::optional<bool>;
using HoldsFor = Holds (*)(const Case&);

std::optional<Spread> Of(const Case& c, FigureId id) {
  return SpreadOf(id, c.scores.seeds);
}

double Median(const Case& c, FigureId id) {
  const auto spread = Of(c, id);
  return spread ? spread->median : 0;
}

bool Soon(const Case& c, FigureId seconds, FigureId items) {
  return Median(c, seconds) <= kInTime || Median(c, items) <= kInItems;
}

Holds Final(const Case& c) {
  return Median(c, FigureId::kFinalShare) >= 0.97;
}

Holds T95(const Case& c) {
  if (c.scenario.optima.size() > 1) return std::nullopt;
  return Median(c, FigureId::kT95Changes) <= 3 && Soon(c, FigureId::kT95Seconds, FigureId::kT95Items);
}

double Lost(const ControllerScores& scores) {
  return SpreadOf(FigureId::kLost, scores.seeds)->median;
}

Holds LostNearLeast(const Case& c) {
  const double least = LeastLost(c.scenario);
  return Lost(c.scores) <= std::max(kLostOverLeast * least, least + LossTolerance(c.scores)) + kRounding;
}

// Never above means in no seed.
Holds Memory(const Case& c) {
  const auto share = Of(c, FigureId::kMemoryShare);
  if (!share && Of(c, FigureId::kOoms)->most == 0) return std::nullopt;
  return (!share || share->most <= 1 + kRounding) && Of(c, FigureId::kOoms)->most == 0;
}

// A rule that takes more memory than it was given is no choice.
bool Competes(const Case& c) {
  return c.scores.controller != kOracle && Memory(c) != false;
}

bool LosesWithin(const ScenarioScores& scenario, std::size_t controller, double tolerance) {
  const ControllerScores& scores = scenario.controllers[controller];
  return Competes({scenario, scores}) && Lost(scores) <= LeastLost(scenario) + tolerance + kRounding;
}

Holds Waste(const Case& c) {
  return Median(c, FigureId::kCoreWaste) <= 0.15;
}

Holds Steady(const Case& c) {
  return Median(c, FigureId::kChangesPerMinute) <= 1 && Median(c, FigureId::kExcessSd) <= 0.03;
}

Holds ShiftSoon(const Case& c) {
  if (!Of(c, FigureId::kShiftSeconds)) return std::nullopt;
  return Soon(c, FigureId::kShiftSeconds, FigureId::kShiftItems);
}

Holds Calm(const Case& c) {
  return Median(c, FigureId::kFalseAlarmsPerHour) <= 1;
}

Holds NoHarm(const Case& c) {
  return Median(c, FigureId::kWorstWindow) >= 0.97;
}

Holds NearBest(const Case& c) {
  if (!Of(c, FigureId::kOverBest)) return std::nullopt;
  return Median(c, FigureId::kOverBest) >= kNearBest;
}

Holds Kept(const Case& c) {
  const auto over = Of(c, FigureId::kOverUntouched);
  if (!over) return std::nullopt;
  return over->least >= kLeastKept;
}

Holds Threads(const Case& c) {
  return Median(c, FigureId::kThreads) <= 1 + kRounding;
}

Holds Named(const Case& c) {
  const auto named = Of(c, FigureId::kDiagnosed);
  if (!named && c.scores.controller != kOurs) return std::nullopt;
  return named && named->median >= 0.95;
}

constexpr std::array kFloors = std::to_array<Floor>({
    {"final", "throughput >= 0.97 of the optimum's at the end",
     "what a user is left with; 3 % is what noise hides from any rule that tries things out"},
    {"t95", "<= 3 decisions, and <= 10 s or 200 items, where nothing happens to the scenario",
     "a short run is over before a slow rule has found anything"},
    {"lost",
     "<= 1.05 of the least that a controller within its memory loses, or 0.2 s or 2 % of the run more",
     "what looking for the optimum costs, all in all; no published rule may be the better choice, but a win "
     "by "
     "a tick is none"},
    {"memory", "in no seed above the byte budget, in none killed", "a run that is killed loses everything"},
    {"waste", "<= 0.15 of the optimum's core time beyond it", "the trainer wants these cores"},
    {"steady", "<= 1 decision per minute, and <= 0.03 sd beyond the plant's own, after t95",
     "a step time that wavers is a complaint, and every change is a risk"},
    {"shift", "t95 <= 10 s or 200 items after each event", "a world that changes is the reason to tune live"},
    {"calm", "<= 1 false alarm per hour", "who cries wolf is switched off"},
    {"harm", "worst window >= 0.97 of the start setting's worst", "nobody tries out what may cost him a day"},
    {"named", ">= 0.95 of the time after t95 the true limit is named",
     "where tuning cannot help, the right word is all the help there is"},
    {"best", "throughput at the end >= 0.97 of the best that any controller reaches there within its memory",
     "what is possible is what somebody does, whatever a formula says"},
    {"kept", "in no seed below 0.9 of the untouched run's throughput at the end",
     "who lets his settings alone must not be better off"},
    {"threads", "<= 1.5 times the oracle's workers and 8 more, of all ops together, planned",
     "threads are not free: memory, caches, a scheduler that has to choose"},
});

constexpr std::array<HoldsFor, kFloors.size()> kHolds = {Final,    T95,       LostNearLeast, Memory, Waste,
                                                         Steady,   ShiftSoon, Calm,          NoHarm, Named,
                                                         NearBest, Kept,      Threads};

constexpr Floor kLowest = {"lowest",
                           "the least loss of all controllers, or 0.2 s or 2 % of the run more, in >= 0.9 of "
                           "the scenarios, and <= 1.5 "
                           "times the least in the rest",
                           "a rule that wins where it was made for and nowhere else is no help"};

// The oracle, who knows all that is to come, is always among them.
bool AnybodyMeets(HoldsFor holds, const ScenarioScores& scenario) {
  const ControllerScores oracle{.controller = std::string(kOracle), .seeds = scenario.oracle};
  const auto meets = [&](const ControllerScores& each) { return holds({scenario, each}) == true; };
  return (!oracle.seeds.empty() && meets(oracle)) || std::ranges::any_of(scenario.controllers, meets);
}

// The true limit is asked for from when a stretch was reached: where not even the oracle is seen to reach one
// there is no such time.
bool CanBeNamed(const ScenarioScores& scenario) {
  return std::ranges::any_of(scenario.oracle, [](const Scores& s) { return s.steadiness.has_value(); });
}

bool InReach(HoldsFor holds, const ScenarioScores& scenario) {
  if (scenario.oracle.empty()) return true;
  return holds == Named ? CanBeNamed(scenario) : AnybodyMeets(holds, scenario);
}

}  // namespace

std::span<const Floor> Floors() {
  return kFloors;
}

const Floor& LowestFloor() {
  return kLowest;
}

std::vector<Held> HoldTo(const ScenarioScores& scenario, std::size_t controller) {
  std::vector<Held> held;
  for (const auto& holds : kHolds) {
    const Holds met = holds({scenario, scenario.controllers[controller]});
    held.push_back(!met                       ? Held::kDoesNotApply
                   : *met                     ? Held::kMet
                   : InReach(holds, scenario) ? Held::kMissed
                                              : Held::kOutOfReach);
  }
  return held;
}

double LeastLost(const ScenarioScores& scenario) {
  double least = std::numeric_limits<double>::infinity();
  for (const ControllerScores& each : scenario.controllers) {
    if (Competes({scenario, each})) least = std::min(least, Lost(each));
  }
  return least;
}

double LossOverLeast(const ScenarioScores& scenario, std::size_t controller) {
  const ControllerScores& scores = scenario.controllers[controller];
  return Lost(scores) / std::max(LeastLost(scenario), LossTolerance(scores));
}

double LossTolerance(const ControllerScores& scores) {
  std::vector<double> seconds;
  for (const Scores& seed : scores.seeds) seconds.push_back(seed.seconds);
  return std::max(Seconds(simulator::SimPlant::kTick), kSameLoss * SpreadOf(std::move(seconds))->median);
}

bool LosesLeast(const ScenarioScores& scenario, std::size_t controller) {
  return LosesWithin(scenario, controller, LossTolerance(scenario.controllers[controller]));
}

bool LosesLeastExactly(const ScenarioScores& scenario, std::size_t controller) {
  return LosesWithin(scenario, controller, 0);
}

}  // namespace sluice::evaluation
