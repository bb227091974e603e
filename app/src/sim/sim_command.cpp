#include "sim/sim_command.h"

#include <unistd.h>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sim/scenario_files.h"
#include "sim/sim_report.h"
#include "sluice/base/text.h"
#include "sluice/evaluation/controllers.h"
#include "sluice/exporters/write_file.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice::app {
namespace {

Result<simulator::SimScenario> Load(const SimOptions& options) {
  const auto file = FindScenarioFile(options.scenario);
  if (!file) return std::unexpected(file.error());
  auto scenario = simulator::LoadSimScenario(*file);
  if (!scenario || options.duration.empty()) return scenario;
  const auto duration = ParseDuration(options.duration);
  if (!duration) return Fail("--duration: " + duration.error().message);
  scenario->duration = *duration;
  if (const auto valid = simulator::Validate(*scenario); !valid) return Fail("--" + valid.error().message);
  return scenario;
}

SimResult Simulate(const simulator::SimScenario& scenario, const SimOptions& options,
                   autotune::Controller& controller) {
  const std::uint64_t seed = options.seed.value_or(scenario.seed);
  evaluation::Yardstick yardstick =
      evaluation::MakeYardstick(scenario, simulator::ReachableOptima(scenario), seed);
  SimStory story(yardstick.optima);
  evaluation::RunRecord record = evaluation::RunSimulated(
      scenario, &controller, seed,
      [&](const Snapshot& seen, const Decision& decision) { story.See(seen, decision); });
  const evaluation::Scores scores = evaluation::Score(scenario, record, yardstick);
  const evaluation::Scores reachable = evaluation::Score(scenario, yardstick.reachable, yardstick);
  return {scenario,          options.controller,   seed,   std::move(story),
          std::move(record), std::move(yardstick), scores, reachable};
}

}  // namespace

int SimulateRun(const SimOptions& options) {
  if (const auto can = CanBeWritten("--json", options.json); !can) return Complain(can.error(), kExitUsage);
  const auto scenario = Load(options);
  if (!scenario) return Complain(scenario.error(), kExitUsage);
  const std::uint64_t seed = options.seed.value_or(scenario->seed);
  const auto controller = evaluation::MakeController(options.controller, *scenario, seed);
  if (!controller) return Complain({"--controller: " + controller.error().message}, kExitUsage);
  const SimResult result = Simulate(*scenario, options, **controller);
  if (!options.json.empty()) {
    const auto written = exporters::WriteFile(options.json, SimJson(result));
    if (!written) return Complain(written.error(), kExitFailed);
  }
  const std::string trace = options.trace ? TraceText(result, StyleOf(STDOUT_FILENO)) + "\n" : "";
  return PrintOut(trace + SummaryText(result));
}

}  // namespace sluice::app
