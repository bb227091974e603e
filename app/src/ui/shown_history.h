// ShownHistory: what was seen of a run that goes on, from the moment on when somebody began to look: scenes
// of any moment since, and curves. One thread.
#pragma once
#include <deque>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/ui/feed.h"

namespace sluice::app {

// Snapshots of a run of any length: the newer ones at full rate, of older ones fewer and fewer. One thread.
class KeptSnapshots {
 public:
  struct Entry {
    Snapshot now;
    Verdict verdict;
  };
  explicit KeptSnapshots(std::size_t most) : most_(most) {}
  void Add(Entry entry);
  // The last one at or before `when`; the first where there is none. REQUIRES: there is one.
  [[nodiscard]] const Entry& Until(MonoTime when) const;
  [[nodiscard]] const std::deque<Entry>& all() const { return entries_; }

 private:
  std::size_t most_;
  std::deque<Entry> entries_;  // in the order of time
};

class ShownHistory {
 public:
  ShownHistory(MonoTime run_start, KeptSnapshots::Entry first);

  // In the order of time. Returns whether a point of the curves was made of it. `last`: make one in any case.
  bool Add(KeptSnapshots::Entry entry, bool last);
  [[nodiscard]] const Snapshot& now() const { return recent_.back().now; }
  [[nodiscard]] MonoTime start() const { return start_; }
  [[nodiscard]] const ui::Track& track() const { return track_; }
  // Since the consumer last took something.
  [[nodiscard]] Nanos without_items() const { return now().at - last_item_; }
  // Its figures, and nothing that only the feed knows.
  [[nodiscard]] ui::Scene SceneAt(const ui::Look& look) const;

 private:
  const MonoTime start_;
  KeptSnapshots kept_;
  std::deque<KeptSnapshots::Entry> recent_;  // all of the last two seconds
  ui::Track track_;
  MonoTime last_item_;
};

}  // namespace sluice::app
