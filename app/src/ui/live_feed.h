// A measured process as the window's feed: looked at through its segment, and steered through the control
// socket of whoever tunes it.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/agent.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/ui/feed.h"
#include "steer/remote_steering.h"
#include "top/watched_run.h"

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

// One thread. Takes its own time between two looks, however often it is polled.
class LiveFeed : public ui::Feed {
 public:
  // `loader`: of several pipelines of the process, the one with this in its name. An error says what there
  // is.
  [[nodiscard]] static Result<std::unique_ptr<ui::Feed>> Open(int pid, const std::string& loader);

  bool Poll() override;
  [[nodiscard]] const ui::Track& track() const override { return track_; }
  void Send(const ui::Wish& wish) override { steering_.Send(wish); }
  [[nodiscard]] Result<ui::Scene> At(const ui::Look& look) override;

 private:
  // Another pipeline of the same run.
  struct Sibling {
    probes::SegmentReader reader;
    Snapshot before, now;
  };
  LiveFeed(probes::SegmentReader reader, const std::string& folder);
  void Keep();
  void FindSiblings();
  [[nodiscard]] std::vector<ui::RankSeen> Ranks(const ui::Scene& scene) const;
  [[nodiscard]] std::optional<Nanos> Silent() const;

  WatchedPlant plant_;
  const probes::SegmentIdentity who_;
  const MachineShape machine_;
  Onlooker onlooker_;
  Agent agent_;
  KeptSnapshots kept_;
  ui::Track track_;
  std::vector<Sibling> siblings_;
  MonoTime looked_{0};
  MonoTime last_item_{0};  // when the consumer was last seen to have taken one
  bool over_ = false;
  RemoteSteering steering_;
};

}  // namespace sluice::app
