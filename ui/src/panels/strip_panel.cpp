#include "panels/panels.h"

namespace sluice::ui {
namespace {

Paint PaintOf(StripState state) {
  switch (state) {
    case StripState::kKeepsUp:
      return Paint::kGood;
    case StripState::kWaitsAtTimes:
      return Paint::kWarning;
    case StripState::kInputBound:
    case StripState::kStalled:
      return Paint::kBad;
    default:
      return Paint::kFaint;
  }
}

}  // namespace

void DrawHeader(const Painter& painter, const Scene& scene, const std::string& moment,
                const std::string& hint, Box box) {
  painter.Text(box, Paint::kText, scene.name + "   " + scene.origin, Side::kLeft, painter.fonts().bold);
  painter.Text(box, Paint::kText, moment, Side::kMiddle);
  painter.Text(box, Paint::kFaint, hint, Side::kRight);
}

void DrawStrip(const Painter& painter, const Strip& strip, Box box) {
  const float s = painter.scale(), line = 22 * s;
  painter.Fill(box, Paint::kPanel, 6);
  painter.Fill({box.x, box.y, 6 * s, box.height}, PaintOf(strip.state));
  const float beside = (strip.figures.empty() ? 32 : 290) * s;
  const Box text{box.x + 20 * s, box.y + 8 * s, box.width - beside, box.height - 16 * s};
  painter.Text({text.x, text.y, text.width, line}, PaintOf(strip.state), strip.glyph + "  " + strip.word,
               Side::kLeft, painter.fonts().large);
  const Box below{text.x, text.y + 1.25F * line, text.width, text.height - 1.25F * line};
  const float used = painter.Paragraph(below, Paint::kText, strip.sentence);
  painter.Paragraph({below.x, below.y + used, below.width, below.height - used}, Paint::kAccent, strip.next);
  Box figure{box.right() - 250 * s, box.y + 6 * s, 236 * s, 18 * s};
  for (const StripFigure& each : strip.figures) {
    painter.Text(figure, Paint::kFaint, each.name);
    painter.Text({figure.x + 60 * s, figure.y, figure.width - 60 * s, figure.height}, Paint::kText,
                 each.value, Side::kRight, painter.fonts().bold);
    figure.y += figure.height;
  }
  painter.Tip(text, {strip.sentence, strip.next});
}

}  // namespace sluice::ui
