// Streams: a run as lines of JSON (--jsonl) and as TensorBoard event files (--tensorboard), written while it
// goes on: figures once a second, decisions and what the process says at once.
//
// One thread (the agent's).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/agent.h"
#include "sluice/base/error.h"
#include "sluice/exporters/growing_file.h"
#include "sluice/exporters/session_recorder.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

class Streams {
 public:
  // Empty: not asked for. The folder of event files is made where it is missing.
  [[nodiscard]] static Result<std::unique_ptr<Streams>> Open(const std::string& lines,
                                                             const std::string& event_folder,
                                                             const exporters::SessionFacts& facts);
  void Add(std::uint32_t number, const exporters::SessionPipeline& pipeline);
  // `last`: figures too, although no second has passed.
  void Note(std::uint32_t number, const Agent& agent, const std::vector<probes::LogLine>& events, bool last);
  void Close(Nanos wall, const std::string& outcome);
  // What cannot be written since the last call; each file is told once.
  [[nodiscard]] std::optional<std::string> Trouble() { return std::exchange(trouble_, std::nullopt); }

 private:
  struct Pipeline {
    exporters::SessionPipeline info;
    std::optional<Snapshot> written;  // nullopt: nothing yet
    exporters::DecisionNews news;
    std::uint64_t told_events = 0;
    std::optional<exporters::GrowingFile> events;  // for TensorBoard
  };

  Streams() = default;
  void Begin(std::uint32_t number, Pipeline& pipeline, const Snapshot& now);
  void WriteFigures(std::uint32_t number, Pipeline& pipeline, const Agent& agent);
  void WriteDecisions(std::uint32_t number, Pipeline& pipeline, const Agent& agent);
  void WriteEvents(std::uint32_t number, Pipeline& pipeline, const Snapshot& now,
                   const std::vector<probes::LogLine>& events);
  // A file that fails is given up.
  void Append(std::optional<exporters::GrowingFile>& file, const std::string& bytes);

  std::optional<exporters::GrowingFile> lines_;
  std::string event_folder_, run_id_;
  std::map<std::uint32_t, Pipeline> pipelines_;
  std::optional<std::string> trouble_;
};

}  // namespace sluice::app
