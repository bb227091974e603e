#include "wrap/wrap_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "result/results.h"
#include "sluice/base/text.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/probes/topology.h"

namespace sluice::app {
namespace {

std::string ValueOf(const char* name) {
  const char* value = OwnVariable(name);
  return value != nullptr ? value : "";
}

std::string SegmentFolder() {
  const std::string named = ValueOf("SLUICE_SEGMENT_FOLDER");
  return named.empty() ? probes::DefaultSegmentFolder() : named;
}

wrap::WrapEnvironment WantedEnvironment(const WrapOptions& options, const wrap::Package& package) {
  wrap::WrapEnvironment wanted;
  wanted.inject = package.inject.string();
  wanted.library = package.library.string();
  wanted.repro = options.repro;
  wanted.advise = options.mode != TuneMode::kTune;
  wanted.tune_threads = options.tune_threads;
  return wanted;
}

// What becomes the command is silent; so is who asked for no report, unless asked for this.
Progress WantedProgress(const WrapOptions& options) {
  const bool by_default = options.progress == Progress::kWhereQuiet;
  return options.exec || (options.quiet && by_default) ? Progress::kNever : options.progress;
}

Result<HostAgentOptions> AgentOptions(const WrapOptions& options) {
  HostAgentOptions agent;
  agent.mode = options.mode;
  agent.cores = options.cores;
  agent.near = options.near;
  agent.save = options.save;
  agent.load = options.load;
  agent.tune_threads = options.tune_threads;
  agent.progress = WantedProgress(options);
  agent.metrics = options.metrics;
  agent.quiet = options.quiet;
  agent.control = !options.control.none;
  auto door = DoorOf(options.control);
  if (!door) return std::unexpected(door.error());
  agent.door = std::move(*door);
  if (const auto valid = CheckMetrics(options.metrics); !valid) return std::unexpected(valid.error());
  agent.record = options.record;
  agent.flight = options.flight;
  agent.command = fmt::format("{}", fmt::join(options.command, " "));
  if (const auto record = CheckRecord(options.record); !record) return std::unexpected(record.error());
  if (const auto flight = CheckFlight(options.flight); !flight) return std::unexpected(flight.error());
  if (options.memory.empty()) return agent;
  const auto bytes = ParseBytes(options.memory);
  if (!bytes) return Fail("--memory: " + bytes.error().message);
  if (bytes->count == 0)
    return Fail("--memory: 0 bytes hold no batch; leave it out for half of what is free");
  agent.memory = *bytes;
  return agent;
}

// Before an hour of training rather than after it; the training goes on all the same.
void WarnOfFiles(const WrapOptions& options, std::vector<std::string>& warnings) {
  const std::pair<const char*, const std::string&> files[] = {
      {"--report", options.report}, {"--json", options.json}, {"--save", options.save}};
  for (const auto& [option, file] : files) {
    if (const auto writable = CanBeWritten(option, file); !writable)
      warnings.push_back(writable.error().message);
  }
  for (const Error& error : WhatCannotBeRecorded(options.record)) warnings.push_back(error.message);
}

constexpr const char* kPatched =
    "DataLoader._get_iterator; its iterators' __init__, __next__, _next_index, _reset, _try_put_index,\n"
    "  _get_data, _try_get_data, _shutdown_workers; the fetchers' fetch; Compose.__call__;\n"
    "  the pin thread's function; the names of multiprocessing's semaphores";

std::string InsideText(const WrapPlan& plan) {
  if (!plan.agent) return "nothing: see the warnings";
  if (!plan.python) return std::string(kPatched) + "\n  in each Python process that the command starts";
  if (!plan.python->forbids.empty()) return "nothing: see the warnings";
  return std::string(kPatched) + "\n  in " + plan.python->interpreter +
         " and each Python process that it starts";
}

Result<std::optional<Where>> PlaceFrom(const WrapOptions& options) {
  if (options.place.empty()) return std::nullopt;
  const auto topology = probes::ReadTopology();
  if (!topology) return Fail("--place: " + topology.error().message);
  auto where = WhereOn(*topology, options.place, true);
  if (!where) return Fail("--place: " + where.error().message);
  return std::move(*where);
}

}  // namespace

const char* OwnVariable(const char* name) {
  return std::getenv(name);
}

Result<WrapPlan> PlanWrap(const WrapOptions& options) {
  auto agent = AgentOptions(options);
  if (!agent) return std::unexpected(agent.error());
  auto place = PlaceFrom(options);
  if (!place) return std::unexpected(place.error());
  WrapPlan plan;
  plan.place = std::move(*place);
  wrap::WrapEnvironment wanted;
  const auto package = wrap::FindPackage(wrap::ThisProgram());
  plan.segment_folder = SegmentFolder();
  agent->folder = plan.segment_folder;
  const auto folder = probes::CheckSegmentFolder(plan.segment_folder);
  if (package) plan.package = *package;
  if (!package) plan.warnings.push_back(package.error().message + "; measured from outside only");
  if (!folder) plan.warnings.push_back(folder.error().message + "; measured from outside only");
  if (package && folder) wanted = WantedEnvironment(options, *package);
  wanted.run_id = probes::NewRunId();
  wanted.mark = wrap::MarkOf(getpid());
  plan.mark = std::string(wrap::kMarkVariable) + "=" + wanted.mark;
  const std::string named = ValueOf("SLUICE_RUN_ID");
  plan.run_id = agent->run_id = named.empty() ? wanted.run_id : named;
  plan.changes = wrap::PlanEnvironment(OwnVariable, wanted);
  plan.command = {options.command, wrap::ApplyChanges(environ, plan.changes)};
  if (package && folder) plan.agent = std::move(*agent);
  plan.python = wrap::FindPython(options.command, ValueOf("PATH"));
  if (plan.agent && plan.python && !plan.python->forbids.empty()) {
    plan.warnings.push_back(plan.python->forbids +
                            " keeps our sitecustomize out; measured from outside only");
  }
  WarnOfFiles(options, plan.warnings);
  return plan;
}

std::string PlanText(const WrapPlan& plan) {
  std::string text = "environment:\n";
  for (const wrap::EnvironmentChange& change : plan.changes) {
    if (change.before) text += fmt::format("  - {}={}\n", change.name, *change.before);
    text += fmt::format("  + {}={}\n", change.name, change.after);
  }
  if (plan.place) text += "placed on:\n  " + plan.place->words + "\n";
  text += "command:\n ";
  for (const std::string& word : plan.command.arguments) text += " " + word;
  text += "\npatched, once torch.utils.data is imported (`sluice doctor` asks the interpreter):\n  " +
          InsideText(plan) + "\n";
  for (const std::string& warning : plan.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace sluice::app
