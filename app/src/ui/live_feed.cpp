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

constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::milliseconds kKeepEvery{500};
constexpr std::chrono::seconds kFiguresOver{1};
constexpr std::size_t kMostKept = 1200;

}  // namespace

// Every second one of the older half goes, so that what is left reaches back to the start.
void KeptSnapshots::Add(Entry entry) {
  entries_.push_back(std::move(entry));
  if (entries_.size() <= most_) return;
  std::deque<Entry> thinned;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i >= entries_.size() / 2 || i % 2 == 0) thinned.push_back(std::move(entries_[i]));
  }
  entries_ = std::move(thinned);
}

const KeptSnapshots::Entry& KeptSnapshots::Until(MonoTime when) const {
  const auto behind = std::ranges::upper_bound(entries_, when, {}, [](const Entry& e) { return e.now.at; });
  return behind == entries_.begin() ? entries_.front() : *std::prev(behind);
}

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
      kept_(kMostKept),
      steering_(RoadIn(folder), {static_cast<int>(who_.pid), who_.program}, ViewerName("window")) {
  looked_ = last_item_ = agent_.now().at;
  track_.all = {looked_ - who_.started, looked_ - who_.started};
  kept_.Add({agent_.now(), agent_.verdict()});
}

bool LiveFeed::Poll() {
  const bool answered = steering_.TakeNews();
  if (over_ || MonoNow() - looked_ < kTick) return answered;
  const std::uint64_t items = agent_.now().consumer.items;
  agent_.Step();
  onlooker_.Read(agent_.log());
  looked_ = agent_.now().at;
  if (agent_.now().consumer.items != items) last_item_ = looked_;
  over_ = agent_.now().finished || !plant_.reader().Alive();
  Keep();
  return true;
}

void LiveFeed::Keep() {
  const Snapshot& before = kept_.all().back().now;
  if (!over_ && agent_.now().at - before.at < kKeepEvery) return;
  Extend(track_, before, agent_.now(), who_.started);
  kept_.Add({agent_.now(), agent_.verdict()});
  FindSiblings();
}

void LiveFeed::FindSiblings() {
  for (const probes::FoundSegment& found : FindWatchable({}, "")) {
    const auto same = [&](const probes::SegmentIdentity& other) {
      return other.pid == found.identity->pid && other.program == found.identity->program;
    };
    if (found.identity->run_id != who_.run_id || same(who_)) continue;
    if (std::ranges::any_of(siblings_, same, [](const Sibling& s) { return s.reader.identity(); })) continue;
    if (auto reader = probes::SegmentReader::Open(found.path))
      siblings_.push_back({std::move(*reader), {}, {}});
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

std::optional<Nanos> LiveFeed::Silent() const {
  const MonoTime heartbeat = plant_.reader().Heartbeat();
  return heartbeat.count() == 0 ? std::nullopt : std::optional(agent_.now().at - heartbeat);
}

Result<ui::Scene> LiveFeed::At(const ui::Look& look) {
  const KeptSnapshots::Entry newest{agent_.now(), agent_.verdict()};
  const KeptSnapshots::Entry& now = look.until ? kept_.Until(who_.started + *look.until) : newest;
  const Snapshot& from = look.from    ? kept_.Until(who_.started + *look.from).now
                         : look.until ? kept_.Until(now.now.at - kFiguresOver).now
                                      : agent_.Before(kFiguresOver);
  ui::Scene scene = SceneOf(from, now.now, now.verdict);
  scene.name = who_.program;
  scene.origin = fmt::format("pid {}", who_.pid);
  scene.watched = over_ ? ui::Watched::kEnded : ui::Watched::kLive;
  scene.start = who_.started;
  scene.decisions = DecisionsOf(agent_.decisions(), now.now.at);
  scene.first_knobs = agent_.first().knobs;
  if (!look.until) {
    scene.silent = Silent();
    scene.without_items = now.now.at - last_item_;
  }
  scene.earlier = look.until.has_value();
  if (!over_) scene.steering = steering_.seen();
  scene.machine = machine_;
  scene.ranks = Ranks(scene);
  return scene;
}

}  // namespace sluice::app
