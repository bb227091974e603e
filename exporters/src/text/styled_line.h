// Lines made of pieces of text with a tone; how a tone looks is decided once, in Paint(). Immutable
// functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/units.h"
#include "sluice/exporters/text_style.h"

namespace sluice::exporters {

enum class Tone { kPlain, kDim, kStrong, kGood, kWarn, kBad, kTitle };

struct Span {
  std::string text;  // any bytes; made printable when painted
  Tone tone = Tone::kPlain;
};
using StyledLine = std::vector<Span>;

// Signs that differ between Unicode and ASCII terminals.
struct Signs {
  std::string_view missing, limits, arrow, flow, full, empty, joint;
};
[[nodiscard]] const Signs& SignsFor(const TextStyle& style);

// One line of text, clipped to the style's width, without trailing spaces.
[[nodiscard]] std::string Paint(const StyledLine& line, const TextStyle& style);
[[nodiscard]] int LineWidth(const StyledLine& line, const TextStyle& style);

// `cells` columns, filled from the left in eighths of a column.
[[nodiscard]] std::string Bar(Fraction share, int cells, const TextStyle& style);
// One column per value, the newest at the right; as many as fit.
[[nodiscard]] std::string Sparkline(const std::vector<Fraction>& values, int cells, const TextStyle& style);

// `text` broken at spaces into lines of at most `width` columns; words wider than that are clipped.
[[nodiscard]] std::vector<std::string> Wrap(std::string_view text, int width, const TextStyle& style);

}  // namespace sluice::exporters
