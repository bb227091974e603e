#include "ui/session_feed.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "session/choose_pipeline.h"
#include "sluice/exporters/interval.h"
#include "ui/comparison_of.h"
#include "ui/scene_of.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kFiguresOver{1};
constexpr std::size_t kMostPoints = 1500;  // of a curve: some more than a wide screen has columns

Snapshot ConsumerAt(const exporters::RecordedPipeline& pipeline, std::size_t moment) {
  Snapshot snapshot;
  snapshot.at = pipeline.moments[moment].at;
  snapshot.consumer = pipeline.moments[moment].consumer;
  return snapshot;
}

}  // namespace

Result<std::unique_ptr<ui::Feed>> SessionFeed::Open(const std::string& path, const std::string& loader) {
  auto session = exporters::SessionReader::Open(path);
  if (!session) return std::unexpected(session.error());
  const auto chosen = ChoosePipeline(*session, loader);
  if (!chosen) return std::unexpected(chosen.error());
  return OpenPipeline(std::move(*session), *chosen);
}

Result<std::unique_ptr<ui::Feed>> SessionFeed::OpenPipeline(exporters::SessionReader session,
                                                            std::size_t pipeline) {
  auto decisions = session.Decisions(pipeline);
  if (!decisions) return std::unexpected(decisions.error());
  auto feed = std::unique_ptr<SessionFeed>(new SessionFeed(std::move(session), pipeline));
  feed->decisions_ = std::move(*decisions);
  if (const auto read = feed->ReadTrack(); !read) return std::unexpected(read.error());
  return feed;
}

SessionFeed::SessionFeed(exporters::SessionReader session, std::size_t pipeline)
    : session_(std::move(session)), pipeline_(pipeline) {}

Result<std::unique_ptr<ui::Feed>> SessionFeed::OpenRank(std::size_t rank) {
  if (rank >= session_.pipelines().size()) return nullptr;
  auto session = exporters::SessionReader::Open(session_.path());
  if (!session) return std::unexpected(session.error());
  if (rank >= session->pipelines().size()) return Fail(session_.path() + " has been changed meanwhile");
  return OpenPipeline(std::move(*session), rank);
}

Result<void> SessionFeed::ReadTrack() {
  const std::size_t last = it().moments.size() - 1;
  const std::size_t step = std::max<std::size_t>(1, last / kMostPoints);
  auto from = session_.At(pipeline_, 0);
  if (!from) return std::unexpected(from.error());
  first_knobs_ = from->now.knobs;
  for (std::size_t moment = step; moment <= last; moment += step) {
    auto to = session_.At(pipeline_, last - moment < step ? last : moment);
    if (!to) return std::unexpected(to.error());
    Extend(track_, from->now, to->now, start());
    from = std::move(to);
  }
  return {};
}

std::vector<ui::RankSeen> SessionFeed::Ranks(MonoTime from, MonoTime until) const {
  std::vector<ui::RankSeen> ranks;
  for (std::size_t i = 0; i < session_.pipelines().size(); ++i) {
    const exporters::RecordedPipeline& pipeline = session_.pipelines()[i];
    const auto seen = exporters::MeasureConsumer(ConsumerAt(pipeline, pipeline.Until(from)),
                                                 ConsumerAt(pipeline, pipeline.Until(until)));
    ranks.push_back({.name = pipeline.info.name,
                     .rank = pipeline.info.rank,
                     .pid = pipeline.info.pid,
                     .items = seen.items,
                     .starved = seen.starved,
                     .shown = i == pipeline_});
  }
  return ranks;
}

Result<ui::Scene> SessionFeed::At(const ui::Look& look) {
  const MonoTime wanted = look.until ? start() + *look.until : it().moments.back().at;
  const std::size_t until = it().Until(wanted);
  const MonoTime at = it().moments[until].at;
  const std::size_t from = it().Until(look.from ? start() + *look.from : at - kFiguresOver);
  auto now = session_.At(pipeline_, until);
  if (!now) return std::unexpected(now.error());
  const auto before = session_.At(pipeline_, from);
  if (!before) return std::unexpected(before.error());
  ui::Scene scene = SceneOf(before->now, now->now, now->verdict);
  scene.name = it().info.name;
  scene.origin = std::filesystem::path(session_.path()).filename();
  scene.watched = ui::Watched::kRecorded;
  scene.start = start();
  scene.decisions = DecisionsOf(decisions_, at);
  scene.first_knobs = first_knobs_;
  scene.machine = session_.facts().machine;
  scene.ranks = Ranks(scene.from, at);
  return scene;
}

Result<ui::Comparison> SessionFeed::CompareWith(const std::string& file) {
  const auto other = exporters::SessionReader::Open(file);
  if (!other) return std::unexpected(other.error());
  return ComparisonOf(session_, *other, pipeline_);
}

}  // namespace sluice::app
