#include "loaders/rank_standing.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/finding_text.h"
#include "sluice/base/check.h"
#include "sluice/base/text.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

constexpr double kHeldUp = 0.05;  // share of its time that the slowest rank waits more than another
constexpr double kApart = 0.05;   // ranks whose rates differ by less run in step

std::vector<const LoaderReport*> MainLoaders(const std::vector<LoaderReport>& loaders) {
  std::vector<const LoaderReport*> ranks;
  for (const LoaderReport& loader : loaders) {
    if (!loader.rank || loader.values.batches == 0) continue;
    const auto same = std::ranges::find(ranks, loader.rank, [](const LoaderReport* s) { return s->rank; });
    if (same == ranks.end())
      ranks.push_back(&loader);
    else if (loader.values.active > (*same)->values.active)
      *same = &loader;
  }
  return ranks;
}

std::string Because(const LoaderReport& loader, std::optional<Bytes> storage_read) {
  const std::string finding = FindingText(loader, storage_read);
  return finding.empty() ? "" : ": " + finding;
}

}  // namespace

Fraction WaitingNow(const LoaderReport& loader) {
  return loader.values.last ? loader.values.last->waits.value_or(Fraction{}) : Fraction{};
}

double RateNow(const LoaderReport& loader) {
  return loader.values.last ? loader.values.last->rate : 0;
}

std::optional<RankStanding> StandingOf(const std::vector<LoaderReport>& loaders) {
  const auto ranks = MainLoaders(loaders);
  if (ranks.size() < 2) return std::nullopt;
  const auto waiting = [](const LoaderReport* loader) { return WaitingNow(*loader).value; };
  const auto rate = [](const LoaderReport* loader) { return RateNow(*loader); };
  const auto [served, waits] = std::ranges::minmax_element(ranks, {}, waiting);
  if (waiting(*waits) - waiting(*served) >= kHeldUp)
    return RankStanding{Standing::kHeldUp, ranks.size(), *waits, *served};
  const auto [slow, fast] = std::ranges::minmax_element(ranks, {}, rate);
  if (rate(*slow) < (1 - kApart) * rate(*fast))
    return RankStanding{Standing::kSlower, ranks.size(), *slow, *fast};
  return RankStanding{Standing::kInStep, ranks.size(), nullptr, nullptr};
}

std::string SlowestRank(const std::vector<LoaderReport>& loaders, std::optional<Bytes> storage_read) {
  const auto found = StandingOf(loaders);
  if (!found) return {};
  if (found->standing == Standing::kInStep)
    return fmt::format("{} ranks run in step; none is held up more than the others", found->ranks);
  const LoaderReport &slow = *found->slowest, &fast = *found->fastest;
  SLUICE_CHECK(slow.rank && fast.rank);
  const std::string because = Because(slow, storage_read);
  if (found->standing == Standing::kHeldUp) {
    return fmt::format("slowest: rank {}, which waits for data {} of its time (rank {} only {}){}",
                       *slow.rank, PercentText(WaitingNow(slow)), *fast.rank, PercentText(WaitingNow(fast)),
                       because);
  }
  return fmt::format("slowest: rank {} with {} batches/s (the fastest, rank {}, {}){}", *slow.rank,
                     FormatRate(RateNow(slow)), *fast.rank, FormatRate(RateNow(fast)), because);
}

}  // namespace sluice::exporters
