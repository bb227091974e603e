// A measured process as the window's feed: looked at through its segment, and steered through the control
// socket of whoever tunes it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/agent.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/ui/feed.h"
#include "steer/remote_steering.h"
#include "top/watched_run.h"
#include "ui/machine_look.h"
#include "ui/shown_history.h"

namespace sluice::app {

// One thread. Takes its own time between two looks, however often it is polled.
class LiveFeed : public ui::Feed {
 public:
  // `loader`: of several pipelines of the process, the one with this in its name. An error says what there
  // is.
  [[nodiscard]] static Result<std::unique_ptr<ui::Feed>> Open(int pid, const std::string& loader);

  bool Poll() override;
  [[nodiscard]] const ui::Track& track() const override { return history_.track(); }
  [[nodiscard]] bool live() const override { return !over_; }
  void Send(const ui::Wish& wish) override { steering_.Send(wish); }
  [[nodiscard]] Result<std::unique_ptr<ui::Feed>> OpenRank(std::size_t rank) override;
  [[nodiscard]] Result<ui::Scene> At(const ui::Look& look) override;

 private:
  // Another pipeline of the same run.
  struct Sibling {
    probes::SegmentReader reader;
    Snapshot before, now;
  };
  LiveFeed(probes::SegmentReader reader, const std::string& folder);
  void FindSiblings();
  void ReadSiblings();
  [[nodiscard]] std::vector<ui::RankSeen> Ranks(const ui::Scene& scene) const;
  [[nodiscard]] std::optional<Nanos> Silent() const;

  WatchedPlant plant_;
  const probes::SegmentIdentity who_;
  const MachineShape machine_;
  Onlooker onlooker_;
  Agent agent_;
  ShownHistory history_;
  std::vector<Sibling> siblings_;
  MachineLook machine_look_;
  bool looks_at_machine_ = false;  // somebody has asked for it last
  MonoTime looked_{0}, listed_{0};
  bool over_ = false;
  RemoteSteering steering_;
};

}  // namespace sluice::app
