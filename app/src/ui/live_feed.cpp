#include "ui/live_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/exporters/interval.h"
#include "sluice/probes/machine_shape.h"
#include "ui/scene_of.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kTick{500};  // what changes faster cannot be read
constexpr std::chrono::seconds kListEvery{2};    // each segment is opened for that

}  // namespace

Result<std::unique_ptr<ui::Feed>> LiveFeed::Open(int pid, const std::string& loader) {
  const std::vector<probes::FoundSegment> found = FindWatchable(pid, loader);
  if (found.empty())
    return Fail(fmt::format("process {} {}; `sluice ls` lists what is measured", pid,
                            loader.empty() ? "is not measured" : "has no loader '" + loader + "'"));
  auto reader = probes::SegmentReader::Open(found.front().path);
  if (!reader) return std::unexpected(reader.error());
  const std::string folder = std::filesystem::path(found.front().path).parent_path();
  return std::unique_ptr<ui::Feed>(new LiveFeed(std::move(*reader), folder));
}

LiveFeed::LiveFeed(probes::SegmentReader reader, const std::string& folder)
    : plant_(std::move(reader)),
      who_(plant_.reader().identity()),
      machine_(probes::ReadMachineShape()),
      onlooker_(plant_.reader()),
      agent_(plant_, &onlooker_),
      history_(who_.started, {agent_.now(), agent_.verdict()}),
      machine_look_(static_cast<int>(who_.pid)),
      steering_(RoadIn(folder), {static_cast<int>(who_.pid), who_.program}, ViewerName("window")) {
  looked_ = agent_.now().at;
}

bool LiveFeed::Poll() {
  const bool answered = steering_.TakeNews();
  if (over_ || MonoNow() - looked_ < kTick) return answered;
  agent_.Step();
  onlooker_.Read(agent_.log());
  looked_ = agent_.now().at;
  if (looks_at_machine_) machine_look_.Take(looked_);
  over_ = agent_.now().finished || !plant_.reader().Alive();
  if (history_.Add({agent_.now(), agent_.verdict()}, over_)) ReadSiblings();
  return true;
}

void LiveFeed::FindSiblings() {
  for (const probes::FoundSegment& found : FindWatchable({}, "")) {
    const probes::SegmentIdentity& who = IdentityOf(found);
    const auto same = [&](const probes::SegmentIdentity& other) {
      return other.pid == who.pid && other.program == who.program;
    };
    if (who.run_id != who_.run_id || same(who_)) continue;
    if (std::ranges::any_of(siblings_, same, [](const Sibling& s) { return s.reader.identity(); })) continue;
    if (auto reader = probes::SegmentReader::Open(found.path))
      siblings_.push_back({std::move(*reader), {}, {}});
  }
}

void LiveFeed::ReadSiblings() {
  if (looked_ - listed_ >= kListEvery) {
    FindSiblings();
    listed_ = looked_;
  }
  for (Sibling& sibling : siblings_) {
    sibling.before = std::move(sibling.now);
    sibling.now = sibling.reader.Read(MonoNow(), WallNow());
  }
}

std::vector<ui::RankSeen> LiveFeed::Ranks(const ui::Scene& scene) const {
  std::vector<ui::RankSeen> ranks{{.name = who_.program,
                                   .rank = who_.rank,
                                   .pid = static_cast<int>(who_.pid),
                                   .items = scene.consumer.items,
                                   .starved = scene.consumer.starved,
                                   .shown = true}};
  for (const Sibling& sibling : siblings_) {
    const auto seen = exporters::MeasureConsumer(sibling.before, sibling.now);
    const probes::SegmentIdentity& who = sibling.reader.identity();
    ranks.push_back({.name = who.program,
                     .rank = who.rank,
                     .pid = static_cast<int>(who.pid),
                     .items = seen.items,
                     .starved = seen.starved});
  }
  return ranks;
}

// The first of the ranks is the one that is shown.
Result<std::unique_ptr<ui::Feed>> LiveFeed::OpenRank(std::size_t rank) {
  if (rank == 0 || rank > siblings_.size()) return nullptr;
  const probes::SegmentIdentity& who = siblings_[rank - 1].reader.identity();
  return Open(static_cast<int>(who.pid), who.program);
}

std::optional<Nanos> LiveFeed::Silent() const {
  const MonoTime heartbeat = plant_.reader().Heartbeat();
  return heartbeat.count() == 0 ? std::nullopt : std::optional(agent_.now().at - heartbeat);
}

Result<ui::Scene> LiveFeed::At(const ui::Look& look) {
  ui::Scene scene = history_.SceneAt(look);
  scene.name = who_.program;
  scene.origin = fmt::format("pid {}", who_.pid);
  scene.watched = over_ ? ui::Watched::kEnded : ui::Watched::kLive;
  scene.start = who_.started;
  scene.decisions = DecisionsOf(agent_.decisions(), scene.now.at);
  scene.first_knobs = agent_.first().knobs;
  if (!look.until) {
    scene.silent = Silent();
    scene.without_items = history_.without_items();
  }
  scene.earlier = look.until.has_value();
  looks_at_machine_ = look.machine;
  if (look.machine && !look.until && !over_) scene.machine_now = machine_look_.seen();
  if (!over_) scene.steering = steering_.seen();
  scene.machine = machine_;
  scene.ranks = Ranks(scene);
  return scene;
}

}  // namespace sluice::app
