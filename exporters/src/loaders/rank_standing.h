// RankStanding: which of several ranks is held up most by its input. Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

enum class Standing : std::uint8_t {
  kHeldUp,  // one waits for data more than the others
  kSlower,  // ranks do not wait for each other, and one is slower
  kInStep,
};

// A rank is its main loader: the one it spent most of its time with.
struct RankStanding {
  Standing standing = Standing::kInStep;
  std::size_t ranks = 0;
  const LoaderReport* slowest = nullptr;  // of the loaders that were asked about; null where all are in step,
  const LoaderReport* fastest = nullptr;  // as is this one
};

// nullopt: fewer than two ranks.
[[nodiscard]] std::optional<RankStanding> StandingOf(const std::vector<LoaderReport>& loaders);

// In the last window; 0: not measured.
[[nodiscard]] Fraction WaitingNow(const LoaderReport& loader);
[[nodiscard]] double RateNow(const LoaderReport& loader);

// "slowest: rank 1, which waits for data 30% of its time (rank 0 only 1%): ..."; empty for fewer than two
// ranks. `storage_read`: by all processes of the run.
[[nodiscard]] std::string SlowestRank(const std::vector<LoaderReport>& loaders,
                                      std::optional<Bytes> storage_read = {});

}  // namespace sluice::exporters
