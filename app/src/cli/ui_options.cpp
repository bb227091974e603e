#include "cli/ui_options.h"

namespace sluice::app {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  sluice ui                              what there is to look at: processes, sessions, scenarios\n"
    "  sluice ui 4242                         a measured process, live (see `sluice ls`)\n"
    "  sluice ui run.sluice                   a recorded run\n"
    "  sluice ui scenarios/mixed.toml         a scenario: its settings, and a run of it\n"
    "  sluice ui node7:9470 --token-file token   a run of another machine (sluice run --listen)\n"
    "  sluice ui run.sluice --screenshot run.png --size 1600x1000 --theme light\n"
    "                                         a picture of it; needs no display\n"
    "  sluice ui before.sluice after.sluice   two recorded runs side by side\n"
    "  sluice ui --dump-view run.sluice       all that it shows, as JSON\n"
    "\n"
    "It changes nothing in what it shows but the knobs that you turn. ? lists its keys, Ctrl+P finds all "
    "that "
    "it can do.\n"
    "~/.config/sluice/ui.toml may give it other keys; theme, scale, table and place are as you left them. "
    "docs/ui.md describes it.";

}  // namespace

void AddUiOptions(CLI::App& app, UiOptions& options) {
  app.add_option("what", options.what,
                 "A PID, the file of a session or a scenario, a control socket, or HOST:PORT of a run with "
                 "--listen (default: the start page)")
      ->type_name("PID|FILE|SOCKET|HOST:PORT");
  app.add_option("with", options.with, "A second session's file: what it does otherwise than the first")
      ->type_name("FILE");
  app.add_option("--token-file", options.token_file, "What HOST:PORT wants to see: its run's --token-file")
      ->type_name("FILE");
  app.add_option("--loader", options.loader, "Of several loaders: the one with this in its name")
      ->type_name("NAME");
  app.add_option("--at", options.at, "The moment that is shown first, e.g. 40s after the start")
      ->type_name("TIME");
  app.add_option(
         "--show", options.show,
         "The table that is shown first, and what is chosen: ops, ops:decode, knobs:decode.workers, ...")
      ->type_name("TABLE[:NAME]");
  app.add_flag("--dump-view", options.dump_view, "Print what the window would show, as JSON, and open none");
  app.add_option("--screenshot", options.screenshot, "Write a picture (PNG) to FILE and open no window")
      ->type_name("FILE");
  app.add_option("--size", options.size,
                 "Of the window or the picture (default: as it was left, or 1280x800)")
      ->type_name("WxH");
  app.add_option("--scale", options.scale,
                 "Of text and everything else (default: as it was left, or the screen's)")
      ->type_name("S")
      ->check(CLI::Range(0.5, 4.0));
  app.add_option("--theme", options.theme,
                 "light, dark, contrast or colourblind (default: as it was left, or dark)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"light", "dark", "contrast", "colourblind"}));
}

void AddUi(CLI::App& app, UiOptions& options) {
  CLI::App* ui = app.add_subcommand("ui", "Show a measured process or a recorded run in a window");
  ui->footer(kExamples);
  AddUiOptions(*ui, options);
}

}  // namespace sluice::app
