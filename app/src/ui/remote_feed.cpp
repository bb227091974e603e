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
  return std::unique_ptr<ui::Feed>(new RemoteFeed(std::move(*run), peer));
}

RemoteFeed::RemoteFeed(std::unique_ptr<RemoteRun> run, const ControlPeer& peer)
    : run_(std::move(run)),
      where_(peer.where),
      history_(run_->first().run_start, {run_->first().now, run_->first().verdict}),
      steering_(RoadTo(peer), {run_->first().pid, run_->first().name}, ViewerName("window")) {
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

Result<ui::Scene> RemoteFeed::At(const ui::Look& look) {
  ui::Scene scene = history_.SceneAt(look);
  const exporters::SeenPipeline& who = run_->first();
  scene.name = who.name;
  scene.origin = where_;
  scene.watched = over_ ? ui::Watched::kEnded : ui::Watched::kLive;
  scene.start = history_.start();
  scene.decisions = DecisionsOf(decisions_, scene.now.at);
  scene.first_knobs = who.now.knobs;
  if (!look.until) {
    scene.silent = MonoNow() - run_->heard();
    scene.without_items = history_.without_items();
  }
  scene.earlier = look.until.has_value();
  if (!over_) scene.steering = steering_.seen();
  scene.ranks = {{.name = who.name,
                  .rank = who.rank,
                  .pid = who.pid,
                  .items = scene.consumer.items,
                  .starved = scene.consumer.starved,
                  .shown = true}};
  return scene;
}

}  // namespace sluice::app
