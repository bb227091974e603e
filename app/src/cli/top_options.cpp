#include "cli/top_options.h"

#include "cli/checks.h"
#include "cli/metrics_options.h"
#include "cli/session_options.h"

namespace sluice::app {
void AddTop(CLI::App& app, TopOptions& options) {
  CLI::App* top = app.add_subcommand("top", "Watch a measured process live, read-only");
  top->footer(
      "Examples:\n"
      "  sluice top                       the only one; of several it asks which\n"
      "  sluice top 4242                  this process (see `sluice ls`)\n"
      "  sluice top --loader train_loader the loader with this in its name\n"
      "  sluice top 4242 --quiet --duration 5s --json look.json\n"
      "                                   what those five seconds were like, for programs\n"
      "  sluice top 4242 --quiet --metrics 127.0.0.1:9464\n"
      "                                   its metrics, as if it had been started with them\n"
      "docs/top-json.md documents the result.");
  top->add_option("pid", options.pid, "Process to watch")->type_name("PID")->check(Whole(1, INT32_MAX));
  top->add_option("--loader", options.loader, "Of several: the one with this in its name")->type_name("NAME");
  top->add_option("--duration", options.duration, "Stop after this time, e.g. 10s")->type_name("TIME");
  top->add_option("--json", options.json, "Write what was seen to FILE at the end")->type_name("FILE");
  AddMetrics(*top, options.metrics, "Prometheus metrics of what is watched");
  AddRecord(*top, options.record);
  top->add_flag("--plain", options.plain, "Plain lines instead of the live table");
  top->add_flag("--quiet,-q", options.quiet, "Show nothing");
}

}  // namespace sluice::app
