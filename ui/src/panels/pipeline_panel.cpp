#include "panels/panels.h"

namespace sluice::ui {
namespace {

void DrawEdge(const Painter& painter, const EdgeView& edge) {
  const float s = painter.scale();
  painter.Bend(edge.from, edge.bend_from, edge.bend_to, edge.to, Paint::kLine);
  painter.Strokes(edge.history, Paint::kFill);
  painter.Fill(edge.gauge, Paint::kPanel);
  painter.Fill(edge.filled, Paint::kFill);
  painter.Frame(edge.gauge, Paint::kLine);
  painter.Text({edge.gauge.x - 14 * s, edge.gauge.bottom() + s, edge.gauge.width + 28 * s, 18 * s},
               Paint::kText, edge.label, Side::kMiddle);
}

void DrawNode(const Painter& painter, const NodeView& node, bool chosen) {
  const float s = painter.scale(), line = 19 * s;
  const Paint marked =
      node.op ? Paint::kWarning : Paint::kGood;  // a consumer that sets the pace is no trouble
  painter.Fill(node.box, Paint::kBackground, 4);
  painter.Frame(node.box,
                chosen               ? Paint::kAccent
                : !node.mark.empty() ? Paint::kWarning
                                     : Paint::kLine,
                chosen || !node.mark.empty() ? 2 : 1);
  Box text{node.box.x + 8 * s, node.box.y + 5 * s, node.box.width - 16 * s, line};
  painter.Text(text, Paint::kText, node.name, Side::kLeft, painter.fonts().bold);
  text.y += line;
  painter.Text(text, Paint::kText, node.workers);
  painter.Text(text, Paint::kFaint, node.rate, Side::kRight);
  text.y += line;
  painter.Text(text, marked, node.mark);
  for (const TimePart& part : node.time) {
    painter.Fill(part.box, part.paint);
    painter.Fill({part.box.right() - 1, part.box.y, 1, part.box.height}, Paint::kBackground);
  }
}

}  // namespace

std::optional<std::size_t> DrawPipeline(const Painter& painter, const Scene& scene, const PipelineView& view,
                                        std::optional<std::size_t> chosen) {
  std::optional<std::size_t> clicked;
  for (const EdgeView& edge : view.edges) DrawEdge(painter, edge);
  for (const NodeView& node : view.nodes) {
    DrawNode(painter, node, node.op && node.op == chosen);
    if (painter.IsPointedAt(node.box)) painter.Tip(node.box, NodeTip(scene, node));
    if (painter.Click("op" + node.name, node.box) && node.op) clicked = node.op;
  }
  for (const EdgeView& edge : view.edges) {
    if (painter.IsPointedAt(edge.gauge)) painter.Tip(edge.gauge, EdgeTip(scene, edge));
  }
  for (const LegendView& each : view.legend) {
    painter.Fill(each.sample, each.paint);
    painter.Text(each.text, Paint::kFaint, each.word);
  }
  return clicked;
}

}  // namespace sluice::ui
