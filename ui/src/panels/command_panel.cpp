#include <algorithm>

#include "panels/panels.h"

namespace sluice::ui {
namespace {

constexpr std::size_t kMostRows = 14;
constexpr ImGuiWindowFlags kPlain = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;

void DrawTyped(const Painter& painter, const std::string& typed, Box box) {
  const float s = painter.scale();
  painter.Frame(box, Paint::kAccent, 2);
  const Box text{box.x + 10 * s, box.y, box.width - 20 * s, box.height};
  painter.Text({text.x + (typed.empty() ? 6 * s : 0), text.y, text.width, text.height},
               typed.empty() ? Paint::kFaint : Paint::kText,
               typed.empty() ? "words of what to do, or of an op, a knob, a table" : typed);
  const float x = text.x + std::min(ImGui::CalcTextSize(typed.c_str()).x, text.width) + s;
  painter.Line({x, box.y + 6 * s}, {x, box.bottom() - 6 * s}, Paint::kText);
}

// Whether it was clicked.
bool DrawCommand(const Painter& painter, const Command& command, bool chosen, float high) {
  const float s = painter.scale();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box box{at.x, at.y, ImGui::GetContentRegionAvail().x, high};
  const bool clicked = painter.Click(command.words, box);
  if (chosen) painter.Tint(box, Paint::kAccent);
  if (ImGui::IsItemHovered()) painter.Frame(box, Paint::kAccent);
  const Box text{box.x + 10 * s, box.y, box.width - 20 * s, box.height};
  painter.Text(text, Paint::kText, command.words);
  painter.Text({text.x, text.y, text.width - 84 * s, text.height}, Paint::kFaint, command.name, Side::kRight);
  painter.Text(text, Paint::kAccent, command.key, Side::kRight);
  return clicked;
}

}  // namespace

CommandTouch DrawCommands(const Painter& painter, const std::vector<Command>& rows, const CommandWish& wish,
                          bool moved, float width, float height) {
  const float s = painter.scale(), high = 24 * s, room = height - 100 * s;
  CommandTouch touch;
  ImGui::SetNextWindowPos({width / 2, 40 * s}, ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({std::min(680 * s, width), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::Begin("Commands", nullptr, kPlain);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box field{at.x, at.y, ImGui::GetContentRegionAvail().x, 30 * s};
  DrawTyped(painter, wish.typed, field);
  ImGui::Dummy({field.width, field.height});
  const std::size_t shown = std::clamp(rows.size(), std::size_t{1}, kMostRows);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("rows", {0, std::min(static_cast<float>(shown) * high, std::max(room, high))});
  if (rows.empty()) ImGui::TextDisabled("Nothing has all of these words in it.");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (DrawCommand(painter, rows[i], i == wish.row, high)) touch.row = i;
    if (moved && i == wish.row) ImGui::SetScrollHereY();
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  touch.away = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
               !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows |
                                       ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  ImGui::End();
  ImGui::PopStyleVar();
  return touch;
}

bool DrawNotice(const Painter& painter, const std::string& notice, const std::string& key, float width,
                float height) {
  const float s = painter.scale();
  ImGui::SetNextWindowPos({width / 2, height - 12 * s}, ImGuiCond_Always, {0.5F, 1});
  ImGui::SetNextWindowSize({std::min(760 * s, width), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::Begin("Notice", nullptr, kPlain | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::TextWrapped("\u26A0 %s", notice.c_str());
  ImGui::TextDisabled("%s a click closes this.", key.empty() ? "Only" : (key + " or").c_str());
  const bool clicked = ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  ImGui::End();
  ImGui::PopStyleVar();
  return clicked;
}

}  // namespace sluice::ui
