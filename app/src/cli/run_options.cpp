#include "cli/run_options.h"

#include <string>
#include <vector>

#include "cli/checks.h"
#include "cli/metrics_options.h"
#include "cli/session_options.h"
#include "cli/trace_options.h"

namespace sluice::app {
namespace {

constexpr const char* kRunExamples =
    "Examples:\n"
    "  sluice run scenarios/imagenet.toml --duration 30s\n"
    "  sluice run scenarios/imagenet.toml --no-tune --set decode.workers=4 --set decode.capacity=32\n"
    "  sluice run scenarios/imagenet.toml --bound decode.workers=1..8 --pin batch.capacity\n"
    "  sluice run scenarios/mixed.toml --advise --json result.json --metrics 127.0.0.1:9464\n"
    "\n"
    "scenarios/README.md documents the scenario file; docs/result-json.md the result, docs/failed-rows.md "
    "the\n"
    "list of failed rows. A call that does not come back when the run is to end is left alone, and named.\n"
    "Exit status: 0 done, 1 the run failed, 2 wrong command line or scenario, 128+n ended by signal n (130\n"
    "after Ctrl-C), with the report. A second Ctrl-C ends it at once.";

}  // namespace

void AddRun(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "Run a pipeline from a scenario file, measured and tuned live");
  run->footer(kRunExamples);
  run->add_option("scenario", options.scenario, "Scenario file (TOML)")->required()->type_name("FILE");
  auto* tune = run->add_flag_callback(
      "--tune", [&options] { options.mode = TuneMode::kTune; }, "Change knobs while it runs (default)");
  auto* advise = run->add_flag_callback(
      "--advise", [&options] { options.mode = TuneMode::kAdvise; },
      "Say what should be changed, change nothing");
  auto* off = run->add_flag_callback(
      "--no-tune", [&options] { options.mode = TuneMode::kOff; }, "Measure only, touch nothing");
  tune->excludes(advise)->excludes(off);
  advise->excludes(off);
  const auto many = [run](const char* name, std::vector<std::string>& to, const char* help,
                          const char* type) {
    run->add_option(name, to, help)->type_name(type)->take_all()->allow_extra_args(false);
  };
  run->add_option("--load", options.load, "Begin with settings of an earlier run (sluice export settings)")
      ->type_name("FILE");
  many("--set", options.set, "Start value of a knob, e.g. decode.workers=4 or decode.placement=1", "KNOB=N");
  many("--pin", options.pin, "A knob that tuning leaves alone, e.g. decode.workers", "KNOB");
  many("--bound", options.bound, "The range tuning may use, e.g. decode.workers=1..8", "KNOB=LOW..HIGH");
  run->add_option("--cores", options.cores, "Core budget (default: affinity mask and cgroup quota)")
      ->type_name("N")
      ->check(CoreCount());
  run->add_option(
         "--near", options.near,
         "The device that the batches are for, e.g. cuda0 or 0000:81:00.0: ops live on NUMA nodes near "
         "it (default: the GPUs, where all are near one node)")
      ->type_name("DEVICE");
  run->add_option("--memory", options.memory,
                  "Byte budget for buffers, e.g. 2GiB (default: a quarter of what is free)")
      ->type_name("SIZE");
  run->add_option("--duration", options.duration, "Stop after this time, e.g. 30s or 5min")
      ->type_name("TIME");
  run->add_option("--epochs", options.epochs, "Passes over the data; 0: endless (default: the scenario's)")
      ->type_name("N")
      ->check(Whole(0));
  run->add_option("--rows", options.rows, "Stop after so many rows")->type_name("N")->check(Whole(1));
  run->add_option("--seed", options.seed, "Seed of all random draws (default: the scenario's)")
      ->type_name("N")
      ->check(Whole(0));
  run->add_option("--json", options.json, "Write the whole result to FILE")->type_name("FILE");
  run->add_option("--failed-rows", options.failed_rows,
                  "Name each row that fails in FILE: its file, its place there and why")
      ->type_name("FILE");
  AddMetrics(*run, options.metrics, "Prometheus metrics");
  AddRecord(*run, options.record);
  AddFlightRecorder(*run, options.flight);
  AddControl(*run, options.control);
  run->add_flag("--plain", options.plain, "Plain lines instead of the live table");
  run->add_flag("--quiet,-q", options.quiet, "Only the report at the end");
}

}  // namespace sluice::app
