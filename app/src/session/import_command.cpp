#include "session/import_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "loop/display.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "sluice/autotune/depth_verdict.h"
#include "sluice/exporters/mindspore_profile.h"
#include "sluice/exporters/whole_session.h"
#include "version.h"

namespace sluice::app {
namespace {

// "profiler" of "runs/profiler/".
std::string NameOf(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// As of each moment, over what had been seen since the first batch.
std::vector<exporters::RecordedState> Judged(std::vector<Snapshot> snapshots, std::size_t samples) {
  const auto flows = [](const Snapshot& now) { return now.consumer.items > 0 || !now.consumer.items_known; };
  const auto found = std::ranges::find_if(snapshots, flows);
  const Snapshot first = found == snapshots.end() ? snapshots.front() : *found;
  std::vector<exporters::RecordedState> states;
  for (Snapshot& now : snapshots) {
    Verdict verdict = autotune::DepthVerdict(first, now, std::min(samples, states.size()));
    states.push_back({std::move(now), std::move(verdict)});
  }
  return states;
}

exporters::WholePipeline PipelineOf(exporters::MindSporeProfile profile) {
  const MonoTime begin = profile.snapshots.front().at;
  exporters::WholePipeline pipeline;
  pipeline.info = {
      .name = fmt::format("minddata_{}", profile.rank), .rank = profile.rank, .pid = 0, .started = begin};
  pipeline.states = Judged(std::move(profile.snapshots), profile.samples);
  for (std::string& note : profile.notes) pipeline.events.push_back({begin, std::move(note)});
  return pipeline;
}

// Ranks of which nothing can be used are told and left out.
Result<std::vector<exporters::MindSporeProfile>> ReadAll(const ImportOptions& options) {
  const auto found = exporters::FindMindSporeProfiles(options.folder, options.rank);
  if (!found) return std::unexpected(found.error());
  std::vector<exporters::MindSporeProfile> profiles;
  std::vector<Error> errors;
  for (const exporters::MindSporeFiles& files : *found) {
    auto profile = exporters::ReadMindSporeProfile(files, options.batch_size);
    if (profile) {
      profiles.push_back(std::move(*profile));
    } else {
      errors.push_back(profile.error());
    }
  }
  if (profiles.empty()) return std::unexpected(errors.front());
  for (const Error& error : errors) Warn(error.message);
  return profiles;
}

exporters::SessionFacts FactsOf(const ImportOptions& options, const exporters::MindSporeProfile& profile) {
  const Snapshot& first = profile.snapshots.front();
  exporters::SessionFacts facts{.verb = exporters::kImportVerb,
                                .name = NameOf(options.folder),
                                .run_id = "",
                                .version = kVersion,
                                .machine = {},
                                .started = first.at,
                                .started_wall = first.wall};
  facts.machine.logical_cpus = profile.logical_cpus;
  facts.machine.memory = profile.memory;
  return facts;
}

}  // namespace

int ImportMindSporeProfile(const ImportOptions& options) {
  auto profiles = ReadAll(options);
  if (!profiles) return Complain(profiles.error(), kExitFailed);
  const exporters::SessionFacts facts = FactsOf(options, profiles->front());
  std::vector<exporters::WholePipeline> pipelines;
  exporters::SessionEnd end{.at = facts.started, .outcome = "was profiled by MindSpore"};
  for (exporters::MindSporeProfile& profile : *profiles) {
    end.at = std::max(end.at, profile.snapshots.back().at);
    pipelines.push_back(PipelineOf(std::move(profile)));
  }
  const auto written = exporters::WriteWholeSession(options.output, facts, pipelines, end);
  if (!written) return Complain(written.error(), kExitFailed);
  return PrintOut(exporters::WholeSessionText(pipelines, PageStyle(STDOUT_FILENO)));
}

}  // namespace sluice::app
