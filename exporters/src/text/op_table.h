// Ops and connectors as lines, for the live table and the report. Immutable functions.
#pragma once
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "text/styled_line.h"

namespace sluice::exporters {

// A line of titles, then one per op. With `depths` each op also shows the fill of the connector behind it.
[[nodiscard]] std::vector<StyledLine> OpLines(const Snapshot& from, const Snapshot& to,
                                              const Verdict& verdict, bool depths, const TextStyle& style);

// One line per connector, aligned with each other, without titles: what happened in the interval.
[[nodiscard]] std::vector<StyledLine> ConnectorLines(const Snapshot& from, const Snapshot& to,
                                                     const TextStyle& style);

// A line of titles, then one per connector: totals.
[[nodiscard]] std::vector<StyledLine> ConnectorTotalLines(const Snapshot& from, const Snapshot& to,
                                                          const TextStyle& style);

}  // namespace sluice::exporters
