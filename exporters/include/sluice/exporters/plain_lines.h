// Plain lines: progress for pipes, log files and CI, one line per interval. Immutable functions.
#pragma once
#include <string>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

// "t=3.0s  11.8 batches/s  755 rows/s  starved 12% | read 1w busy 4% | decode 1w busy 99% *limits*": what
// happened from `previous` to `now`. One line without a line break, of any length. Decisions have lines of
// their own: DecisionLine() in decision_log.h.
[[nodiscard]] std::string ProgressLine(const Snapshot& previous, const Snapshot& now, MonoTime run_start,
                                       const Verdict& verdict, const TextStyle& style = {});

}  // namespace sluice::exporters
