#include "session/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "loaders/tuned_file.h"
#include "result/exit_codes.h"
#include "result/results.h"
#include "session/choose_pipeline.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/beliefs.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/mindspore_settings.h"
#include "sluice/exporters/session_reader.h"
#include "sluice/exporters/write_file.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/machine_shape.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"

namespace sluice::app {
namespace {

// What is set in one pipeline, and on which machine.
struct Found {
  std::string program;
  std::optional<int> rank;
  double rate = 0;  // items per second of the consumer; 0: not known
  Snapshot now;
};
struct AllFound {
  std::string cpu;
  double cores = 0;
  std::vector<Found> pipelines;
};

std::optional<int> PidIn(const std::string& text) {
  int pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc() && end == text.data() + text.size() && pid > 0 ? std::optional(pid)
                                                                             : std::nullopt;
}

// A few seconds at the end of what is recorded.
double RateAtEnd(const exporters::SessionReader& session, std::size_t number, const Snapshot& now) {
  const exporters::RecordedPipeline& pipeline = session.pipelines()[number];
  const auto before = session.At(number, pipeline.Until(now.at - std::chrono::seconds(5)));
  const auto rate = before ? exporters::MeasureConsumer(before->now, now).items : std::nullopt;
  return rate ? rate->per_second : 0;
}

// As many as the run ever had: fewer at a moment are those of a shared machine, not of another.
double MostCores(const exporters::RecordedPipeline& pipeline) {
  return std::ranges::max_element(pipeline.moments, {}, &exporters::SessionMoment::cores)->cores;
}

Result<AllFound> InSession(const std::string& path) {
  const auto session = exporters::SessionReader::Open(path);
  if (!session) return std::unexpected(session.error());
  AllFound found{.cpu = session->facts().machine.cpu, .cores = 0, .pipelines = {}};
  for (std::size_t i = 0; i < session->pipelines().size(); ++i) {
    const exporters::RecordedPipeline& pipeline = session->pipelines()[i];
    auto last = session->At(i, pipeline.moments.size() - 1);
    if (!last) return std::unexpected(last.error());
    found.cores = std::max(found.cores, MostCores(pipeline));
    const double rate = RateAtEnd(*session, i, last->now);
    found.pipelines.push_back({pipeline.info.name, pipeline.info.rank, rate, std::move(last->now)});
  }
  return found;
}

Result<AllFound> InProcess(int pid) {
  AllFound found{
      .cpu = probes::ReadMachineShape().cpu, .cores = probes::ReadMachineBudget(0).cores, .pipelines = {}};
  for (const auto& segment : probes::FindSegments(probes::DefaultSegmentFolder(), false)) {
    if (!segment.alive || !segment.identity || static_cast<int>(segment.identity->pid) != pid) continue;
    const auto reader = probes::SegmentReader::Open(segment.path);
    if (!reader) return std::unexpected(reader.error());
    found.pipelines.push_back(
        {segment.identity->program, segment.identity->rank, 0, reader->Read(MonoNow(), WallNow())});
  }
  if (found.pipelines.empty())
    return Fail(fmt::format("process {} is not measured; `sluice ls` lists those that are", pid));
  return found;
}

Result<AllFound> Find(const ExportOptions& options) {
  const auto pid = PidIn(options.source);
  auto found = pid ? InProcess(*pid) : InSession(options.source);
  if (!found) return found;
  std::erase_if(found->pipelines, [&](const Found& pipeline) {
    return pipeline.program.find(options.loader) == std::string::npos;
  });
  if (found->pipelines.empty())
    return Fail(fmt::format("nothing in {} has '{}' in its name", options.source, options.loader));
  return found;
}

// Loaders that were made anew have the same name: the last one counts.
std::string Toml(const AllFound& found) {
  TunedFile file{.cpu = found.cpu, .cores = found.cores, .loaders = {}};
  for (const Found& pipeline : found.pipelines) {
    TunedLoader loader{
        .program = pipeline.program, .rank = pipeline.rank, .knobs = {}, .rate = pipeline.rate};
    for (const Knob& knob : pipeline.now.knobs) loader.knobs.push_back({knob.name, knob.value});
    std::erase_if(file.loaders, [&](const TunedLoader& before) {
      return before.program == loader.program && before.rank == loader.rank;
    });
    file.loaders.push_back(std::move(loader));
  }
  return TunedToml(file);
}

Result<std::string> MindSpore(const AllFound& found) {
  if (found.pipelines.size() > 1) {
    std::string names;
    for (const Found& pipeline : found.pipelines) names += "\n  " + pipeline.program;
    return Fail("the format mindspore holds one pipeline; say which: --loader NAME" + names);
  }
  if (found.pipelines[0].now.graph == nullptr) return Fail("nothing is known of this pipeline's ops");
  return exporters::MindSporeSettingsJson(found.pipelines[0].now);
}

Result<std::string> SettingsText(const ExportOptions& options) {
  const auto found = Find(options);
  if (!found) return std::unexpected(found.error());
  return options.format == "mindspore" ? MindSpore(*found) : Result<std::string>(Toml(*found));
}

Result<std::string> BeliefsText(const ExportOptions& options) {
  const auto session = exporters::SessionReader::Open(options.source);
  if (!session) return std::unexpected(session.error());
  const auto pipeline = ChoosePipeline(*session, options.loader);
  if (!pipeline) return std::unexpected(pipeline.error());
  const auto beliefs = exporters::BeliefsOf(*session, *pipeline);
  if (!beliefs) return std::unexpected(beliefs.error());
  if (beliefs->rows.empty()) {
    return Fail(options.source +
                " holds nothing that a tuner believed: it was recorded without one, or by an older Sluice");
  }
  return exporters::BeliefsCsv(*beliefs);
}

int Export(const ExportOptions& options, Result<std::string> (*text_of)(const ExportOptions&)) {
  if (const auto can = CanBeWritten("--output", options.output); !can)
    return Complain(can.error(), kExitUsage);
  const auto text = text_of(options);
  if (!text) return Complain(text.error(), kExitFailed);
  if (options.output.empty()) return PrintOut(*text);
  const auto written = exporters::WriteFile(options.output, *text);
  return written ? kExitDone : Complain(written.error(), kExitFailed);
}

}  // namespace

int ExportSettings(const ExportOptions& options) {
  return Export(options, SettingsText);
}

int ExportBeliefs(const ExportOptions& options) {
  return Export(options, BeliefsText);
}

}  // namespace sluice::app
