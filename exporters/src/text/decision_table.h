// The latest decisions as lines, for the live table and the report. Immutable functions.
#pragma once
#include <vector>

#include "sluice/exporters/view_rows.h"
#include "text/styled_line.h"

namespace sluice::exporters {

enum class Reasons {
  kClipped,  // one line each
  kWhole,    // as many lines as they need
};

// One line of titles, then the decisions. Where the style is narrow each reason has a line
// of its own below its decision; LinesPerDecision() says how many lines a decision then takes.
[[nodiscard]] std::vector<StyledLine> DecisionTable(const std::vector<DecisionRow>& decisions,
                                                    Reasons reasons, const TextStyle& style);
[[nodiscard]] std::size_t LinesPerDecision(const TextStyle& style);

}  // namespace sluice::exporters
