// The `sluice` program: reads the command line and hands over to one verb.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench_options.h"
#include "cli/data_options.h"
#include "cli/export_options.h"
#include "cli/import_options.h"
#include "cli/run_options.h"
#include "cli/session_options.h"
#include "cli/sim_options.h"
#include "cli/top_options.h"
#include "cli/trace_options.h"
#include "cli/ui_options.h"
#include "cli/version_command.h"
#include "cli/wrap_options.h"
#include "doctor/doctor_command.h"
#include "result/exit_codes.h"
#include "top/ls_command.h"
#include "version.h"

namespace sluice::app {
namespace {

constexpr const char* kSummary =
    "Keeps accelerators fed: runs an input pipeline, measures it, says in one sentence what limits it, and\n"
    "retunes workers and prefetch while it runs.";
constexpr const char* kExamples =
    "Examples:\n"
    "  sluice data make imagefolder --out data/imagefolder   make some photographs\n"
    "  sluice run scenarios/imagenet.toml                    run, measure and tune a pipeline\n"
    "  sluice top                                            watch it from another terminal\n"
    "  sluice ui                                             the same in a window, and recorded runs\n"
    "  sluice wrap -- python3 train.py                       the same for a training script that exists\n"
    "  sluice run scenarios/mixed.toml --record run.sluice   keep the run, for sluice replay and sluice "
    "compare\n"
    "  sluice trace -o run.perfetto-trace                    what every worker does, for a trace viewer\n"
    "  sluice sim step_change --trace                        tune a simulated pipeline, decision by "
    "decision\n"
    "  sluice bench autotune --seeds 1                       this tuner, others' and the optimum\n"
    "  sluice export metrics                                 what --metrics serves, metric by metric\n"
    "  sluice import mindspore-profile DIR -o run.sluice     a profile of MindSpore's, to look at in the "
    "same way\n"
    "\n"
    "Exit status: 0 done, 1 the run failed, 2 wrong command line or scenario, 3 a floor was missed (bench\n"
    "--check, compare --fail-below), 128+n ended by signal n. `sluice wrap` ends as the command ends.";

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
  DoctorOptions doctor;
  TopOptions top;
  TopologyOptions topology;
  PlaceOptions place;
  DataOptions data;
  SimOptions sim;
  BenchOptions bench;
  ReplayOptions replay;
  CompareOptions compare;
  ReportOptions report;
  TraceOptions trace;
  UiOptions ui;
  ExportOptions settings;
  ImportOptions imported;
  bool clean = false;
  bool build = false;
  AddRun(app, run);
  AddWrap(app, wrap);
  AddDoctor(app, doctor);
  AddTop(app, top);
  CLI::App* ls = app.add_subcommand("ls", "List measured processes");
  ls->footer("Example:\n  sluice ls --clean      list them, and remove what dead ones have left");
  ls->add_flag("--clean", clean, "Remove what dead processes have left");
  AddTopology(app, topology);
  AddPlace(app, place);
  AddUi(app, ui);
  AddReplay(app, replay);
  AddCompare(app, compare);
  AddReport(app, report);
  AddTrace(app, trace);
  AddExport(app, settings);
  AddImport(app, imported);
  AddData(app, data);
  AddSim(app, sim);
  AddBench(app, bench);
  CLI::App* version = app.add_subcommand("version", "Say which Sluice this is");
  version->footer("Example:\n  sluice version --build      what to put into a report of a mistake");
  version->add_flag("--build", build, "Also what it was built from and with: commit, compiler, libraries");
  try {
    ParseArguments(app, {argv + 1, argv + argc}, wrap.command);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  if (app.got_subcommand("run")) return RunScenario(run);
  if (app.got_subcommand("wrap")) return WrapCommand(wrap);
  if (app.got_subcommand("doctor")) {
    doctor.command = std::move(wrap.command);
    return ExamineWrap(std::move(doctor));
  }
  if (app.got_subcommand("top")) return WatchRun(top);
  if (app.got_subcommand("ls")) return ListRuns(clean);
  if (app.got_subcommand("topology")) return ShowTopology(topology);
  if (app.got_subcommand("place")) return PlaceProcess(place);
  if (app.got_subcommand("ui")) return ui.dump_view ? DumpView(ui) : StartWindow(argv + 2);
  if (app.got_subcommand("replay")) return ReplayRun(replay);
  if (app.got_subcommand("compare")) return CompareRuns(compare);
  if (app.got_subcommand("report")) return WriteReport(report);
  if (app.got_subcommand("trace")) return TraceRuns(trace);
  if (app.got_subcommand("sim")) return SimulateRun(sim);
  if (app.got_subcommand("bench")) return BenchAutoTune(bench);
  if (app.got_subcommand("export")) return Export(*app.get_subcommand("export"), settings);
  if (app.got_subcommand("import")) return ImportMindSporeProfile(imported);
  if (app.got_subcommand("version")) return TellVersion(build);
  return MakeData(data);
}

}  // namespace
}  // namespace sluice::app

int main(int argc, char** argv) {
  try {
    return sluice::app::Main(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sluice: %s\n", e.what());
    return sluice::app::kExitFailed;
  }
}
