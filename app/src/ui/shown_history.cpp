#include "ui/shown_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/scene_of.h"

namespace sluice::app {
namespace {

constexpr std::chrono::milliseconds kKeepEvery{500};
constexpr std::chrono::seconds kFiguresOver{1}, kRecent{2};
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

ShownHistory::ShownHistory(MonoTime run_start, KeptSnapshots::Entry first)
    : start_(run_start), kept_(kMostKept), last_item_(first.now.at) {
  track_.all = {first.now.at - start_, first.now.at - start_};
  kept_.Add(first);
  recent_.push_back(std::move(first));
}

bool ShownHistory::Add(KeptSnapshots::Entry entry, bool last) {
  if (entry.now.consumer.items != now().consumer.items) last_item_ = entry.now.at;
  recent_.push_back(entry);
  while (recent_.size() > 2 && recent_[1].now.at <= entry.now.at - kRecent) recent_.pop_front();
  const Snapshot& before = kept_.all().back().now;
  if (entry.now.at <= before.at || (!last && entry.now.at - before.at < kKeepEvery)) return false;
  Extend(track_, before, entry.now, start_);
  kept_.Add(std::move(entry));
  return true;
}

ui::Scene ShownHistory::SceneAt(const ui::Look& look) const {
  const KeptSnapshots::Entry& to = look.until ? kept_.Until(start_ + *look.until) : recent_.back();
  const MonoTime since = look.from ? start_ + *look.from : to.now.at - kFiguresOver;
  if (look.from || look.until) return SceneOf(kept_.Until(since).now, to.now, to.verdict);
  const auto from = std::find_if(recent_.rbegin(), recent_.rend(),
                                 [&](const KeptSnapshots::Entry& entry) { return entry.now.at <= since; });
  return SceneOf(from == recent_.rend() ? recent_.front().now : from->now, to.now, to.verdict);
}

}  // namespace sluice::app
