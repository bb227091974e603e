// The `sluice` program: reads the command line and hands over to one verb.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench_command.h"
#include "data_command.h"
#include "doctor_command.h"
#include "exit_codes.h"
#include "ls_command.h"
#include "run_command.h"
#include "sim_command.h"
#include "top_command.h"
#include "version.h"
#include "wrap_options.h"

namespace sluice {
namespace {

constexpr const char* kSummary =
    "Keeps accelerators fed: runs an input pipeline, measures it, says in one sentence what limits it, and\n"
    "retunes workers and prefetch while it runs.";
constexpr const char* kExamples =
    "Examples:\n"
    "  sluice data make imagefolder --out data/imagefolder   make some photographs\n"
    "  sluice run scenarios/imagenet.toml                    run, measure and tune a pipeline\n"
    "  sluice top                                            watch it from another terminal\n"
    "  sluice wrap -- python3 train.py                       the same for a training script that exists\n"
    "  sluice sim step_change --trace                        tune a simulated pipeline, decision by "
    "decision\n"
    "  sluice bench autotune --seeds 1                       this tuner, others' and the optimum\n"
    "\n"
    "Exit status: 0 done, 1 the run failed, 2 wrong command line or scenario, 3 a floor was missed (bench\n"
    "--check), 128+n ended by signal n. `sluice wrap` ends as the command ends.";
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

constexpr const char* kSimExamples =
    "Examples:\n"
    "  sluice sim step_change                                how our tuner does on a shipped scenario\n"
    "  sluice wrap -- python3 train.py                       the same for a training script that exists\n"
    "  sluice sim step_change --trace                        the same, decision by decision\n"
    "  sluice sim memory_tight --controller mindspore --seed 7\n"
    "  sluice sim scenarios/sim/gil.toml --controller none --json result.json\n"
    "\n"
    "Time is virtual, so two minutes pass in a moment; the same seed gives the same run. Scenarios are TOML\n"
    "files, explained in scenarios/sim/README.md; docs/evaluation.md explains the scores and the result "
    "file.\n"
    "`sluice bench autotune --list` names the shipped scenarios and all controllers.";
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

template <typename Number>
bool IsNumber(const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
}

// CLI11's own check says nothing of what is possible, and takes -1 for a large number.
CLI::Validator Whole(std::uint64_t least, std::uint64_t most = UINT64_MAX) {
  return {[least, most](std::string& text) {
            if (IsNumber(text, least, most)) return std::string();
            std::string range = "from " + std::to_string(least);
            if (most != UINT64_MAX) range += " to " + std::to_string(most);
            return "'" + text + "' is not a whole number " + range;
          },
          ""};
}

CLI::Validator CoreCount() {
  return {[](std::string& text) {
            if (IsNumber(text, 0.1, 4096.0)) return std::string();
            return "'" + text + "' is not a number of cores from 0.1 to 4096";
          },
          ""};
}

std::string VerbsOf(const CLI::App& app) {
  std::string names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  return names;
}

std::string ExplainMistake(const CLI::App* app, const CLI::Error& error) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  std::string what = error.what();
  const bool lacks_verb = dynamic_cast<const CLI::RequiredError*>(&error) && !VerbsOf(*app).empty();
  if (lacks_verb && !app->remaining().empty()) {
    what = "there is no verb '" + app->remaining().front() + "'; there are: " + VerbsOf(*app);
  } else if (lacks_verb) {
    what = "say what to do: " + VerbsOf(*app);
  }
  return "sluice: " + what + "\nsluice --help and sluice VERB --help tell more.\n";
}

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
  many("--set", options.set, "Start value of a knob, e.g. decode.workers=4", "KNOB=N");
  many("--pin", options.pin, "A knob that tuning leaves alone, e.g. decode.workers", "KNOB");
  many("--bound", options.bound, "The range tuning may use, e.g. decode.workers=1..8", "KNOB=LOW..HIGH");
  run->add_option("--cores", options.cores, "Core budget (default: affinity mask and cgroup quota)")
      ->type_name("N")
      ->check(CoreCount());
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
  run->add_option("--metrics", options.metrics, "Serve Prometheus metrics, e.g. 127.0.0.1:9464 (port 0: any)")
      ->type_name("HOST:PORT");
  run->add_flag("--plain", options.plain, "Plain lines instead of the live table");
  run->add_flag("--quiet,-q", options.quiet, "Only the report at the end");
}

