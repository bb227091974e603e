#include "cli/bench_options.h"

#include "cli/checks.h"
#include "cli/version_command.h"

namespace sluice::app {
namespace {

constexpr const char* kBenchExamples =
    "Examples:\n"
    "  sluice bench autotune --list\n"
    "  sluice bench autotune --scenarios 'cedar_*' --seeds 1\n"
    "  sluice bench autotune --controllers sluice,mindspore,oracle --json result.json --markdown result.md\n"
    "  sluice bench autotune --controllers sluice --seeds 20 --check\n"
    "  sluice bench autotune --controllers sluice,none --starts one,cores,fourfold --seeds 1\n"
    "  sluice bench autotune --scenarios 5000..5099 --starts file,one,cores,fourfold,random --seeds 1 --log "
    "run.jsonl\n"
    "\n"
    "A scenario begins with the workers of its file, or with those of each of --starts: one for every\n"
    "op, a worker per core (cores), four times what the optimum needs (fourfold), or any number up to\n"
    "four per core (random). Every rule is held to the same floors from each start; gil@cores in the\n"
    "tables is gil, begun with a worker per core.\n"
    "\n"
    "Of random scenarios (bench/random_scenarios, so in a source tree only) totals are told: over all, from\n"
    "each start, of each class; --json has each run. Seeds 900000..900299 are reserved: of all at once, and\n"
    "nothing but totals.\n"
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
  options.made_by = ProgramsCommit();
  tune->add_option(
          "--scenarios", options.scenarios,
          "Which scenarios: patterns of shipped names, files or folders, separated by commas, or a range of "
          "seeds of random ones, 5000..5099 (default: all that are shipped)")
      ->type_name("GLOB");
  tune->add_option("--controllers", options.controllers,
                   "Which controllers, separated by commas (default: all; --list names them)")
      ->type_name("LIST");
  tune->add_option(
          "--starts", options.starts,
          "With how many workers each scenario begins, separated by commas: file, one, cores, fourfold, "
          "random")
      ->type_name("LIST")
      ->capture_default_str();
  tune->add_option("--seeds", options.seeds, "Runs of each, with seeds that follow the scenario's own")
      ->type_name("N")
      ->capture_default_str()
      ->check(Whole(1, 10'000));
  tune->add_option("--jobs,-j", options.jobs, "Threads (default: as many as cores)")
      ->type_name("N")
      ->check(Whole(1, 1024));
  tune->add_option("--json", options.json, "Write every seed's figures to FILE")->type_name("FILE");
  tune->add_option(
          "--log", options.log,
          "Append each scenario that is finished to FILE, and take from it what it has already: a long run "
          "that was ended goes on")
      ->type_name("FILE");
  tune->add_option("--markdown", options.markdown, "Write the tables as Markdown to FILE")->type_name("FILE");
  tune->add_flag("--check", options.check, "Exit with 3 when `sluice` misses a floor");
  tune->add_flag("--list", options.list, "Only name the controllers, the starts and the shipped scenarios");
  tune->add_flag("--quiet,-q", options.quiet, "No progress on standard error");
}

}  // namespace sluice::app
