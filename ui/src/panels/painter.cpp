#include "panels/painter.h"

#include <algorithm>

namespace sluice::ui {
namespace {

ImVec2 TopLeft(Box box) {
  return {box.x, box.y};
}
ImVec2 BottomRight(Box box) {
  return {box.right(), box.bottom()};
}
ImVec2 At(Point p) {
  return {p.x, p.y};
}

}  // namespace

ImU32 Painter::ColourFor(Paint paint, float opacity) const {
  const Colour c = ColourOf(theme_, paint);
  return IM_COL32(c.red, c.green, c.blue, static_cast<int>(opacity * 255));
}

void Painter::Fill(Box box, Paint paint, float rounding) const {
  ImGui::GetWindowDrawList()->AddRectFilled(TopLeft(box), BottomRight(box), ColourFor(paint),
                                            rounding * scale_);
}

void Painter::Tint(Box box, Paint paint) const {
  ImGui::GetWindowDrawList()->AddRectFilled(TopLeft(box), BottomRight(box), ColourFor(paint, 0.2F));
}

void Painter::Frame(Box box, Paint paint, float thickness) const {
  ImGui::GetWindowDrawList()->AddRect(TopLeft(box), BottomRight(box), ColourFor(paint), 4 * scale_, 0,
                                      thickness * scale_);
}

void Painter::Line(Point from, Point to, Paint paint, float thickness) const {
  ImGui::GetWindowDrawList()->AddLine(At(from), At(to), ColourFor(paint), thickness * scale_);
}

void Painter::Bend(Point from, Point a, Point b, Point to, Paint paint) const {
  ImGui::GetWindowDrawList()->AddBezierCubic(At(from), At(a), At(b), At(to), ColourFor(paint), 2 * scale_);
}

void Painter::Strokes(const std::vector<Stroke>& strokes, Paint paint) const {
  constexpr int kIndices = 6, kVertices = 4;  // of a rectangle
  const ImU32 colour = ColourFor(paint);
  const auto count = static_cast<int>(strokes.size());
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PrimReserve(count * kIndices, count * kVertices);
  for (const Stroke& stroke : strokes)
    list->PrimRect({stroke.x, stroke.top}, {stroke.x + 1, stroke.bottom}, colour);
}

void Painter::Text(Box box, Paint paint, const std::string& text, Side side, ImFont* font) const {
  if (font == nullptr) font = fonts_.normal;
  const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, text.c_str());
  const float spare = std::max(0.0F, box.width - size.x);
  const float x = box.x + (side == Side::kLeft ? 0 : side == Side::kRight ? spare : spare / 2);
  const ImVec4 clip(box.x, box.y, box.right(), box.bottom());
  ImGui::GetWindowDrawList()->AddText(font, font->FontSize, {x, box.y + (box.height - size.y) / 2},
                                      ColourFor(paint), text.c_str(), nullptr, 0, &clip);
}

void Painter::Pair(Box box, Paint name_paint, const std::string& name, const std::string& value,
                   ImFont* font) const {
  if (font == nullptr) font = fonts_.normal;
  Text(box, Paint::kText, value, Side::kRight, font);
  box.width -= font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, value.c_str()).x + 6 * scale_;
  Text(box, name_paint, name);
}

float Painter::Paragraph(Box box, Paint paint, const std::string& text) const {
  ImFont* font = fonts_.normal;
  const ImVec4 clip(box.x, box.y, box.right(), box.bottom());
  ImGui::GetWindowDrawList()->AddText(font, font->FontSize, TopLeft(box), ColourFor(paint), text.c_str(),
                                      nullptr, box.width, &clip);
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, box.width, text.c_str()).y;
}

bool Painter::IsPointedAt(Box box) const {
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(TopLeft(box), BottomRight(box));
}

bool Painter::Tip(Box box, const std::vector<std::string>& lines) const {
  if (!IsPointedAt(box)) return false;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(520 * scale_);
  for (const std::string& line : lines) ImGui::TextUnformatted(line.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  return true;
}

bool Painter::Click(const std::string& id, Box box) const {
  ImGui::SetCursorScreenPos(TopLeft(box));
  return ImGui::InvisibleButton(id.c_str(), {std::max(box.width, 1.0F), std::max(box.height, 1.0F)});
}

bool Painter::Button(const std::string& label, Box box, bool enabled) const {
  const bool pressed = Click(label, box) && enabled;
  const bool hovered = enabled && ImGui::IsItemHovered();
  Frame(box, enabled ? Paint::kAccent : Paint::kLine, hovered ? 2 : 1);
  Text(box, enabled ? Paint::kAccent : Paint::kFaint, label, Side::kMiddle);
  return pressed;
}

}  // namespace sluice::ui
