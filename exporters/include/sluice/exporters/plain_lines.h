// Plain lines: progress for pipes, log files and CI, one line per interval. Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

// "t=3.0s  11.8 batches/s  755 rows/s  starved 12% | read 1w busy 4% | decode 1w busy 99% *limits*": what
// happened from `previous` to `now`. One line without a line break, of any length. Decisions have lines of
// their own: DecisionLine() in decision_log.h.
[[nodiscard]] std::string ProgressLine(const Snapshot& previous, const Snapshot& now, MonoTime run_start,
                                       const Verdict& verdict, const TextStyle& style = {});

// A loader of a wrapped run, as of the last few seconds.
struct LoaderNow {
  std::string program;
  std::uint64_t epoch = 0;  // from 0
  double rate = 0;          // batches per second
  std::optional<Fraction> waits;
  Nanos active{0};  // so far; the one with the most is spoken of
};

// "12min: epoch 3, 14.2 batches/s, 37% waiting (train.py: loader (Photos))"; empty: nothing to say.
[[nodiscard]] std::string ProgressText(Nanos since_start, const std::vector<LoaderNow>& loaders);

}  // namespace sluice::exporters
