// A pipeline that is watched and steered over its control socket, of this machine or another one, as the
// window's feed.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sluice/exporters/decision_log.h"
#include "sluice/ui/feed.h"
#include "steer/remote_run.h"
#include "steer/remote_steering.h"
#include "ui/shown_history.h"

namespace sluice::app {

// One thread.
class RemoteFeed : public ui::Feed {
 public:
  // As RemoteRun::Open.
  [[nodiscard]] static Result<std::unique_ptr<ui::Feed>> Open(const ControlPeer& peer,
                                                              const std::string& loader);

  bool Poll() override;
  [[nodiscard]] const ui::Track& track() const override { return history_.track(); }
  [[nodiscard]] bool live() const override { return !over_; }
  void Send(const ui::Wish& wish) override { steering_.Send(wish); }
  [[nodiscard]] Result<std::unique_ptr<ui::Feed>> OpenRank(std::size_t rank) override;
  [[nodiscard]] Result<ui::Scene> At(const ui::Look& look) override;

 private:
  explicit RemoteFeed(std::unique_ptr<RemoteRun> run);
  [[nodiscard]] std::vector<ui::RankSeen> Ranks(const ui::Scene& scene) const;

  std::unique_ptr<RemoteRun> run_;
  std::vector<RemoteRun::Listed> listed_;  // as the last scene has them
  ShownHistory history_;
  exporters::DecisionLog decisions_;
  bool over_ = false;
  bool silent_ = false;  // as of the last poll
  RemoteSteering steering_;
};

}  // namespace sluice::app
