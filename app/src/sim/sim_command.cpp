#include "sim/sim_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sim/scenario_files.h"
#include "sim/sim_result.h"
#include "sluice/base/text.h"
#include "sluice/evaluation/controllers.h"
#include "sluice/evaluation/starts.h"
#include "sluice/exporters/write_file.h"
#include "sluice/simulator/optimum.h"
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

Result<evaluation::Start> StartOf(const SimOptions& options) {
  const auto starts = evaluation::StartsNamed(options.start);
  if (!starts) return Fail("--start: " + starts.error().message);
  if (starts->size() != 1) return Fail("--start: a run has one start, and not " + options.start);
  return starts->front();
}

// Named as in the results of a suite.
simulator::SimScenario Begun(const evaluation::Start& start, const simulator::SimScenario& scenario,
                             const simulator::Optimum& optimum) {
  simulator::SimScenario begun = evaluation::StartedAt(start, scenario, optimum);
  if (start.name != evaluation::kAsInFile) begun.name += fmt::format("@{}", start.name);
  return begun;
}

}  // namespace

int SimulateRun(const SimOptions& options) {
  if (const auto can = CanBeWritten("--json", options.json); !can) return Complain(can.error(), kExitUsage);
  if (const auto can = CanBeWritten("--columns", options.columns); !can)
    return Complain(can.error(), kExitUsage);
  if (const auto can = CanBeWritten("--record", options.record); !can)
    return Complain(can.error(), kExitUsage);
  const auto start = StartOf(options);
  if (!start) return Complain(start.error(), kExitUsage);
  const auto loaded = Load(options);
  if (!loaded) return Complain(loaded.error(), kExitUsage);
  const auto optima = simulator::ReachableOptima(*loaded);
  const simulator::SimScenario scenario = Begun(*start, *loaded, optima.front());
  const std::uint64_t seed = options.seed.value_or(scenario.seed);
  const auto controller = evaluation::MakeController(options.controller, scenario, seed);
  if (!controller) return Complain({"--controller: " + controller.error().message}, kExitUsage);
  SimSession session;
  const exporters::SimReport report =
      Simulate(scenario, optima, **controller, options.controller, seed, &session);
  if (!options.columns.empty() && report.beliefs.rows.empty())
    return Complain(
        {"--columns: " + options.controller + " believes nothing that it could tell; sluice does"},
        kExitUsage);
  const std::pair<const std::string&, std::string (*)(const exporters::SimReport&)> files[] = {
      {options.json, exporters::SimJson},
      {options.columns, [](const auto& told) { return exporters::BeliefsCsv(told.beliefs); }}};
  for (const auto& [file, text] : files) {
    if (file.empty()) continue;
    if (const auto written = exporters::WriteFile(file, text(report)); !written)
      return Complain(written.error(), kExitFailed);
  }
  if (!options.record.empty()) {
    const auto written = session.Write(options.record, scenario, options.controller, seed);
    if (!written) return Complain({"--record: " + written.error().message}, kExitFailed);
  }
  const std::string trace = options.trace ? exporters::TraceText(report, StyleOf(STDOUT_FILENO)) + "\n" : "";
  return PrintOut(trace + exporters::SummaryText(report));
}

}  // namespace sluice::app
