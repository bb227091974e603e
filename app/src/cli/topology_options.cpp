#include "cli/topology_options.h"

#include "cli/checks.h"

namespace sluice::app {

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

}  // namespace sluice::app
