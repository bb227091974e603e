// A curve over time as an SVG picture. Immutable functions. Colours and fonts are the page's (classes `line`,
// `axis`, `grid`, `mark`, `label`).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "session/timeline.h"

namespace sluice::exporters {

// A vertical line at a moment.
struct ChartMark {
  Nanos at{0};
  std::string label;    // short, above the line
  std::string tooltip;  // the whole of it
};

struct Chart {
  std::string title;  // what the curve is, with its unit
  Curve curve;
  Nanos length{0};       // of the time axis
  bool percent = false;  // 0..1, shown as 0% to 100%
  bool steps = false;    // the value holds until the next one, as that of a knob
  int height = 160;
};

// Text is escaped. Missing values are gaps in the line.
[[nodiscard]] std::string ChartSvg(const Chart& chart, const std::vector<ChartMark>& marks);

// A few round numbers from 0 to at least `most`, evenly spaced.
[[nodiscard]] std::vector<double> RoundTicks(double most, int about);

// `text` for HTML and SVG, in elements and in attributes.
[[nodiscard]] std::string Escaped(std::string_view text);

}  // namespace sluice::exporters
