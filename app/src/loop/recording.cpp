#include "loop/recording.h"

#include <optional>
#include <utility>

#include "result/results.h"
#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/probes/machine_shape.h"
#include "version.h"

namespace sluice::app {
namespace {

constexpr Bytes kLeastLimit = 1_MiB;

Result<exporters::SessionOptions> OptionsOf(const RecordOptions& options) {
  exporters::SessionOptions session;
  if (options.limit.empty()) return session;
  const auto limit = ParseBytes(options.limit);
  if (!limit) return Fail("--record-limit: " + limit.error().message);
  if (*limit < kLeastLimit) return Fail("--record-limit: at least " + FormatBytes(kLeastLimit));
  session.limit = *limit;
  return session;
}

}  // namespace

Result<void> CheckRecord(const RecordOptions& options) {
  if (options.file.empty() && !options.limit.empty()) return Fail("--record-limit needs --record FILE");
  if (const auto valid = OptionsOf(options); !valid) return std::unexpected(valid.error());
  return {};
}

std::vector<Error> WhatCannotBeRecorded(const RecordOptions& options) {
  std::vector<Error> errors;
  const std::pair<const char*, const std::string&> files[] = {{"--record", options.file},
                                                              {"--jsonl", options.lines}};
  for (const auto& [option, file] : files) {
    if (auto writable = CanBeWritten(option, file); !writable) errors.push_back(std::move(writable.error()));
  }
  return errors;
}

Result<std::unique_ptr<Recording>> Recording::Start(const RecordOptions& options,
                                                    exporters::SessionFacts facts) {
  if (options.file.empty() && options.lines.empty() && options.tensorboard.empty()) return nullptr;
  const auto session = OptionsOf(options);
  if (!session) return std::unexpected(session.error());
  facts.version = kVersion;
  facts.machine = probes::ReadMachineShape();
  facts.started = MonoNow();
  facts.started_wall = WallNow();
  std::unique_ptr<Recording> recording(new Recording);
  // First, as it refuses what is no session: nothing has been emptied then.
  if (!options.file.empty()) {
    auto recorder = exporters::SessionRecorder::Create(options.file, facts, *session);
    if (!recorder) return Fail("--record: " + recorder.error().message);
    recording->recorder_ = std::move(*recorder);
  }
  auto streams = Streams::Open(options.lines, options.tensorboard, facts);
  if (!streams) return std::unexpected(streams.error());
  recording->streams_ = std::move(*streams);
  return recording;
}

std::uint32_t Recording::Add(const exporters::SessionPipeline& pipeline) {
  const std::uint32_t number = recorder_ ? recorder_->Add(pipeline) : ++pipelines_;
  streams_->Add(number, pipeline);
  return number;
}

void Recording::Note(std::uint32_t pipeline, const Agent& agent, const std::vector<probes::LogLine>& events,
                     bool last) {
  if (recorder_) RecordSession(pipeline, agent, events);
  streams_->Note(pipeline, agent, events, last);
  TellTrouble();
}

void Recording::RecordSession(std::uint32_t pipeline, const Agent& agent,
                              const std::vector<probes::LogLine>& events) {
  recorder_->Record(pipeline, agent.now(), agent.verdict(), agent.decisions(), agent.Beliefs());
  std::uint64_t& told = told_[pipeline];
  for (const probes::LogLine& event : events) {
    if (event.number < told) continue;
    told = event.number + 1;
    recorder_->Tell(pipeline, event.at, event.text);
  }
}

void Recording::Close(const std::string& outcome) {
  if (recorder_) recorder_->Close(MonoNow(), WallNow(), outcome);
  streams_->Close(WallNow(), outcome);
  TellTrouble();
}

void Recording::TellTrouble() {
  const auto tell = [](const std::optional<std::string>& trouble) {
    if (trouble) Warn(*trouble);
  };
  if (recorder_) tell(recorder_->Trouble());
  tell(streams_->Trouble());
}

}  // namespace sluice::app
