#include "session/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sluice/base/text.h"
#include "text/figures.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr double kWidth = 900;
constexpr double kLeft = 64;
constexpr double kRight = 12;
constexpr double kTop = 30;
constexpr double kBottom = 20;
constexpr int kTimeTicks = 8;
constexpr int kLowHeight = 120;  // of a picture with room for few lines

// From values to places in the picture.
struct Scale {
  double seconds, most, height;
  [[nodiscard]] double X(Nanos t) const { return kLeft + (kWidth - kLeft - kRight) * Seconds(t) / seconds; }
  [[nodiscard]] double Y(double value) const {
    return height - kBottom - (height - kTop - kBottom) * std::clamp(value / most, 0.0, 1.0);
  }
};

double Greatest(const Curve& curve) {
  double most = 0;
  for (const CurvePoint& point : curve) most = std::max(most, point.value.value_or(0));
  return most;
}

std::string ValueText(const Chart& chart, double value) {
  return chart.percent ? FormatPercent({value}) : FormatCount(value);
}

std::string ValueAxis(const Chart& chart, const Scale& scale, const std::vector<double>& ticks) {
  std::string svg;
  for (const double tick : ticks) {
    const double y = scale.Y(tick);
    svg += fmt::format(
        R"(<line class="grid" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/><text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
        kLeft, y, kWidth - kRight, y, kLeft - 6, y + 4, Escaped(ValueText(chart, tick)));
  }
  return svg;
}

std::string TimeAxis(const Chart& chart, const Scale& scale) {
  std::string svg;
  for (const double tick : RoundTicks(Seconds(chart.length), kTimeTicks)) {
    const Nanos t = FromSeconds(tick);
    if (t > chart.length) break;
    svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                       scale.X(t), scale.height - 4, Escaped(ElapsedText(t)));
  }
  return svg;
}

// A line from point to point, or in steps; a new one behind each gap.
std::string LinePath(const Chart& chart, const Scale& scale) {
  std::string path;
  bool drawing = false;
  double last_y = 0;
  for (const CurvePoint& point : chart.curve) {
    if (!point.value || !std::isfinite(*point.value)) {
      drawing = false;
      continue;
    }
    const double x = scale.X(point.until);
    const double y = scale.Y(*point.value);
    if (drawing && chart.steps) path += fmt::format("L{:.1f} {:.1f}", x, last_y);
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? 'L' : 'M', x, y);
    drawing = true;
    last_y = y;
  }
  return fmt::format(R"(<path class="line" d="{}"/>)", path);
}

std::string Marks(const std::vector<ChartMark>& marks, const Scale& scale) {
  std::string svg;
  for (const ChartMark& mark : marks) {
    const double x = scale.X(mark.at);
    svg += fmt::format(
        R"(<g><title>{}</title><line class="mark" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/><text class="label" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text></g>)",
        Escaped(mark.tooltip), x, kTop - 2, x, scale.height - kBottom, x, kTop - 5, Escaped(mark.label));
  }
  return svg;
}

}  // namespace

std::string ChartSvg(const Chart& chart, const std::vector<ChartMark>& marks) {
  const std::vector<double> ticks =
      chart.percent ? std::vector{0.0, 0.5, 1.0}
                    : RoundTicks(Greatest(chart.curve), chart.height < kLowHeight ? 2 : 4);
  const Scale scale{std::max(Seconds(chart.length), 1e-9), ticks.back(), static_cast<double>(chart.height)};
  return fmt::format(
             R"(<svg viewBox="0 0 {:.0f} {}" role="img" aria-label="{}"><text class="title" x="0" y="12">{}</text>)",
             kWidth, chart.height, Escaped(chart.title), Escaped(chart.title)) +
         ValueAxis(chart, scale, ticks) + TimeAxis(chart, scale) + Marks(marks, scale) +
         LinePath(chart, scale) + "</svg>\n";
}

std::vector<double> RoundTicks(double most, int about) {
  if (!(most > 0) || !std::isfinite(most)) return {0, 1};
  const double rough = most / about;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
  std::vector<double> ticks;
  for (int i = 0; ticks.empty() || ticks.back() < most; ++i) ticks.push_back(step * i);
  return ticks;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text, true)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace sluice::exporters
