#include "top/watched_run.h"

#include <algorithm>
#include <utility>

#include "sluice/autotune/auto_tune.h"
#include "sluice/base/check.h"
#include "sluice/base/clock.h"
#include "sluice/probes/segment_writer.h"

namespace sluice::app {

std::vector<probes::FoundSegment> FindWatchable(std::optional<int> pid, const std::string& loader) {
  std::vector<probes::FoundSegment> living;
  for (probes::FoundSegment& found : probes::FindSegments(probes::DefaultSegmentFolder(), false)) {
    if (!found.alive || !found.identity) continue;
    if (pid && static_cast<int>(found.identity->pid) != *pid) continue;
    if (found.identity->program.find(loader) == std::string::npos) continue;
    living.push_back(std::move(found));
  }
  std::ranges::sort(living, {}, [](const probes::FoundSegment& found) {
    return std::pair(found.identity->pid, found.identity->program);
  });
  return living;
}

const probes::SegmentIdentity& IdentityOf(const probes::FoundSegment& found) {
  SLUICE_CHECK(found.identity);
  return *found.identity;
}

WatchedPlant::WatchedPlant(probes::SegmentReader reader) : sampler_(std::move(reader), {}) {}

Snapshot WatchedPlant::Sense() {
  return sampler_.Sample(MonoNow(), WallNow());
}

Onlooker::Onlooker(const probes::SegmentReader& reader)
    : reader_(reader), judge_(autotune::MakeAutoTune({.advise = true})) {}

Decision Onlooker::Decide(const Snapshot& seen) {
  Decision said;
  said.verdict = judge_->Decide(seen).verdict;
  return said;
}

void Onlooker::Read(exporters::DecisionLog& log) const {
  for (const probes::LogLine& line : reader_.Decisions()) {
    if (auto entry = exporters::ParseDecisionJson(line.text)) log.Put(std::move(*entry));
  }
}

}  // namespace sluice::app
