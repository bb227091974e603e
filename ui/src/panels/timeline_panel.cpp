#include <algorithm>
#include <cmath>

#include "panels/panels.h"

namespace sluice::ui {
namespace {

constexpr float kDrag = 5;  // pixels; less is a click

void DrawLane(const Painter& painter, const LaneView& lane) {
  const float s = painter.scale(), names = 150 * s;
  painter.Line({lane.box.x, lane.box.bottom()}, {lane.box.right(), lane.box.bottom()}, Paint::kLine);
  if (lane.part) painter.Tint(*lane.part, Paint::kAccent);
  painter.Strokes(lane.strokes, lane.paint);
  const Box name{lane.box.x - names + 6 * s, lane.box.y, names - 14 * s, std::min(19 * s, lane.box.height)};
  painter.Fill({name.x, name.y + 5 * s, 9 * s, 9 * s}, lane.paint);
  const Box text{name.x + 15 * s, name.y, name.width - 15 * s, name.height};
  if (lane.box.height < 2 * name.height)
    return painter.Pair(text, Paint::kText, lane.name, lane.value, painter.fonts().bold);
  const Box value{name.x + 15 * s, name.bottom(), name.width - 15 * s, name.height};
  painter.Text(value, Paint::kText, lane.value, Side::kLeft, painter.fonts().bold);
  painter.Text(text, Paint::kFaint, lane.top, Side::kRight);
  painter.Text(text, Paint::kText, lane.name);
}

void DrawOver(const Painter& painter, const TimelineView& view) {
  const float s = painter.scale();
  if (view.chosen) {
    painter.Tint(*view.chosen, Paint::kAccent);
    painter.Frame(*view.chosen, Paint::kAccent);
  }
  for (const TickView& tick : view.ticks) {
    painter.Line({tick.x, view.plot.bottom()}, {tick.x, view.plot.bottom() + 4 * s}, Paint::kLine);
    painter.Text({tick.x - 40 * s, view.plot.bottom() + 4 * s, 80 * s, 18 * s}, Paint::kFaint, tick.text,
                 Side::kMiddle);
  }
  for (const MarkView& mark : view.marks) {
    painter.Line({mark.x, mark.flag.bottom()}, {mark.x, view.plot.bottom()}, mark.paint);
    painter.Text(mark.flag, mark.paint, mark.glyph, Side::kMiddle, painter.fonts().bold);
  }
  if (view.cursor)
    painter.Line({*view.cursor, view.plot.y}, {*view.cursor, view.plot.bottom()}, Paint::kText, 2);
}

}  // namespace

TimelineTouch DrawTimeline(const Painter& painter, const TimelineView& view, std::optional<float> pressed) {
  for (const LaneView& lane : view.lanes) DrawLane(painter, lane);
  DrawOver(painter, view);
  TimelineTouch touch;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  touch.under = view.TimeAt(pointer.x);
  for (std::size_t i = 0; i < view.marks.size(); ++i) {
    const MarkView& mark = view.marks[i];
    if (painter.IsPointedAt(mark.flag)) touch.mark = i;
    if (painter.Click("mark" + std::to_string(i), mark.flag)) touch.at = view.TimeAt(mark.x);
  }
  ImGui::SetCursorScreenPos({view.plot.x, view.plot.y});
  ImGui::InvisibleButton("time", {view.plot.width, view.plot.height},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  if (ImGui::IsItemHovered()) touch.wheel = ImGui::GetIO().MouseWheel;
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Right, 0))
    touch.moved = ImGui::GetIO().MouseDelta.x;
  if (ImGui::IsItemActivated() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) touch.pressed = pointer.x;
  if (!pressed) return touch;
  const bool drags = std::abs(pointer.x - *pressed) > kDrag;
  const Nanos begun = view.TimeAt(*pressed);
  if (drags) touch.range = TimeRange{std::min(begun, touch.under), std::max(begun, touch.under)};
  if (!drags && ImGui::IsItemDeactivated()) touch.at = touch.under;
  return touch;
}

}  // namespace sluice::ui
