#include "loop/streams.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/json_lines.h"
#include "sluice/exporters/tensorboard.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kEach{1};

std::string FolderName(const exporters::SessionPipeline& info) {
  const std::string name = "sluice-" + exporters::TensorBoardFolderName(info.name);
  return info.rank ? fmt::format("{}-rank{}", name, *info.rank) : name;
}

Result<void> MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  return {};
}

}  // namespace

Result<std::unique_ptr<Streams>> Streams::Open(const std::string& lines, const std::string& event_folder,
                                               const exporters::SessionFacts& facts) {
  std::unique_ptr<Streams> streams(new Streams);
  streams->event_folder_ = event_folder;
  streams->run_id_ = facts.run_id;
  if (!event_folder.empty()) {
    if (auto made = MakeFolder(event_folder); !made) return Fail("--tensorboard: " + made.error().message);
  }
  if (lines.empty()) return streams;
  auto file = exporters::GrowingFile::Create(lines);
  if (!file) return Fail("--jsonl: " + file.error().message);
  if (auto first = file->Append(exporters::JsonRunLine(facts)); !first)
    return Fail("--jsonl: " + first.error().message);
  streams->lines_.emplace(std::move(*file));
  return streams;
}

void Streams::Add(std::uint32_t number, const exporters::SessionPipeline& pipeline) {
  Pipeline& added = pipelines_[number];
  added.info = pipeline;
  if (event_folder_.empty()) return;
  const Nanos wall = WallNow();
  const std::filesystem::path folder = std::filesystem::path(event_folder_) / FolderName(pipeline);
  const std::string name = exporters::TensorBoardFileName(wall, fmt::format("{}.{}", run_id_, number));
  const auto made = MakeFolder(folder.string());
  auto file = made ? exporters::GrowingFile::Create((folder / name).string()) : std::unexpected(made.error());
  if (!file) {
    trouble_ = "--tensorboard: " + file.error().message;
    return;
  }
  added.events.emplace(std::move(*file));
  Append(added.events, exporters::TensorBoardHeader(wall));
}

void Streams::Note(std::uint32_t number, const Agent& agent, const std::vector<probes::LogLine>& events,
                   bool last) {
  Pipeline& pipeline = pipelines_.at(number);
  const Snapshot& now = agent.now();
  if (!pipeline.written) return Begin(number, pipeline, now);
  WriteDecisions(number, pipeline, agent);
  WriteEvents(number, pipeline, now, events);
  if (last ? now.at > pipeline.written->at : now.at - pipeline.written->at >= kEach)
    WriteFigures(number, pipeline, agent);
}

void Streams::Begin(std::uint32_t number, Pipeline& pipeline, const Snapshot& now) {
  Append(lines_, exporters::JsonPipelineLine(number, pipeline.info, now));
  pipeline.written = now;
}

void Streams::WriteFigures(std::uint32_t number, Pipeline& pipeline, const Agent& agent) {
  const Snapshot& now = agent.now();
  SLUICE_CHECK(pipeline.written);
  if (lines_) Append(lines_, exporters::JsonSnapshotLine(number, *pipeline.written, now, agent.verdict()));
  if (pipeline.events) Append(pipeline.events, exporters::TensorBoardScalars(*pipeline.written, now));
  pipeline.written = now;
}

void Streams::WriteDecisions(std::uint32_t number, Pipeline& pipeline, const Agent& agent) {
  for (const exporters::LoggedDecision* entry : pipeline.news.Take(agent.decisions())) {
    if (lines_) Append(lines_, exporters::JsonDecisionLine(number, *entry, agent.now()));
    if (pipeline.events)
      Append(pipeline.events, exporters::TensorBoardDecision(*entry, agent.now(), pipeline.info.started));
  }
}

void Streams::WriteEvents(std::uint32_t number, Pipeline& pipeline, const Snapshot& now,
                          const std::vector<probes::LogLine>& events) {
  for (const probes::LogLine& event : events) {
    if (event.number < pipeline.told_events) continue;
    pipeline.told_events = event.number + 1;
    Append(lines_, exporters::JsonEventLine(number, event.at, now, event.text));
  }
}

void Streams::Close(Nanos wall, const std::string& outcome) {
  Append(lines_, exporters::JsonEndLine(wall, outcome));
}

void Streams::Append(std::optional<exporters::GrowingFile>& file, const std::string& bytes) {
  if (!file) return;
  if (const auto written = file->Append(bytes); !written) {
    trouble_ = written.error().message + "; nothing more is written there";
    file.reset();
  }
}

}  // namespace sluice::app
