#include "ui/remote_feed.h"

#include <utility>

#include "sluice/base/clock.h"
#include "sluice/exporters/interval.h"
#include "ui/scene_of.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kSilent{1500};  // a run tells five times a second

}  // namespace

Result<std::unique_ptr<ui::Feed>> RemoteFeed::Open(const ControlPeer& peer, const std::string& loader) {
  auto run = RemoteRun::Open(peer, loader);
  if (!run) return std::unexpected(run.error());
  return std::unique_ptr<ui::Feed>(new RemoteFeed(std::move(*run)));
}

RemoteFeed::RemoteFeed(std::unique_ptr<RemoteRun> run)
    : run_(std::move(run)),
      history_(run_->first().run_start, {run_->first().now, run_->first().verdict}),
      steering_(RoadTo(run_->peer()), {run_->first().pid, run_->first().name}, ViewerName("window")) {
  for (const exporters::LoggedDecision& entry : run_->first().decisions) decisions_.Put(entry);
}

// A silence is news when it begins and, for its length is shown, as long as it lasts.
bool RemoteFeed::Poll() {
  bool news = steering_.TakeNews();
  if (over_) return news;
  over_ = run_->over();
  auto seen = run_->Take();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].now.at <= history_.now().at) continue;
    for (exporters::LoggedDecision& entry : seen[i].decisions) decisions_.Put(std::move(entry));
    history_.Add({std::move(seen[i].now), std::move(seen[i].verdict)}, over_ && i + 1 == seen.size());
  }
  const bool silent = MonoNow() - run_->heard() > kSilent;
  news = news || over_ || !seen.empty() || silent || silent != silent_;
  silent_ = silent;
  return news;
}

Result<std::unique_ptr<ui::Feed>> RemoteFeed::OpenRank(std::size_t rank) {
  if (rank >= listed_.size() || listed_[rank].pipeline == run_->pipeline()) return nullptr;
  auto run = RemoteRun::Open(run_->peer(), listed_[rank].pipeline);
  if (!run) return std::unexpected(run.error());
  return std::unique_ptr<ui::Feed>(new RemoteFeed(std::move(*run)));
}

// Figures are known of the one that is heard.
std::vector<ui::RankSeen> RemoteFeed::Ranks(const ui::Scene& scene) const {
  std::vector<ui::RankSeen> ranks;
  for (const RemoteRun::Listed& each : listed_) {
    ranks.push_back({.name = each.name, .rank = each.rank, .pid = each.pid});
    if (each.pipeline != run_->pipeline()) continue;
    ranks.back().items = scene.consumer.items;
    ranks.back().starved = scene.consumer.starved;
    ranks.back().shown = true;
  }
  return ranks;
}

Result<ui::Scene> RemoteFeed::At(const ui::Look& look) {
  ui::Scene scene = history_.SceneAt(look);
  const exporters::SeenPipeline& who = run_->first();
  scene.name = who.name;
  scene.origin = run_->peer().where;
  scene.watched = over_ ? ui::Watched::kEnded : ui::Watched::kLive;
  scene.start = history_.start();
  scene.decisions = DecisionsOf(decisions_, scene.now.at);
  scene.first_knobs = who.now.knobs;
  if (!look.until) {
    scene.silent = MonoNow() - run_->heard();
    scene.lost = run_->lost();
    scene.without_items = history_.without_items();
  }
  scene.earlier = look.until.has_value();
  if (!over_) scene.steering = steering_.seen();
  listed_ = run_->listed();
  scene.ranks = Ranks(scene);
  return scene;
}

}  // namespace sluice::app
