// LoaderCheck: whether what a report is about to say of a loader can be true. Over values, not over text: the
// program leaves out what fails, and tests run it over every run that they record. Immutable functions.
#pragma once
#include <string>
#include <vector>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

enum class Said : std::uint8_t { kFirst, kComparison, kLast, kCores, kFinding, kAdvice, kCost, kEpochs };

struct Contradiction {
  Said what = Said::kLast;
  std::string why;  // "waits: a share of 1.20"
};

[[nodiscard]] std::vector<Contradiction> CheckReport(const LoaderValues& values);

// Without what contradicts itself.
[[nodiscard]] LoaderValues OnlyWhatHolds(LoaderValues values);

// `setting`, or as much of it as the loader can make use of: no more batches on their way than an epoch has,
// no more workers than memory holds, and, where rows compute, no more than there are cores.
[[nodiscard]] LoaderSetting Sensible(LoaderSetting setting, const LoaderValues& values);

// Seconds per batch under the script's own setting: in whole epochs, else before the first change, else in
// the first epoch, which has gained from it already; but never more than it would take with rows and steps as
// they are now.
[[nodiscard]] std::optional<double> OwnSecondsPerBatch(const LoaderValues& values);

// What rows or steps take has fallen since the first change, so that times of before do not compare: the
// first epoch read from storage what later ones find in memory, say.
[[nodiscard]] bool CostsHaveFallen(const LoaderValues& values);

// Whether the loader does better by what was measured than before the first change: batches come faster, and
// whole epochs, where two can be compared, are shorter. False where that is not known.
[[nodiscard]] bool Helped(const LoaderValues& values);

}  // namespace sluice::exporters
