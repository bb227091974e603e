#include "cli/wrap_options.h"

#include <algorithm>

#include "cli/checks.h"
#include "cli/metrics_options.h"
#include "cli/session_options.h"
#include "cli/trace_options.h"

namespace sluice::app {
namespace {

constexpr const char* kWrapExamples =
    "Examples:\n"
    "  sluice wrap -- python3 train.py --epochs 3            run it, measure it, tune its loaders\n"
    "  sluice wrap --advise -- python3 train.py              say what would be changed, touch nothing\n"
    "  sluice wrap --repro strict -- python3 train.py        bit for bit the batches of the bare run\n"
    "  sluice wrap --save tuned.toml -- python3 train.py     keep what was found ...\n"
    "  sluice wrap --load tuned.toml -- python3 train.py     ... and begin there the next time\n"
    "  sluice wrap --metrics 127.0.0.1:9464 -- python3 train.py   with an endpoint for Prometheus\n"
    "  sluice wrap --exec -- python3 train.py                for schedulers that watch the pid\n"
    "  sluice wrap -- torchrun --nproc_per_node 2 train.py   all ranks of this host\n"
    "  sluice wrap -- make -j4                               any command: measured from outside\n"
    "\n"
    "Exit status, signals, terminal and output are those of the bare command; the report goes to standard\n"
    "error. Whatever breaks in Sluice is one line there, and the command goes on. SLUICE_DISABLE=1 switches\n"
    "everything off. `sluice doctor -- CMD` says what a wrap would find. docs/wrapping.md is the tour.\n"
    "Exit status of Sluice's own: 2 wrong command line; 126 and 127 the command cannot be started.";

constexpr const char* kDoctorExamples =
    "Examples:\n"
    "  sluice doctor                                         this machine, and the python3 in PATH\n"
    "  sluice doctor --data /data/train                      with the storage that a data set lies on\n"
    "  sluice doctor -- torchrun --nproc_per_node 2 train.py the interpreter that this would use\n"
    "  sluice doctor --json                                  the same for programs\n"
    "\n"
    "Says of each fault what was read and from which file, the command that mends it behind ->, and what "
    "that\n"
    "costs. Changes nothing: no setting, no file, no run. Runs the interpreter once, never the script; "
    "looks\n"
    "at a data set for about a second at most. docs/doctor.md lists all findings.\n"
    "Exit status: 0 a wrap would work, 1 something stands in its way (BAD). A note changes no exit status.";

void AddModes(CLI::App& wrap, WrapOptions& options) {
  auto* advise = wrap.add_flag_callback(
      "--advise", [&options] { options.mode = TuneMode::kAdvise; },
      "Say what should be changed, touch nothing");
  auto* off = wrap.add_flag_callback(
      "--no-tune", [&options] { options.mode = TuneMode::kOff; }, "Measure only, touch nothing");
  auto* threads = wrap.add_flag("--tune-threads", options.tune_threads,
                                "Also set the library threads (OpenMP, BLAS) of new workers");
  advise->excludes(off)->excludes(threads);
  off->excludes(threads);
  wrap.add_option(
          "--repro", options.repro,
          "What a change may do to batches: order (default: the same batches in the same order), strict "
          "(bit for bit the bare run) or free (any order)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"order", "strict", "free"}));
}

// Whether the word is an option of the verb's that takes the next word for its value.
bool TakesValue(const CLI::App& verb, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const CLI::Option* option = verb.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

}  // namespace

void AddWrap(CLI::App& app, WrapOptions& options) {
  CLI::App* wrap =
      app.add_subcommand("wrap", "Run a training script (or anything) unchanged: measured, explained, tuned");
  wrap->add_option("command", options.command, "What to run; everything behind -- is its own")
      ->type_name("-- COMMAND");
  wrap->footer(kWrapExamples);
  AddModes(*wrap, options);
  wrap->add_option("--place", options.place,
                   "Run the command on a NUMA node or several, with its memory there: 1, 0-1, 1:bind, "
                   "0-1:interleave, 1:local, or cpus:0-7 (docs/placement.md)")
      ->type_name("WHERE");
  wrap->add_option(
          "--near", options.near,
          "The device that the batches are for, e.g. cuda0: tuning tries workers on NUMA nodes near it "
          "(default: the GPUs, where all are near one node)")
      ->type_name("DEVICE");
  wrap->add_option("--cores", options.cores, "Core budget (default: affinity mask and cgroup quota)")
      ->type_name("N")
      ->check(CoreCount());
  wrap->add_option("--memory", options.memory,
                   "Byte budget of trainers and workers (PSS), e.g. 8GiB (default: half of what is free)")
      ->type_name("SIZE");
  wrap->add_option("--save", options.save, "Write what was found to FILE (TOML)")->type_name("FILE");
  wrap->add_option("--load", options.load, "Begin with what an earlier run has saved")->type_name("FILE");
  wrap->add_option("--report", options.report, "Write the report to FILE as well")->type_name("FILE");
  wrap->add_option("--json", options.json, "Write the report's figures to FILE")->type_name("FILE");
  AddMetrics(*wrap, options.metrics, "Prometheus metrics of all loaders and ranks");
  wrap->add_flag("--metrics-per-process", options.metrics.per_process,
                 "Name each process as a target of its own to Prometheus' service discovery");
  AddRecord(*wrap, options.record);
  AddFlightRecorder(*wrap, options.flight);
  AddControl(*wrap, options.control);
  auto* progress = wrap->add_flag_callback(
      "--progress", [&options] { options.progress = Progress::kAlways; },
      "A line each minute while it runs (default: on a terminal that the command leaves alone)");
  wrap->add_flag_callback(
          "--no-progress", [&options] { options.progress = Progress::kNever; }, "Nothing before the report")
      ->excludes(progress);
  wrap->add_flag("--exec", options.exec,
                 "Become the command: its pid is ours. No report on standard error then; see --report");
  wrap->add_flag("--dry-run", options.dry_run, "Print what would be changed, run nothing");
  wrap->add_flag("--quiet,-q", options.quiet, "No report");
}

void AddDoctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* doctor = app.add_subcommand(
      "doctor", "Say what `sluice wrap` would find here, what is in its way, and what this host is slow by");
  doctor->footer(kDoctorExamples);
  doctor->add_option("command", options.command, "What would be wrapped (default: python3)")
      ->type_name("-- COMMAND");
  doctor
      ->add_option(
          "--data", options.data,
          "A data set: its storage, read-ahead and cached share; may be repeated (default: the current "
          "folder)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  doctor->add_flag("--json", options.json, "One JSON object instead of lines");
}

std::vector<std::string> TakeCommand(const CLI::App& verb, std::vector<std::string>& arguments) {
  auto word = std::ranges::find(arguments, verb.get_name());
  if (word != arguments.end()) ++word;
  while (word != arguments.end() && word->starts_with("-") && *word != "--") {
    word += TakesValue(verb, *word) && std::next(word) != arguments.end() ? 2 : 1;
  }
  const auto first = word != arguments.end() && *word == "--" ? std::next(word) : word;
  std::vector<std::string> command(first, arguments.end());
  arguments.erase(word, arguments.end());
  return command;
}

}  // namespace sluice::app