void AddTop(CLI::App& app, TopOptions& options) {
  CLI::App* top = app.add_subcommand("top", "Watch a measured process live, read-only");
  top->footer(
      "Examples:\n"
      "  sluice top                       the only one; of several it asks which\n"
      "  sluice top 4242                  this process (see `sluice ls`)\n"
      "  sluice top --loader train_loader the loader with this in its name");
  top->add_option("pid", options.pid, "Process to watch")->type_name("PID")->check(Whole(1, INT32_MAX));
  top->add_option("--loader", options.loader, "Of several: the one with this in its name")->type_name("NAME");
  top->add_option("--duration", options.duration, "Stop after this time, e.g. 10s")->type_name("TIME");
  top->add_flag("--plain", options.plain, "Plain lines instead of the live table");
}

void AddData(CLI::App& app, DataOptions& options) {
  CLI::App* data = app.add_subcommand("data", "Make input data in real file formats");
  data->require_subcommand(1);
  data->footer(
      "Example:\n  sluice data make imagefolder --out data/imagefolder     (sluice data make --help)");
  CLI::App* make = data->add_subcommand("make", "Make a data set; the same seed gives the same bytes");
  make->footer(
      "Examples:\n"
      "  sluice data make imagefolder --out data/imagefolder --count 1024\n"
      "  sluice data make cifar10 --out data/cifar10");
  make->add_option("kind", options.kind, "cifar10 (binary files) or imagefolder (JPEG photographs by class)")
      ->required()
      ->check(CLI::IsMember({"cifar10", "imagefolder"}))
      ->type_name("KIND");
  make->add_option("--out", options.out, "Folder to make")->required()->type_name("DIR");
  make->add_option("--count", options.count, "Images (default: 50000 for cifar10, 1024 for imagefolder)")
      ->type_name("N")
      ->check(Whole(1));
  make->add_option("--seed", options.seed, "Seed of all random draws")
      ->type_name("N")
      ->capture_default_str()
      ->check(Whole(0));
  make->add_option("--classes", options.classes, "Classes (imagefolder only)")
      ->type_name("N")
      ->capture_default_str()
      ->check(Whole(1, 100'000));
  make->add_flag("--quiet,-q", options.quiet, "No progress");
}

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
  sim->add_flag("--trace", options.trace, "Tell what was measured, changed, predicted and what came of it");
  sim->add_option("--json", options.json, "Write the whole result to FILE")->type_name("FILE");
}

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

// What follows `wrap` and `doctor` is somebody else's command line: nothing in it is ours to read.
void ParseArguments(CLI::App& app, std::vector<std::string> arguments, std::vector<std::string>& command) {
  const std::string verb = arguments.empty() ? "" : arguments.front();
  if (verb == "wrap" || verb == "doctor") command = TakeCommand(*app.get_subcommand(verb), arguments);
  std::ranges::reverse(arguments);
  app.parse(std::move(arguments));
  if (verb == "wrap" && command.empty()) {
    throw CLI::ValidationError("wrap", "say what to run: sluice wrap -- python3 train.py");
  }
}

int Main(int argc, char** argv) {
  CLI::App app(kSummary, "sluice");
  app.footer(kExamples);
  app.set_version_flag("--version", std::string("sluice ") + kVersion);
  app.require_subcommand(1);
  app.failure_message(ExplainMistake);
  app.set_help_all_flag("--help-all", "Help of all verbs");
  RunOptions run;
  WrapOptions wrap;
  TopOptions top;
  DataOptions data;
  SimOptions sim;
  BenchOptions bench;
  bool clean = false;
  AddRun(app, run);
  AddWrap(app, wrap);
  AddDoctor(app, wrap.command);
  AddTop(app, top);
  CLI::App* ls = app.add_subcommand("ls", "List measured processes");
  ls->footer("Example:\n  sluice ls --clean      list them, and remove what dead ones have left");
  ls->add_flag("--clean", clean, "Remove what dead processes have left");
  AddData(app, data);
  AddSim(app, sim);
  AddBench(app, bench);
  try {
    ParseArguments(app, {argv + 1, argv + argc}, wrap.command);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  if (app.got_subcommand("run")) return RunScenario(run);
  if (app.got_subcommand("wrap")) return WrapCommand(wrap);
  if (app.got_subcommand("doctor")) return ExamineWrap(wrap.command);
  if (app.got_subcommand("top")) return WatchRun(top);
  if (app.got_subcommand("ls")) return ListRuns(clean);
  if (app.got_subcommand("sim")) return SimulateRun(sim);
  if (app.got_subcommand("bench")) return BenchAutoTune(bench);
  return MakeData(data);
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  try {
    return sluice::Main(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sluice: %s\n", e.what());
    return sluice::kExitFailed;
  }
}
