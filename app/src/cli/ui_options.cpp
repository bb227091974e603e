#include "cli/ui_options.h"

namespace sluice::app {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  sluice ui --dump-view run.sluice --at 40s   what there was to see then, as JSON\n"
    "  sluice ui --dump-view 4242                  of a measured process (see `sluice ls`), now\n"
    "\n"
    "docs/ui.md describes the document.";

}  // namespace

void AddUi(CLI::App& app, UiOptions& options) {
  CLI::App* ui =
      app.add_subcommand("ui", "Tell all that there is to see of a measured process or a recorded run");
  ui->footer(kExamples);
  ui->add_option("what", options.what, "A PID, or the file of a session")->type_name("PID|FILE")->required();
  ui->add_option("--loader", options.loader, "Of several loaders: the one with this in its name")
      ->type_name("NAME");
  ui->add_option("--at", options.at, "The moment that is shown, e.g. 40s after the start")->type_name("TIME");
  ui->add_flag("--dump-view", options.dump_view, "Print it as JSON")->required();
}

}  // namespace sluice::app
