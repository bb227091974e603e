// Figures: the scores one by one, each with a name, as tables, documents and floors need them, and what they
// come to over several seeds. Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/evaluation/scores.h"

namespace sluice::evaluation {

enum class FigureId : std::uint8_t {
  kFinalShare,
  kT95Seconds,
  kT95Items,
  kT95Changes,
  kLost,
  kLostShare,
  kMemoryShare,
  kOoms,
  kCoreWaste,
  kChangesPerMinute,
  kExcessSd,
  kCycles,
  kShiftSeconds,
  kShiftItems,
  kFalseAlarmsPerHour,
  kWorstWindow,
  kWorseThanStart,
  kDiagnosed,
  kOverBest,
  kOverUntouched,
  kNoise,
  kThreads,
  kDecisionsPerMinute,
  kKnobsPerMinute,
};

struct Figure {
  FigureId id;
  std::string_view key;    // in documents: "t95_seconds"
  std::string_view title;  // in tables: "t95 s"
  int decimals;            // worth showing
  std::string_view meaning;
  // Missing: it does not apply (no budget, no event, a rule that names no limit). Infinite: a stretch that
  // should have been reached never was, so whatever is measured from there on is as bad as can be.
  std::optional<double> (*of)(const Scores& scores);
};

// One per FigureId, in that order. Static storage.
[[nodiscard]] std::span<const Figure> Figures();
[[nodiscard]] const Figure& FigureOf(FigureId id);

// Over the seeds for which the figure applies. Quantiles are interpolated linearly.
struct Spread {
  double median = 0;
  double low = 0;   // first quartile
  double high = 0;  // third quartile
  double least = 0;
  double most = 0;
};
[[nodiscard]] std::optional<Spread> SpreadOf(std::vector<double> values);
[[nodiscard]] std::optional<Spread> SpreadOf(FigureId id, std::span<const Scores> seeds);

}  // namespace sluice::evaluation
