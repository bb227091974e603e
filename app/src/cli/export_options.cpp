#include "cli/export_options.h"

#include "result/results.h"
#include "sluice/exporters/metric_catalogue.h"

namespace sluice::app {
namespace {

constexpr const char* kSettingsExamples =
    "Examples:\n"
    "  sluice export settings run.sluice -o tuned.toml        what that run had come to ...\n"
    "  sluice run scenarios/mixed.toml --load tuned.toml      ... and a run that begins there\n"
    "  sluice export settings 4242                            what a running process is set to\n"
    "  sluice export settings run.sluice --format mindspore   for readers of MindSpore's AutoTune";

void AddCatalogue(CLI::App& all) {
  CLI::App* metrics = all.add_subcommand("metrics", "The catalogue of metrics as JSON");
  metrics->footer(
      "Example:\n"
      "  sluice export metrics      name, type, unit, labels and meaning of each\n"
      "docs/metrics.md has the same for readers.");
}

constexpr const char* kBeliefsExamples =
    "Examples:\n"
    "  sluice run scenarios/mixed.toml --duration 20s --record run.sluice\n"
    "  sluice export beliefs run.sluice -o beliefs.csv      a row for each look, a column for each estimate\n"
    "docs/controller.md says what each column is (What it believed).";

void AddBeliefs(CLI::App& all, ExportOptions& options) {
  CLI::App* beliefs =
      all.add_subcommand("beliefs", "What the tuner of a recorded run believed, look by look, as CSV");
  beliefs->footer(kBeliefsExamples);
  beliefs->add_option("source", options.source, "A session")->required()->type_name("FILE");
  beliefs->add_option("--loader", options.loader, "Of several loaders: the one with this in its name")
      ->type_name("NAME");
  beliefs->add_option("--output,-o", options.output, "Where it goes (default: standard output)")
      ->type_name("FILE");
}

void AddSettings(CLI::App& all, ExportOptions& options) {
  CLI::App* settings =
      all.add_subcommand("settings", "What tuning has found, for the next run or other tools");
  settings->footer(kSettingsExamples);
  settings->add_option("source", options.source, "A session, or the PID of a measured process")
      ->required()
      ->type_name("FILE|PID");
  settings->add_option("--format", options.format, "toml (default), or mindspore: its AutoTune's JSON")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"toml", "mindspore"}));
  settings->add_option("--loader", options.loader, "Of several loaders: those with this in their names")
      ->type_name("NAME");
  settings->add_option("--output,-o", options.output, "Where it goes (default: standard output)")
      ->type_name("FILE");
}

}  // namespace

void AddExport(CLI::App& app, ExportOptions& settings) {
  CLI::App* all =
      app.add_subcommand("export", "Print what other programs need to know of Sluice and its runs");
  all->require_subcommand(1);
  all->footer(
      "Examples:\n"
      "  sluice export settings run.sluice      (sluice export settings --help)\n"
      "  sluice export beliefs run.sluice       (sluice export beliefs --help)\n"
      "  sluice export metrics                  (sluice export metrics --help)");
  AddSettings(*all, settings);
  AddBeliefs(*all, settings);
  AddCatalogue(*all);
}

int Export(const CLI::App& all, const ExportOptions& settings) {
  if (all.got_subcommand("metrics")) return PrintOut(exporters::MetricsJson());
  return all.got_subcommand("beliefs") ? ExportBeliefs(settings) : ExportSettings(settings);
}

}  // namespace sluice::app
