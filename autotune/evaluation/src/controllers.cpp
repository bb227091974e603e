#include "sluice/evaluation/controllers.h"

#include <ranges>

#include "name_list.h"
#include "sluice/autotune/ablation.h"
#include "sluice/autotune/auto_tune.h"
#include "sluice/baselines/baselines.h"
#include "sluice/evaluation/run_record.h"

namespace sluice::evaluation {
namespace {

constexpr std::string_view kWithout = "without-";

class HandsOff final : public autotune::Controller {
 public:
  Decision Decide(const Snapshot& seen) override {
    Decision decision;
    decision.at = seen.at;
    return decision;
  }
};

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const ControllerInfo& info : Controllers()) names.push_back(info.name);
  return names;
}

}  // namespace

std::vector<ControllerInfo> Controllers() {
  std::vector<ControllerInfo> all = {{std::string(kOurs), "AutoTune, with the settings that live runs have"}};
  for (const baselines::BaselineInfo& baseline : baselines::Baselines()) {
    all.push_back({std::string(baseline.name), std::string(baseline.description)});
  }
  for (const autotune::RuleInfo& rule : autotune::Rules())
    all.push_back({std::string(kWithout) + rule.name, "ours, but not: " + rule.what});
  all.push_back({std::string(kNone), "leaves the start setting alone"});
  all.push_back({std::string(kOracle), "is told the optimum: what is reachable, not a rule to compete with"});
  return all;
}

Result<std::unique_ptr<autotune::Controller>> MakeController(std::string_view name,
                                                             const simulator::SimScenario& scenario,
                                                             std::uint64_t seed) {
  if (name == kOurs) return autotune::MakeAutoTune();
  if (name.starts_with(kWithout)) {
    if (auto without = autotune::MakeAutoTuneWithout(name.substr(kWithout.size()))) return without;
  }
  if (name == kNone) return std::make_unique<HandsOff>();
  if (name == kOracle) return MakeOracle(scenario, simulator::ReachableOptima(scenario));
  for (const baselines::BaselineInfo& baseline : baselines::Baselines()) {
    if (baseline.name == name) return baselines::MakeBaseline(name, seed);
  }
  return UnknownName(name, "controller", AllNames());
}

Result<std::vector<std::string>> ControllerNames(std::string_view list) {
  if (list.empty()) return AllNames();
  std::vector<std::string> known = AllNames();
  for (const auto& part : std::views::split(list, ',')) {
    const std::string_view name(part.begin(), part.end());
    const bool several = name.starts_with(kWithout) && name.contains('+');
    if (several && autotune::MakeAutoTuneWithout(name.substr(kWithout.size()))) known.emplace_back(name);
  }
  return NamesIn(list, "controller", known);
}

}  // namespace sluice::evaluation
