#include "sim/sim_session.h"

#include <fmt/format.h>

#include <cmath>

#include "sluice/autotune/auto_tune.h"
#include "version.h"

namespace sluice::app {

SimSession::SimSession() : onlooker_(autotune::MakeAutoTune({.advise = true})) {}

void SimSession::See(const Snapshot& seen, const Decision& decision, const std::vector<Belief>& beliefs) {
  const Verdict onlookers = onlooker_->Decide(seen).verdict;
  pipeline_.states.push_back(
      {seen, decision.verdict.sentence.empty() ? onlookers : decision.verdict, beliefs});
  pipeline_.decisions.Add(decision);
}

Result<void> SimSession::Write(const std::string& file, const simulator::SimScenario& scenario,
                               const std::string& controller, std::uint64_t seed) const {
  exporters::WholePipeline pipeline = pipeline_;
  const MonoTime begin = pipeline.states.front().now.at, end = pipeline.states.back().now.at;
  pipeline.info = {.name = scenario.name, .started = begin};
  exporters::SessionFacts facts{.verb = exporters::kSimVerb,
                                .name = fmt::format("{} ({}, seed {})", scenario.name, controller, seed),
                                .version = kVersion,
                                .started = begin};
  facts.machine.cpu = "simulated";
  facts.machine.logical_cpus = static_cast<int>(std::ceil(scenario.machine.cores));
  return exporters::WriteWholeSession(file, facts, {pipeline}, {.at = end, .outcome = "was simulated"});
}

}  // namespace sluice::app
