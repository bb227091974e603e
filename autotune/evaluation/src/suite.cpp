#include "sluice/evaluation/suite.h"

#include <atomic>
#include <thread>

#include "sluice/base/check.h"
#include "sluice/base/mutex.h"
#include "sluice/evaluation/controllers.h"

namespace sluice::evaluation {
namespace {

// The threads take one scenario with one seed after the other; each has a place of its own for its scores.
class Suite {
 public:
  Suite(const SuiteOptions& options, const SuiteProgress& progress) : options_(options), progress_(progress) {
    result_.seeds = options.seeds;
    for (const simulator::SimScenario& scenario : options.scenarios) {
      const auto optima = simulator::ReachableOptima(scenario);  // the same from every start
      for (const Start& start : options.starts) {
        result_.scenarios.push_back(
            {StartedAt(start, scenario, optima.front()), optima, PlacesForScores(), std::string(start.name)});
      }
    }
  }

  SuiteResult Run() {
    {
      std::vector<std::jthread> threads;
      for (int t = 1; t < options_.threads; ++t) threads.emplace_back([this] { Work(); });
      Work();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<ControllerScores> PlacesForScores() const {
    std::vector<ControllerScores> places;
    for (const std::string& name : options_.controllers) {
      places.push_back({name, std::vector<Scores>(static_cast<std::size_t>(options_.seeds))});
    }
    return places;
  }

  [[nodiscard]] std::size_t All() const {
    return result_.scenarios.size() * static_cast<std::size_t>(options_.seeds);
  }

  void Work() {
    for (std::size_t task = next_++; task < All(); task = next_++) {
      const auto seeds = static_cast<std::size_t>(options_.seeds);
      ScoreAll(result_.scenarios[task / seeds], task % seeds);
      Report(NameOf(result_.scenarios[task / seeds]));
    }
  }

  void Report(const std::string& name) {
    const MutexLock lock(mutex_);
    ++done_;
    if (progress_) progress_(done_, All(), name);
  }

  static void ScoreAll(ScenarioScores& scores, std::size_t index) {
    const simulator::SimScenario& scenario = scores.scenario;
    const std::uint64_t seed = scenario.seed + index;
    const Yardstick yardstick = MakeYardstick(scenario, scores.optima, seed);
    for (ControllerScores& each : scores.controllers) {
      each.seeds[index] = ScoreOne(scenario, each.controller, seed, yardstick);
    }
  }

  // Two of the runs are there already.
  static Scores ScoreOne(const simulator::SimScenario& scenario, const std::string& name, std::uint64_t seed,
                         const Yardstick& yardstick) {
    if (name == kNone) return Score(scenario, yardstick.untouched, yardstick);
    if (name == kOracle) return Score(scenario, yardstick.reachable, yardstick);
    const auto controller = MakeController(name, scenario, seed);
    SLUICE_CHECK(controller.has_value());
    return Score(scenario, RunSimulated(scenario, controller->get(), seed), yardstick);
  }

  const SuiteOptions& options_;
  const SuiteProgress& progress_;
  SuiteResult result_;
  std::atomic<std::size_t> next_ = 0;
  Mutex mutex_;
  std::size_t done_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::string NameOf(const ScenarioScores& scores) {
  return scores.start == kAsInFile ? scores.scenario.name : scores.scenario.name + "@" + scores.start;
}

Result<SuiteResult> RunSuite(const SuiteOptions& options, const SuiteProgress& progress) {
  SLUICE_CHECK(options.seeds >= 1 && options.threads >= 1 && !options.starts.empty());
  for (const simulator::SimScenario& scenario : options.scenarios) {
    for (const std::string& name : options.controllers) {
      if (name == kOracle) continue;  // always there, and slow to make
      const auto made = MakeController(name, scenario, scenario.seed);
      if (!made) return std::unexpected(made.error());
    }
  }
  return Suite(options, progress).Run();
}

}  // namespace sluice::evaluation
