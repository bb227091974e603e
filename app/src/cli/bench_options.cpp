#include "cli/bench_options.h"

#include "cli/checks.h"

namespace sluice::app {
namespace {

constexpr const char* kBenchExamples =
    "Examples:\n"
    "  sluice bench autotune --list\n"
    "  sluice bench autotune --scenarios 'cedar_*' --seeds 1\n"
    "  sluice bench autotune --controllers sluice,mindspore,oracle --json result.json --markdown result.md\n"
    "  sluice bench autotune --controllers sluice --seeds 20 --check\n"
    "\n"
    "docs/evaluation.md explains every column and floor, and the result file. Medians over the seeds; the "
    "same\n"
    "seeds give the same table, whatever --jobs says. Exit status: 0 done, 1 a file could not be written,\n"
    "2 wrong command line or scenario, 3 `sluice` misses a floor (with --check only).";

}  // namespace

void AddBench(CLI::App& app, BenchOptions& options) {
  CLI::App* bench = app.add_subcommand("bench", "Compare controllers");
  bench->require_subcommand(1);
  bench->footer("Example:\n  sluice bench autotune --seeds 1     (sluice bench autotune --help)");
  CLI::App* tune = bench->add_subcommand(
      "autotune", "Score this tuner, the published rules and the optimum on simulated scenarios");
  tune->footer(kBenchExamples);
  tune->add_option("--scenarios", options.scenarios,
                   "Which scenarios: patterns of shipped names, files or folders, separated by commas "
                   "(default: all that are shipped)")
      ->type_name("GLOB");
  tune->add_option("--controllers", options.controllers,
                   "Which controllers, separated by commas (default: all; --list names them)")
      ->type_name("LIST");
  tune->add_option("--seeds", options.seeds, "Runs of each, with seeds that follow the scenario's own")
      ->type_name("N")
      ->capture_default_str()
      ->check(Whole(1, 10'000));
  tune->add_option("--jobs,-j", options.jobs, "Threads (default: as many as cores)")
      ->type_name("N")
      ->check(Whole(1, 1024));
  tune->add_option("--json", options.json, "Write every seed's figures to FILE")->type_name("FILE");
  tune->add_option("--markdown", options.markdown, "Write the tables as Markdown to FILE")->type_name("FILE");
  tune->add_flag("--check", options.check, "Exit with 3 when `sluice` misses a floor");
  tune->add_flag("--list", options.list, "Only name the controllers and the shipped scenarios");
  tune->add_flag("--quiet,-q", options.quiet, "No progress on standard error");
}

}  // namespace sluice::app
