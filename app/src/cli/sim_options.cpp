#include "cli/sim_options.h"

#include "cli/checks.h"

namespace sluice::app {
namespace {

constexpr const char* kSimExamples =
    "Examples:\n"
    "  sluice sim step_change                                how our tuner does on a shipped scenario\n"
    "  sluice wrap -- python3 train.py                       the same for a training script that exists\n"
    "  sluice sim step_change --trace                        the same, decision by decision\n"
    "  sluice sim memory_tight --controller mindspore --seed 7\n"
    "  sluice sim scenarios/sim/gil.toml --controller none --json result.json\n"
    "  sluice sim gil --record ours.sluice && sluice ui ours.sluice      watched, at any pace\n"
    "\n"
    "Time is virtual, so two minutes pass in a moment; the same seed gives the same run. Scenarios are TOML\n"
    "files, explained in scenarios/sim/README.md; docs/evaluation.md explains the scores and the result "
    "file.\n"
    "`sluice bench autotune --list` names the shipped scenarios and all controllers.";

}  // namespace

void AddSim(CLI::App& app, SimOptions& options) {
  CLI::App* sim =
      app.add_subcommand("sim", "Simulate a pipeline under a controller, and compare with the optimum");
  sim->footer(kSimExamples);
  sim->add_option("scenario", options.scenario, "Scenario file (TOML), or the name of a shipped one")
      ->required()
      ->type_name("SCENARIO");
  sim->add_option("--controller", options.controller, "Who tunes: sluice, none, oracle or a published rule")
      ->type_name("NAME")
      ->capture_default_str();
  sim->add_option("--seed", options.seed, "Seed of all random draws (default: the scenario's)")
      ->type_name("S")
      ->check(Whole(0));
  sim->add_option("--duration", options.duration, "Virtual time, e.g. 30s (default: the scenario's)")
      ->type_name("TIME");
  sim->add_option("--start", options.start,
                  "Whose workers it begins with: file (the scenario's), one, cores, fourfold, random; see "
                  "`sluice bench autotune --starts`")
      ->type_name("NAME")
      ->capture_default_str();
  sim->add_flag("--trace", options.trace, "Tell what was measured, changed, predicted and what came of it");
  sim->add_option("--json", options.json, "Write the whole result to FILE")->type_name("FILE");
  sim->add_option("--record", options.record,
                  "Keep the run in FILE, a session: for sluice ui, replay, compare, report")
      ->type_name("FILE");
  sim->add_option("--columns", options.columns, "Write to FILE (CSV) what the tuner believed, tick by tick")
      ->type_name("FILE");
}

}  // namespace sluice::app
