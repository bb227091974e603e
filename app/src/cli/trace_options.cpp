#include "cli/trace_options.h"

#include "cli/checks.h"

namespace sluice::app {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  sluice trace -o run.perfetto-trace              five seconds of all that is measured, on one clock\n"
    "  sluice trace 4242 --seconds 2 -o run.json       of this process (see `sluice ls`), as JSON\n"
    "  sluice trace --loader train_loader -o t.json    of the loaders with this in their names\n"
    "\n"
    "Each worker has a track: when it was inside its op, and when it waited for input or for room. Arrows\n"
    "follow items from op to op; depths, capacities and workers are counters, decisions are marks. Open the\n"
    "file at https://ui.perfetto.dev, which reads it in your browser. Ctrl-C ends it early; what is written "
    "is\n"
    "whole. docs/traces.md tells more, also of --flight-recorder, which keeps the seconds before a stall.";

}  // namespace

void AddFlightRecorder(CLI::App& verb, FlightOptions& options) {
  verb.add_option("--flight-recorder", options.folder,
                  "Keep what every worker did in the last ten seconds, and write it to DIR when the consumer "
                  "stalls (docs/traces.md)")
      ->type_name("DIR");
  verb.add_option("--flight-stall", options.stall, "A wait that is a stall, e.g. 500ms (default: 2s)")
      ->type_name("TIME");
}

void AddTrace(CLI::App& app, TraceOptions& options) {
  CLI::App* trace = app.add_subcommand("trace", "Write what every worker does to a file for a trace viewer");
  trace->footer(kExamples);
  trace->add_option("pid", options.pid, "Process to trace (default: all that are measured)")
      ->type_name("PID")
      ->check(Whole(1, INT32_MAX));
  trace->add_option("--loader", options.loader, "Only pipelines with this in their names")->type_name("NAME");
  trace->add_option("--seconds", options.seconds, "How long (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(0.1, 3600.0));
  trace->add_option("--output,-o", options.output, "Where it goes")->required()->type_name("FILE");
  trace
      ->add_option("--format", options.format,
                   "perfetto (default), or json: Chrome's trace events (default where FILE ends in .json)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"perfetto", "json"}));
  trace->add_flag("--quiet,-q", options.quiet, "Say nothing when it goes well");
}

}  // namespace sluice::app
