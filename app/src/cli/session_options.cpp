#include "cli/session_options.h"

namespace sluice::app {
namespace {

constexpr const char* kReplayExamples =
    "Examples:\n"
    "  sluice run scenarios/mixed.toml --duration 60s --record run.sluice\n"
    "  sluice replay run.sluice                 as it went, on the screen that sluice run has\n"
    "  sluice replay run.sluice --at 40s --speed 10\n"
    "  sluice replay run.sluice --plain         a line per second that was recorded, for pipes\n"
    "\n"
    "Keys: space stops and goes on, left and right go by a second, page up and down by ten, home and end to "
    "the\n"
    "ends, + and - change the speed, q leaves. A run that is still being recorded can be looked at, too.\n"
    "docs/session-format.md documents the file: it is an SQLite database.";

constexpr const char* kReportExamples =
    "Examples:\n"
    "  sluice report run.sluice -o report.html                to be opened in a browser, printed, or sent\n"
    "  sluice report run.sluice > report.html\n"
    "\n"
    "One file without scripts: verdict, throughput, connectors and knobs over time, ops, decisions, "
    "settings.";

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  sluice compare before.sluice after.sluice              what the second run does otherwise\n"
    "  sluice compare main.sluice branch.sluice --fail-below 0.95\n"
    "                                                         a gate: exit status 3 below 95% of the rate\n"
    "\n"
    "Compared is the settled part of each run, behind its last change. The interval says what the noise "
    "within the\n"
    "runs allows; another neighbour on the machine is not in it. sluice ui A B shows the same in a window.\n"
    "Exit status: 0 compared, 1 a file cannot be read or compared, 2 wrong command line, 3 below "
    "--fail-below.";

}  // namespace

void AddRecord(CLI::App& verb, RecordOptions& options) {
  verb.add_option("--record", options.file, "Keep the run in FILE, for sluice replay and sluice compare")
      ->type_name("FILE");
  verb.add_option("--record-limit", options.limit,
                  "What FILE may take, e.g. 64MiB (default: 256MiB); older snapshots make room")
      ->type_name("SIZE");
  verb.add_option("--jsonl", options.lines,
                  "Write figures and decisions to FILE while it goes on, a line of JSON each")
      ->type_name("FILE");
  verb.add_option("--tensorboard", options.tensorboard,
                  "Write event files for TensorBoard into folders of DIR")
      ->type_name("DIR");
}

void AddReplay(CLI::App& app, ReplayOptions& options) {
  CLI::App* replay = app.add_subcommand("replay", "Show a recorded run as it went");
  replay->footer(kReplayExamples);
  replay->add_option("session", options.session, "What --record has written")->required()->type_name("FILE");
  replay->add_option("--loader", options.loader, "Of several loaders: the one with this in its name")
      ->type_name("NAME");
  replay->add_option("--at", options.at, "Begin there, e.g. 40s after the start")->type_name("TIME");
  replay->add_option("--speed", options.speed, "Times faster than it went (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(0.01, 1000.0));
  replay->add_flag("--plain", options.plain, "Plain lines, at once, instead of the table");
}

void AddCompare(CLI::App& app, CompareOptions& options) {
  CLI::App* compare = app.add_subcommand("compare", "Say what a second recorded run does otherwise");
  compare->footer(kCompareExamples);
  compare->add_option("a", options.a, "The run to compare with")->required()->type_name("A");
  compare->add_option("b", options.b, "The run to be judged")->required()->type_name("B");
  compare
      ->add_option("--fail-below", options.fail_below,
                   "Exit status 3 where B makes less than this times the rows per second of A, e.g. 0.95")
      ->type_name("RATIO")
      ->check(CLI::Range(0.0, 1000.0));
}

void AddReport(CLI::App& app, ReportOptions& options) {
  CLI::App* report = app.add_subcommand("report", "Make a page for a browser of a recorded run");
  report->footer(kReportExamples);
  report->add_option("session", options.session, "What --record has written")->required()->type_name("FILE");
  report->add_option("--output,-o", options.output, "Where the page goes (default: standard output)")
      ->type_name("FILE");
}

}  // namespace sluice::app
