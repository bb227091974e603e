// SimStory: one simulated run told in the order of time: what was measured, what was changed and why, what
// became of it, when the verdict changed, what happened to the scenario. One thread.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/simulator/optimum.h"

namespace sluice::app {

// Over the last two seconds, or since the last change where that is shorter.
struct Measured {
  Rate rate;  // consumer items per second
  std::optional<Fraction> starved;
  std::optional<double> cores;
  Bytes buffered{0};
  Rate optimum;  // at this moment
};

enum class StoryKind : std::uint8_t { kEvent, kOutcome, kDecision, kVerdict };

struct StoryEntry {
  Nanos at{0};
  StoryKind kind = StoryKind::kDecision;
  Measured measured{};  // with a decision
  Decision decision{};  // with a decision or a verdict
  Outcome outcome{};
  simulator::Optimum optimum{};  // since an event
};

class SimStory {
 public:
  // `optima` as Optima() gives them.
  explicit SimStory(std::vector<simulator::Optimum> optima) : optima_(std::move(optima)) {}

  // A RunObserver: to be called at every tick.
  void See(const Snapshot& seen, const Decision& decision);

  [[nodiscard]] const std::vector<StoryEntry>& entries() const { return entries_; }
  // Knobs as they were before the first change, and as they were seen last.
  [[nodiscard]] const std::vector<Knob>& start() const { return start_; }
  [[nodiscard]] const Snapshot& last() const { return recent_.back(); }

 private:
  void NoteEvents(Nanos now);
  void NoteVerdict(const Snapshot& seen, const Decision& decision);
  [[nodiscard]] Measured Measure() const;
  StoryEntry& Add(Nanos at, StoryKind kind);

  const std::vector<simulator::Optimum> optima_;
  std::size_t stretch_ = 0;
  std::deque<Snapshot> recent_;
  std::vector<Knob> start_;
  Verdict verdict_;
  std::vector<StoryEntry> entries_;
};

}  // namespace sluice::app
