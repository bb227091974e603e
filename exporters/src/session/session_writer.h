// SessionWriter: the rows of a session file, and which of them stay. The recorder's thread calls it.
//
// One thread.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "session/database.h"
#include "sluice/base/belief.h"
#include "sluice/base/error.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/session_recorder.h"

namespace sluice::exporters {

struct PipelineEntry {
  std::uint32_t pipeline = 0;
  SessionPipeline info;
};
struct SnapshotEntry {
  std::uint32_t pipeline = 0;
  Snapshot now;
  Verdict verdict;
  std::vector<Belief> beliefs = {};
};
struct DecisionEntry {
  std::uint32_t pipeline = 0;
  LoggedDecision decision;
  std::vector<std::string> knobs;  // names, as in decision.changes
};
struct EventEntry {
  std::uint32_t pipeline = 0;
  MonoTime at{0};
  std::string text;
};
using SessionEntry = std::variant<PipelineEntry, SnapshotEntry, DecisionEntry, EventEntry>;

class SessionWriter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SessionWriter>> Create(const std::string& path,
                                                                     const SessionFacts& facts,
                                                                     const SessionOptions& options);
  // All of it or, on an error, nothing.
  [[nodiscard]] Result<void> Write(const std::vector<SessionEntry>& entries);
  // Leaves one plain file behind, unless somebody is reading it.
  [[nodiscard]] Result<void> Finish(MonoTime at, Nanos wall, const std::string& outcome);
  // The file is no longer where it was made.
  [[nodiscard]] bool Gone() const;
  // It has reached its limit although little more than the last seconds are kept at full rate.
  [[nodiscard]] bool Full() const { return full_; }

 private:
  // What is known of a pipeline's rows, so that only changes are written. Forgotten after an error.
  struct Written {
    bool graph = false;
    std::map<KnobId, Knob> knobs;
    std::vector<std::string> beliefs;  // names
    MonoTime first{0}, last{0};
    std::vector<MonoTime> thinned;  // until when, by level
  };

  SessionWriter(std::unique_ptr<Database> database, const SessionOptions& options);
  void Tell(const char* key, const auto& value);
  void Put(const PipelineEntry& entry);
  void Put(const SnapshotEntry& entry);
  void Put(const DecisionEntry& entry);
  void Put(const EventEntry& entry);
  void PutGraph(std::uint32_t pipeline, const Graph& graph);
  void PutSnapshot(const SnapshotEntry& entry, std::int64_t number);
  void PutReadings(std::int64_t snapshot, const Snapshot& now);
  void PutKnobs(std::uint32_t pipeline, const Snapshot& now, Written& written);
  void PutBeliefs(const SnapshotEntry& entry, Written& written);
  void Thin(std::uint32_t pipeline, Written& written);
  void RemoveBetween(std::uint32_t pipeline, MonoTime from, MonoTime to, std::int64_t keep_each);
  void KeepBelowLimit();
  [[nodiscard]] Result<void> End();  // of a transaction

  const std::unique_ptr<Database> database_;
  const Bytes limit_;
  Nanos recent_;
  bool full_ = false;
  std::map<std::uint32_t, std::int64_t> numbers_;  // of the next snapshot of each pipeline
  std::map<std::uint32_t, Written> written_;
  std::int64_t next_snapshot_ = 1;
  std::uint64_t device_ = 0, inode_ = 0;
};

}  // namespace sluice::exporters
