#include <imgui.h>

#include "panels/panels.h"

namespace sluice::ui {
namespace {

void DrawFigures(const Painter& painter, const KnobView& knob, Box& line, float bottom) {
  for (const auto& [name, value] : knob.figures) {
    if (line.bottom() > bottom) return;
    painter.Text(line, Paint::kFaint, name);
    painter.Text({line.x + 90 * painter.scale(), line.y, line.width - 90 * painter.scale(), line.height},
                 Paint::kText, value, Side::kRight);
    line.y += line.height;
  }
}

}  // namespace

std::optional<Action> DrawSteering(const Painter& painter, const SteeringView& steering, bool stops,
                                   Box box) {
  const float s = painter.scale();
  std::optional<Action> asked;
  Box button{box.right(), box.y + 2 * s, 0, box.height - 4 * s};
  const auto add = [&](const char* label, Action action, float width, bool enabled) {
    button.width = width * s;
    button.x -= button.width + 6 * s;
    if (painter.Button(label, button, enabled)) asked = action;
  };
  if (stops) add("Stop", Action::kStop, 60, true);
  add("Redo", Action::kRedo, 60, steering.redoes);
  add("Undo", Action::kUndo, 60, steering.undoes);
  add(steering.held ? "Resume" : "Hold", Action::kHold, 76, steering.open);
  if (!steering.advice.empty()) {
    add("Apply", Action::kTakeAdvice, 66, true);
    add("Preview", Action::kPreviewAdvice, 76, true);
  }
  const Box text{box.x + 12 * s, box.y, button.x - box.x - 24 * s, box.height};
  painter.Text(text, steering.warns ? Paint::kWarning : Paint::kFaint, steering.line);
  painter.Tip(text, {steering.line});
  return asked;
}

KnobTouch DrawKnob(const Painter& painter, const KnobView& knob, Box box) {
  const float s = painter.scale();
  KnobTouch touch;
  painter.Fill(box, Paint::kPanel, 6);
  const Box inner{box.x + 12 * s, box.y + 6 * s, box.width - 24 * s, box.height - 12 * s};
  painter.Text({inner.x, inner.y, inner.width, 22 * s}, Paint::kText, knob.title, Side::kLeft,
               painter.fonts().bold);
  const float entry = 110 * s, high = 26 * s;
  std::int64_t wanted = knob.wanted;
  const ImGuiSliderFlags flags =
      ImGuiSliderFlags_AlwaysClamp | (knob.wide ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
  ImGui::BeginDisabled(!knob.free);
  ImGui::SetCursorScreenPos({inner.x, inner.y + 28 * s});
  ImGui::SetNextItemWidth(inner.width - entry - 8 * s);
  if (ImGui::SliderScalar("##slider", ImGuiDataType_S64, &wanted, &knob.min, &knob.max, "%lld", flags))
    touch.wanted = wanted;
  ImGui::SetCursorScreenPos({inner.right() - entry, inner.y + 28 * s});
  ImGui::SetNextItemWidth(entry);
  const std::int64_t one = 1, ten = 10;
  std::int64_t typed = knob.wanted;
  if (ImGui::InputScalar("##entry", ImGuiDataType_S64, &typed, &one, &ten, "%lld",
                         ImGuiInputTextFlags_EnterReturnsTrue)) {
    touch.wanted = typed;
    touch.apply = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter));
  }
  ImGui::EndDisabled();
  Box button{inner.x, inner.y + 28 * s + high + 6 * s, 0, high};
  const auto pressed = [&](const char* label, float width, bool enabled) {
    button.width = width * s;
    const bool is = painter.Button(label, button, enabled);
    if (button.right() < inner.right()) button.x = button.right() + 6 * s;
    return is;
  };
  touch.apply = pressed("Apply", 70, knob.free && knob.changes) || touch.apply;
  touch.pin = pressed(knob.pinned ? "Unpin" : "Pin", 64, knob.free);
  touch.least =
      pressed(knob.bounds && knob.bounds->min == knob.wanted ? "Any less" : "Not below", 86, knob.free);
  touch.most =
      pressed(knob.bounds && knob.bounds->max == knob.wanted ? "Any more" : "Not above", 86, knob.free);
  Box line{inner.x, button.bottom() + 8 * s, inner.width, 19 * s};
  const std::string& says = knob.free ? knob.outlook : knob.fixed;
  line.y += painter.Paragraph({line.x, line.y, line.width, 60 * s},
                              knob.doubtful ? Paint::kWarning : Paint::kAccent, says) +
            6 * s;
  DrawFigures(painter, knob, line, box.bottom());
  return touch;
}

}  // namespace sluice::ui
