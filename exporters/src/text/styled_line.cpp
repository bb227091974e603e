#include "text/styled_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr Signs kUnicode = {"–", "▶", "→", "│", "█", "░", " · "};
constexpr Signs kAscii = {"-", ">", "->", "|", "#", ".", " - "};

std::string_view ColourOf(Tone tone) {
  switch (tone) {
    case Tone::kDim:
      return "\x1b[2m";
    case Tone::kStrong:
      return "\x1b[1m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarn:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[1;31m";
    case Tone::kTitle:
      return "\x1b[1;36m";
    case Tone::kPlain:
      break;
  }
  return "";
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

void DropTrailingSpaces(StyledLine& line) {
  while (!line.empty()) {
    std::string& text = line.back().text;
    text.erase(text.find_last_not_of(' ') + 1);
    if (!text.empty()) return;
    line.pop_back();
  }
}

// The printable spans that fit, the last of them clipped.
StyledLine Fit(const StyledLine& line, const TextStyle& style) {
  StyledLine fitted;
  int left = style.width;
  for (const Span& span : line) {
    std::string text = Printable(span.text, style.unicode);
    const int width = DisplayWidth(text);
    if (width > left) text = Clip(text, left, style.unicode);
    fitted.push_back({std::move(text), span.tone});
    if (width > left) break;
    left -= width;
  }
  DropTrailingSpaces(fitted);
  return fitted;
}

}  // namespace

const Signs& SignsFor(const TextStyle& style) {
  return style.unicode ? kUnicode : kAscii;
}

std::string Paint(const StyledLine& line, const TextStyle& style) {
  std::string out;
  for (const Span& span : Fit(line, style)) {
    const std::string_view colour = style.colour ? ColourOf(span.tone) : "";
    out.append(colour).append(span.text);
    if (!colour.empty()) out += "\x1b[0m";
  }
  return out;
}

int LineWidth(const StyledLine& line, const TextStyle& style) {
  int width = 0;
  for (const Span& span : line) width += DisplayWidth(Printable(span.text, style.unicode));
  return width;
}

std::string Bar(Fraction share, int cells, const TextStyle& style) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const Signs& signs = SignsFor(style);
  const double filled = std::clamp(share.value, 0.0, 1.0) * cells;
  if (!style.unicode) {
    const int whole = static_cast<int>(std::lround(filled));
    return Repeat(signs.full, whole) + Repeat(signs.empty, cells - whole);
  }
  const int eighths = static_cast<int>(std::lround(filled * 8));
  std::string bar = Repeat(signs.full, eighths / 8);
  bar += kEighths[static_cast<std::size_t>(eighths % 8)];
  return bar + Repeat(signs.empty, cells - (eighths + 7) / 8);
}

std::string Sparkline(const std::vector<Fraction>& values, int cells, const TextStyle& style) {
  constexpr std::array<std::string_view, 8> kSteps = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 8> kAsciiSteps = {"_", ".", ".", ":", ":", "=", "+", "#"};
  const auto shown = std::min(values.size(), static_cast<std::size_t>(std::max(cells, 0)));
  std::string line;
  for (auto value = values.end() - static_cast<std::ptrdiff_t>(shown); value != values.end(); ++value) {
    const auto step = static_cast<std::size_t>(std::lround(std::clamp(value->value, 0.0, 1.0) * 7));
    line += style.unicode ? kSteps[step] : kAsciiSteps[step];
  }
  return line;
}

std::vector<std::string> Wrap(std::string_view text, int width, const TextStyle& style) {
  const std::string printable = Printable(text, style.unicode);
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < printable.size();) {
    const std::size_t end = std::min(printable.find(' ', at), printable.size());
    const std::string word = Clip(printable.substr(at, end - at), width, style.unicode);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && DisplayWidth(line) + 1 + DisplayWidth(word) > width) {
      lines.push_back(std::exchange(line, ""));
    }
    line += line.empty() ? word : " " + word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace sluice::exporters
