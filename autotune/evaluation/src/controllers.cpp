#include "sluice/evaluation/controllers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sluice/autotune/auto_tune.h"
#include "sluice/base/text.h"
#include "sluice/baselines/baselines.h"
#include "sluice/evaluation/run_record.h"

namespace sluice::evaluation {
namespace {

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

std::unexpected<Error> Unknown(std::string_view name) {
  const std::vector<std::string> names = AllNames();
  const std::string near = Nearest(name, names);
  if (!near.empty()) return Fail(fmt::format("there is no controller '{}'; did you mean '{}'?", name, near));
  return Fail(fmt::format("there is no controller '{}'; there are {}", name, fmt::join(names, ", ")));
}

std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    parts.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

}  // namespace

std::vector<ControllerInfo> Controllers() {
  std::vector<ControllerInfo> all = {{std::string(kOurs), "AutoTune, with the settings that live runs have"}};
  for (const baselines::BaselineInfo& baseline : baselines::Baselines()) {
    all.push_back({std::string(baseline.name), std::string(baseline.description)});
  }
  all.push_back({std::string(kNone), "leaves the start setting alone"});
  all.push_back({std::string(kOracle), "is told the optimum: what is reachable, not a rule to compete with"});
  return all;
}

Result<std::unique_ptr<autotune::Controller>> MakeController(std::string_view name,
                                                             const simulator::SimScenario& scenario,
                                                             std::uint64_t seed) {
  if (name == kOurs) return autotune::MakeAutoTune();
  if (name == kNone) return std::make_unique<HandsOff>();
  if (name == kOracle) return MakeOracle(scenario, simulator::ReachableOptima(scenario));
  for (const baselines::BaselineInfo& baseline : baselines::Baselines()) {
    if (baseline.name == name) return baselines::MakeBaseline(name, seed);
  }
  return Unknown(name);
}

Result<std::vector<std::string>> ControllerNames(std::string_view list) {
  const std::vector<std::string> all = AllNames();
  if (list.empty()) return all;
  const auto wanted = Split(list);
  for (const std::string_view name : wanted) {
    if (std::ranges::find(all, name) == all.end()) return Unknown(name);
  }
  std::vector<std::string> names;
  for (const std::string& name : all) {
    if (std::ranges::find(wanted, name) != wanted.end()) names.push_back(name);
  }
  return names;
}

}  // namespace sluice::evaluation
