// Ops and connectors as lines, for the live table and the report. Immutable functions.
#pragma once
#include <vector>

#include "sluice/exporters/view_rows.h"
#include "text/styled_line.h"

namespace sluice::exporters {

// A line of titles, then one per op. Where `connectors` is not null each op also shows the fill of those
// behind it.
[[nodiscard]] std::vector<StyledLine> OpLines(const std::vector<OpRow>& ops,
                                              const std::vector<ConnectorRow>* connectors,
                                              const TextStyle& style);

// One line per connector, aligned with each other, without titles: what happened in the interval.
[[nodiscard]] std::vector<StyledLine> ConnectorLines(const std::vector<ConnectorRow>& connectors,
                                                     const TextStyle& style);

// A line of titles, then one per connector: totals.
[[nodiscard]] std::vector<StyledLine> ConnectorTotalLines(const std::vector<ConnectorRow>& connectors,
                                                          const TextStyle& style);

}  // namespace sluice::exporters
