// SimStory: one simulated run told in the order of time: what was measured, what was changed and why, what
// became of it, when the verdict changed, what happened to the scenario. One thread.
#pragma once
#include <deque>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/sim_report.h"

namespace sluice::app {

class SimStory {
 public:
  // `optima`: one per stretch between events, by time.
  explicit SimStory(std::vector<exporters::SimOptimum> optima) : optima_(std::move(optima)) {}

  // A RunObserver: to be called at every tick.
  void See(const Snapshot& seen, const Decision& decision);

  [[nodiscard]] const std::vector<exporters::StoryEntry>& entries() const { return entries_; }
  // Knobs as they were before the first change, and as they were seen last.
  [[nodiscard]] const std::vector<Knob>& start() const { return start_; }
  [[nodiscard]] const Snapshot& last() const { return recent_.back(); }

 private:
  void NoteEvents(Nanos now);
  void NoteVerdict(const Snapshot& seen, const Decision& decision);
  [[nodiscard]] exporters::SimMeasured Measure() const;
  exporters::StoryEntry& Add(Nanos at, exporters::StoryKind kind);

  const std::vector<exporters::SimOptimum> optima_;
  std::size_t stretch_ = 0;
  std::deque<Snapshot> recent_;
  std::vector<Knob> start_;
  Verdict verdict_;
  std::vector<exporters::StoryEntry> entries_;
};

}  // namespace sluice::app
