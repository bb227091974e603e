#include "sim/sim_command.h"

#include <unistd.h>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sim/scenario_files.h"
#include "sim/sim_result.h"
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

}  // namespace

int SimulateRun(const SimOptions& options) {
  if (const auto can = CanBeWritten("--json", options.json); !can) return Complain(can.error(), kExitUsage);
  const auto scenario = Load(options);
  if (!scenario) return Complain(scenario.error(), kExitUsage);
  const std::uint64_t seed = options.seed.value_or(scenario->seed);
  const auto controller = evaluation::MakeController(options.controller, *scenario, seed);
  if (!controller) return Complain({"--controller: " + controller.error().message}, kExitUsage);
  const exporters::SimReport report = Simulate(*scenario, **controller, options.controller, seed);
  if (!options.json.empty()) {
    const auto written = exporters::WriteFile(options.json, exporters::SimJson(report));
    if (!written) return Complain(written.error(), kExitFailed);
  }
  const std::string trace = options.trace ? exporters::TraceText(report, StyleOf(STDOUT_FILENO)) + "\n" : "";
  return PrintOut(trace + exporters::SummaryText(report));
}

}  // namespace sluice::app
