#include "sluice/evaluation/suite.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "sluice/base/check.h"
#include "sluice/base/mutex.h"
#include "sluice/evaluation/controllers.h"

namespace sluice::evaluation {
namespace {

// The threads take one scenario with one seed after the other; each has a place of its own for its scores.
class Suite {
 public:
  Suite(const SuiteOptions& options, const SuiteProgress& progress, const SuiteFinished& finished)
      : options_(options),
        progress_(progress),
        finished_(finished),
        begun_(options.scenarios.size()),
        left_(options.scenarios.size() * options.starts.size()) {
    result_.seeds = options.seeds;
    result_.scenarios.resize(options.scenarios.size() * options.starts.size());
    for (std::size_t i = 0; i < left_.size(); ++i) left_[i] = TakeKnown(i) ? 0 : options.seeds;
  }

  SuiteResult Run() {
    {
      std::vector<std::jthread> threads;
      for (int t = 1; t < options_.threads; ++t) threads.emplace_back([this] { Work(); });
      Work();
    }
    NoteAllBests();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<ControllerScores> PlacesForScores() const {
    std::vector<ControllerScores> places;
    places.reserve(options_.controllers.size());
    for (const std::string& name : options_.controllers) {
      places.push_back({name, std::vector<Scores>(static_cast<std::size_t>(options_.seeds))});
    }
    return places;
  }

  [[nodiscard]] std::size_t All() const {
    return result_.scenarios.size() * static_cast<std::size_t>(options_.seeds);
  }

  [[nodiscard]] const simulator::SimScenario& ScenarioOf(std::size_t place) const {
    return options_.scenarios[place / options_.starts.size()];
  }
  [[nodiscard]] const Start& StartOf(std::size_t place) const {
    return options_.starts[place % options_.starts.size()];
  }

  bool TakeKnown(std::size_t place) {
    const simulator::SimScenario& scenario = ScenarioOf(place);
    const auto known = std::ranges::find_if(options_.known, [&](const ScenarioScores& each) {
      return each.scenario.name == scenario.name && each.scenario.seed == scenario.seed &&
             each.start == StartOf(place).name;
    });
    if (known == options_.known.end()) return false;
    result_.scenarios[place] = *known;
    const MutexLock lock(mutex_);
    done_ += static_cast<std::size_t>(options_.seeds);
    return true;
  }

  void Work() {
    const auto seeds = static_cast<std::size_t>(options_.seeds);
    for (std::size_t task = next_++; task < All(); task = next_++) {
      const std::size_t place = task / seeds;
      if (left_[place] == 0) continue;
      const std::size_t scenario = place / options_.starts.size();
      std::call_once(begun_[scenario], [&] { Begin(scenario); });
      ScoreAll(result_.scenarios[place], task % seeds);
      Report(place);
    }
  }

  // The optimum is the same from every start.
  void Begin(std::size_t scenario) {
    const auto optima = simulator::ReachableOptima(options_.scenarios[scenario]);
    const std::size_t first = scenario * options_.starts.size();
    for (std::size_t place = first; place < first + options_.starts.size(); ++place) {
      if (left_[place] == 0) continue;
      const Start& start = StartOf(place);
      result_.scenarios[place] = {
          StartedAt(start, ScenarioOf(place), optima.front()), optima, PlacesForScores(),
          std::vector<Scores>(static_cast<std::size_t>(options_.seeds)), std::string(start.name)};
    }
  }

  // What a scenario allows does not depend on where a run begins.
  void NoteAllBests() {
    const std::size_t starts = options_.starts.size();
    for (std::size_t first = 0; first < result_.scenarios.size(); first += starts) {
      for (std::size_t seed = 0; seed < static_cast<std::size_t>(options_.seeds); ++seed) {
        std::vector<Scores*> scores;
        for (std::size_t i = first; i < first + starts; ++i) {
          scores.push_back(&result_.scenarios[i].oracle[seed]);
          for (ControllerScores& each : result_.scenarios[i].controllers) scores.push_back(&each.seeds[seed]);
        }
        NoteBest(scores);
      }
    }
  }

  void Report(std::size_t place) {
    const MutexLock lock(mutex_);
    ++done_;
    const ScenarioScores& scores = result_.scenarios[place];
    if (progress_) progress_(done_, All(), NameOf(scores));
    if (--left_[place] == 0 && finished_) finished_(scores);
  }

  static void ScoreAll(ScenarioScores& scores, std::size_t index) {
    const simulator::SimScenario& scenario = scores.scenario;
    const std::uint64_t seed = scenario.seed + index;
    const Yardstick yardstick = MakeYardstick(scenario, scores.optima, seed);
    scores.oracle[index] = Score(scenario, yardstick.reachable, yardstick);
    for (ControllerScores& each : scores.controllers) {
      each.seeds[index] = ScoreOne(scenario, each.controller, seed, yardstick, scores.oracle[index]);
    }
  }

  // Two of the runs are there already.
  static Scores ScoreOne(const simulator::SimScenario& scenario, const std::string& name, std::uint64_t seed,
                         const Yardstick& yardstick, const Scores& oracle) {
    if (name == kNone) return Score(scenario, yardstick.untouched, yardstick);
    if (name == kOracle) return oracle;
    const auto controller = MakeController(name, scenario, seed);
    SLUICE_CHECK(controller.has_value());
    return Score(scenario, RunSimulated(scenario, controller->get(), seed), yardstick);
  }

  const SuiteOptions& options_;
  const SuiteProgress& progress_;
  const SuiteFinished& finished_;
  SuiteResult result_;
  std::vector<std::once_flag> begun_;   // by scenario
  std::vector<std::atomic<int>> left_;  // seeds that are not scored yet, by scenario and start
  std::atomic<std::size_t> next_ = 0;
  Mutex mutex_;
  std::size_t done_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::string NameOf(const ScenarioScores& scores) {
  return scores.start == kAsInFile ? scores.scenario.name : scores.scenario.name + "@" + scores.start;
}

Result<SuiteResult> RunSuite(const SuiteOptions& options, const SuiteProgress& progress,
                             const SuiteFinished& finished) {
  SLUICE_CHECK(options.seeds >= 1 && options.threads >= 1 && !options.starts.empty());
  for (const simulator::SimScenario& scenario : options.scenarios) {
    for (const std::string& name : options.controllers) {
      if (name == kOracle) continue;  // always there, and slow to make
      const auto made = MakeController(name, scenario, scenario.seed);
      if (!made) return std::unexpected(made.error());
    }
  }
  return Suite(options, progress, finished).Run();
}

}  // namespace sluice::evaluation
