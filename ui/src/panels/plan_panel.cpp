#include <algorithm>

#include "panels/panels.h"

namespace sluice::ui {
namespace {

constexpr float kLine = 26;

struct Columns {
  Box name, value, hint;
};

Columns ColumnsOf(Box box, float s) {
  const Box inner{box.x + 10 * s, box.y, box.width - 20 * s, box.height};
  const float name = 190 * s, arrow = box.height, value = 240 * s;
  const float before = name + arrow, behind = before + value + arrow + 16 * s;
  return {{inner.x, inner.y, name - 8 * s, inner.height},
          {inner.x + before, inner.y, value, inner.height},
          {inner.x + behind, inner.y, std::max(inner.width - behind, 1.0F), inner.height}};
}

// By so many choices; nullopt: nothing was clicked. They stand left and right of the value.
std::optional<int> DrawArrows(const Painter& painter, const std::string& name, Box value) {
  const float wide = value.height;
  const Box left{value.x - wide, value.y, wide, value.height};
  const Box right{value.right(), value.y, wide, value.height};
  std::optional<int> step;
  if (painter.Click("less" + name, left)) step = -1;
  painter.Text(left, Paint::kAccent, "\u25C2", Side::kMiddle, painter.fonts().bold);
  if (painter.Click("more" + name, right)) step = 1;
  painter.Text(right, Paint::kAccent, "\u25B8", Side::kMiddle, painter.fonts().bold);
  return step;
}

void DrawValue(const Painter& painter, const PlanField& field, bool typed, Box value) {
  const float s = painter.scale();
  const Paint paint = field.changed() ? Paint::kText : Paint::kFaint;
  ImFont* const font = field.changed() ? painter.fonts().bold : painter.fonts().normal;
  painter.Text(value, paint, field.value, field.choices.empty() ? Side::kLeft : Side::kMiddle, font);
  if (field.choices.empty())
    painter.Line({value.x, value.bottom() - 4 * s}, {value.right(), value.bottom() - 4 * s}, Paint::kLine);
  if (!typed || !field.choices.empty()) return;
  const float wide = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, field.value.c_str()).x;
  const float x = value.x + std::min(wide, value.width) + 2 * s;
  painter.Line({x, value.y + 5 * s}, {x, value.bottom() - 5 * s}, Paint::kText);
}

void DrawField(const Painter& painter, const Plan& plan, std::size_t row, PlanTouch& touch) {
  const float s = painter.scale();
  const PlanField& field = plan.fields[row];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box box{at.x, at.y, ImGui::GetContentRegionAvail().x, kLine * s};
  const Columns columns = ColumnsOf(box, s);
  if (row == plan.row) painter.Tint(box, Paint::kAccent);
  const bool steps = !field.choices.empty() || field.range;
  const auto step = steps ? DrawArrows(painter, field.name, columns.value) : std::nullopt;
  if (step) touch = {.row = row, .step = *step};
  if (painter.Click("field" + field.name, {box.x, box.y, columns.name.right() - box.x, box.height}) ||
      painter.Click("value" + field.name, columns.value))
    touch = {.row = row};
  painter.Text(columns.name, Paint::kText, field.name);
  DrawValue(painter, field, row == plan.row, columns.value);
  painter.Text(columns.hint, Paint::kFaint, field.hint);
  painter.Tip(columns.hint, {field.hint});
  ImGui::SetCursorScreenPos({box.x, box.bottom()});
  ImGui::Dummy({1, 0});
}

void DrawButtons(const Painter& painter, bool starts, bool starting, float bottom, PlanTouch& touch) {
  const float s = painter.scale();
  Box button{ImGui::GetCursorScreenPos().x, bottom - 34 * s, 100 * s, 28 * s};
  const auto pressed = [&](const char* label, bool enabled) {
    const bool is = painter.Button(label, button, enabled);
    button.x = button.right() + 8 * s;
    return is;
  };
  touch.start = pressed("Start", starts && !starting) || touch.start;
  touch.copy = pressed("Copy", starts);
  touch.back = pressed(starting ? "Cancel" : "Back", true);
}

}  // namespace

PlanTouch DrawPlan(const Painter& painter, const Plan& plan, const PlanWords& words, bool moved,
                   float height) {
  const float s = painter.scale();
  PlanTouch touch;
  ImGui::PushFont(painter.fonts().large);
  ImGui::TextUnformatted(plan.name.c_str());
  ImGui::PopFont();
  ImGui::TextWrapped("%s", plan.summary.c_str());
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled("%s", words.command.c_str());
  ImGui::PopTextWrapPos();
  const bool warns = !words.wrong.empty();
  ImGui::PushStyleColor(ImGuiCol_Text, painter.ColourFor(warns ? Paint::kWarning : Paint::kAccent));
  ImGui::TextWrapped("%s", (warns ? "\u26A0 " + words.wrong : words.note).c_str());
  ImGui::PopStyleColor();
  const float top = ImGui::GetCursorScreenPos().y, buttons = 44 * s;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("fields", {0, std::max(height - top - buttons, kLine * s)});
  for (std::size_t row = 0; row < plan.fields.size(); ++row) {
    DrawField(painter, plan, row, touch);
    if (moved && row == plan.row) ImGui::SetScrollHereY();
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  DrawButtons(painter, words.startable, words.starting, height, touch);
  return touch;
}

}  // namespace sluice::ui
