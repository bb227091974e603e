// Recording: what is kept of a run while it goes on, for any verb that has an agent: a session (--record),
// lines of JSON (--jsonl), TensorBoard event files (--tensorboard). What goes wrong with a file is a warning.
//
// One thread (the agent's).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "loop/agent.h"
#include "loop/streams.h"
#include "sluice/base/error.h"
#include "sluice/exporters/session_recorder.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

struct RecordOptions {
  std::string file;         // of the session; empty: there is none
  std::string limit;        // of it, with unit, as typed; empty: not given
  std::string lines;        // file; empty: there is none
  std::string tensorboard;  // folder; empty: there are no event files
};

// Whether the options make sense.
[[nodiscard]] Result<void> CheckRecord(const RecordOptions& options);
// Each file that cannot be written: said before the run rather than in it.
[[nodiscard]] std::vector<Error> WhatCannotBeRecorded(const RecordOptions& options);

class Recording {
 public:
  // nullptr: nothing is asked for. The verb, the name and the run's id are the caller's; the rest of the
  // facts is filled in.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> Start(const RecordOptions& options,
                                                                exporters::SessionFacts facts);
  // Returns its number, never 0.
  std::uint32_t Add(const exporters::SessionPipeline& pipeline);
  // Once after each step of the pipeline's agent, the last time with `last`. `events`: what its process has
  // logged, each with its number.
  void Note(std::uint32_t pipeline, const Agent& agent, const std::vector<probes::LogLine>& events,
            bool last = false);
  void Close(const std::string& outcome);

 private:
  Recording() = default;
  void RecordSession(std::uint32_t pipeline, const Agent& agent, const std::vector<probes::LogLine>& events);
  void TellTrouble();

  std::unique_ptr<exporters::SessionRecorder> recorder_;  // nullptr: no session
  std::unique_ptr<Streams> streams_;
  std::uint32_t pipelines_ = 0;
  std::map<std::uint32_t, std::uint64_t> told_;  // events of each pipeline, to the session
};

}  // namespace sluice::app
