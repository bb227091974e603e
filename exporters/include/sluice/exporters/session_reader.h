// SessionReader: what a session file (docs/session-format.md) holds, as the values that it was made of. The
// file is untrusted: everything that is read has bounds, and what is damaged is an error that names the file.
//
// One thread. A session that is still being recorded can be read; it shows what was there when it was asked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/belief.h"
#include "sluice/base/error.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/session_recorder.h"

namespace sluice::exporters {

struct SessionEnd {
  MonoTime at{0};
  std::string outcome;
};

// Of every snapshot, at hand: when it was taken, what the consumer had done by then, and the cores that might
// be used; 0: not known.
struct SessionMoment {
  MonoTime at{0};
  ConsumerReading consumer{};
  double cores = 0;
};

struct RecordedPipeline {
  SessionPipeline info;
  std::shared_ptr<const Graph> graph;
  std::vector<SessionMoment> moments;  // in the order of time; not empty

  // The first moment at or after `when`; the last one where there is none.
  [[nodiscard]] std::size_t From(MonoTime when) const;
  // The last one at or before `when`; the first where there is none.
  [[nodiscard]] std::size_t Until(MonoTime when) const;
};

// All that was seen at one moment.
struct RecordedState {
  Snapshot now;
  Verdict verdict;
  std::vector<Belief> beliefs{};  // of the controller, where it was recorded with some
};

struct RecordedEvent {
  MonoTime at{0};
  std::string text;
};

class SessionReader {
 public:
  [[nodiscard]] static Result<SessionReader> Open(const std::string& path);
  SessionReader(SessionReader&&) noexcept;
  SessionReader& operator=(SessionReader&&) noexcept;
  ~SessionReader();

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const SessionFacts& facts() const { return facts_; }
  // nullopt: it is still being recorded, or whoever did so was killed.
  [[nodiscard]] const std::optional<SessionEnd>& end() const { return end_; }
  // Those with a snapshot; at least one.
  [[nodiscard]] const std::vector<RecordedPipeline>& pipelines() const { return pipelines_; }

  // REQUIRES: indices into pipelines() and its moments.
  [[nodiscard]] Result<RecordedState> At(std::size_t pipeline, std::size_t moment) const;
  // All of it, with the fates that were known at last.
  [[nodiscard]] Result<DecisionLog> Decisions(std::size_t pipeline) const;
  [[nodiscard]] Result<std::vector<RecordedEvent>> Events(std::size_t pipeline) const;

 private:
  class Tables;
  explicit SessionReader(std::unique_ptr<Tables> tables);

  std::unique_ptr<Tables> tables_;
  SessionFacts facts_;
  std::optional<SessionEnd> end_;
  std::vector<std::int64_t> numbers_;  // of pipelines_, in the file
  std::vector<RecordedPipeline> pipelines_;
};

}  // namespace sluice::exporters
