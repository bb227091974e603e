#include "run/run_scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/tuned_file.h"
#include "result/results.h"
#include "sluice/base/text.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/machine_shape.h"

namespace sluice::app {
namespace {

// Settings that an earlier run has come to. `cores`: those that this one is given; nullopt: the machine's.
Result<void> BeginWith(const std::string& path, std::optional<double> cores,
                       runtime::PipelineDescription& pipeline) {
  const auto file = ReadTuned(path);
  if (!file) return std::unexpected(file.error());
  const TunedLoader* found = file->For(pipeline.name, std::nullopt);
  if (found == nullptr) return Fail(fmt::format("{} has no settings for {}", path, pipeline.name));
  for (const TunedKnob& knob : found->knobs) {
    const auto done = runtime::SetKnob(pipeline, fmt::format("{}={}", knob.name, knob.value));
    if (!done) return Fail(path + ": " + done.error().message);
  }
  const double here = probes::ReadMachineBudget(0).cores;
  const std::string why =
      WhyNotHere(*file, probes::ReadMachineShape().cpu, std::min(cores.value_or(here), here));
  if (!why.empty()) Warn(path + ": " + why + "; its settings are a start all the same");
  return {};
}

}  // namespace

Result<runtime::Scenario> ScenarioOf(const RunOptions& options) {
  auto scenario = runtime::LoadScenario(options.scenario);
  if (!scenario) return scenario;
  runtime::PipelineDescription& pipeline = scenario->pipeline;
  if (options.cores) scenario->cores = options.cores;
  if (!options.load.empty()) {
    if (const auto done = BeginWith(options.load, scenario->cores, pipeline); !done)
      return Fail("--load " + done.error().message);
  }
  for (const std::string& s : options.set) {
    if (const auto done = runtime::SetKnob(pipeline, s); !done) return Fail("--set " + done.error().message);
  }
  for (const std::string& s : options.bound) {
    if (const auto done = runtime::BoundKnob(pipeline, s); !done)
      return Fail("--bound " + done.error().message);
  }
  for (const std::string& s : options.pin) {
    if (const auto done = runtime::PinKnob(pipeline, s); !done) return Fail("--pin " + done.error().message);
  }
  if (!options.memory.empty()) {
    const auto bytes = ParseBytes(options.memory);
    if (!bytes) return Fail("--memory: " + bytes.error().message);
    if (bytes->count == 0)
      return Fail("--memory: 0 bytes hold no row; leave it out for a quarter of what is free");
    pipeline.memory = *bytes;
  }
  if (options.epochs) pipeline.epochs = *options.epochs;
  if (options.seed) pipeline.seed = *options.seed;
  return scenario;
}

}  // namespace sluice::app
