#include "cli/top_options.h"

#include "cli/checks.h"
#include "cli/metrics_options.h"
#include "cli/session_options.h"

namespace sluice::app {

void AddTop(CLI::App& app, TopOptions& options) {
  CLI::App* top = app.add_subcommand("top", "Watch a measured process live, and change its knobs");
  top->footer(
      "Examples:\n"
      "  sluice top                       the only one; of several it asks which\n"
      "  sluice top 4242                  this process (see `sluice ls`)\n"
      "  sluice top --loader train_loader the loader with this in its name\n"
      "  sluice top 4242 --quiet --duration 5s --json look.json\n"
      "                                   what those five seconds were like, for programs\n"
      "  sluice top 4242 --quiet --metrics 127.0.0.1:9464\n"
      "                                   its metrics, as if it had been started with them\n"
      "Keys, in the live table: k sets a knob (it says what that would give before Enter), h holds the "
      "tuner\n"
      "or lets it go on, u undoes, r redoes, q leaves. They go over the run's control socket\n"
      "(docs/control-api.md); nothing else that top does touches the run.\n"
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

void AddTopology(CLI::App& app, TopologyOptions& options) {
  CLI::App* topology = app.add_subcommand("topology", "Draw the machine, and who runs where on it");
  topology->footer(
      "Examples:\n"
      "  sluice topology                  this machine, and the threads of all measured processes\n"
      "  sluice topology 4242             the threads of this process and of what it has started\n"
      "  sluice topology --json           the same, for programs\n"
      "  sluice topology --xml box.xml    a machine that `lstopo box.xml` was run on\n"
      "  sluice topology --synthetic 'package:2 [numa(memory=64GB)] l3:1 core:4 pu:2'\n"
      "                                   a machine that is only thought of\n"
      "docs/topology.md explains the drawing and documents the result.");
  auto* pid = topology->add_option("pid", options.pid, "Process to look at, with all that it has started")
                  ->type_name("PID")
                  ->check(Whole(1, INT32_MAX));
  auto* xml = topology->add_option("--xml", options.xml, "The machine of this file, as lstopo writes it")
                  ->type_name("FILE")
                  ->excludes(pid);
  topology->add_option("--synthetic", options.synthetic, "The machine of this description")
      ->type_name("TEXT")
      ->excludes(pid)
      ->excludes(xml);
  topology->add_flag("--json", options.json, "Write a JSON document");
}

void AddPlace(CLI::App& app, PlaceOptions& options) {
  CLI::App* place =
      app.add_subcommand("place", "Move a process that runs, and what it has started, to a NUMA node");
  place->footer(
      "Examples:\n"
      "  sluice place 4242 1                 all its threads run on node 1 from now on\n"
      "  sluice place 4242 1 --move-pages    and what its memory holds already moves there\n"
      "  sluice place 4242 cpus:0-7          on these CPUs\n"
      "  sluice place 4242 anywhere          on all that are allowed, as before\n"
      "What it starts later runs there as well. The report is what the kernel says afterwards, not what was "
      "asked\n"
      "for: docs/placement.md. Exit status: 0 all threads are there, 1 some are not, 2 wrong command line.");
  place->add_option("pid", options.pid, "Process to move, with all that it has started")
      ->required()
      ->type_name("PID")
      ->check(Whole(1, INT32_MAX));
  place->add_option("where", options.where, "A node or several (0-1), cpus:LIST, or anywhere")
      ->required()
      ->type_name("WHERE");
  place->add_flag("--move-pages", options.move_pages,
                  "Move the pages of its memory there as well, while it goes on");
}

}  // namespace sluice::app
