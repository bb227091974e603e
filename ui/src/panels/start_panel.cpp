#include "panels/panels.h"

namespace sluice::ui {
namespace {

bool DrawEntry(const Painter& painter, const StartEntry& entry, const std::string& id, bool chosen) {
  const float s = painter.scale();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box box{at.x, at.y, ImGui::GetContentRegionAvail().x, 44 * s};
  const bool clicked = painter.Click(id, box);
  painter.Fill(box, Paint::kPanel, 4);
  if (chosen) painter.Tint(box, Paint::kAccent);
  if (chosen || ImGui::IsItemHovered()) painter.Frame(box, Paint::kAccent, 2);
  painter.Text({box.x + 12 * s, box.y + 3 * s, box.width - 24 * s, 19 * s}, Paint::kAccent, entry.title,
               Side::kLeft, painter.fonts().bold);
  painter.Text({box.x + 12 * s, box.y + 22 * s, box.width - 24 * s, 19 * s}, Paint::kFaint, entry.detail);
  painter.Tip(box, {entry.title, entry.detail});
  ImGui::Dummy({1, 2 * s});
  return clicked;
}

}  // namespace

std::optional<StartEntry> DrawStart(const Painter& painter, const std::vector<StartList>& lists,
                                    std::optional<StartPlace> chosen, bool moved, const std::string& note) {
  std::optional<StartEntry> clicked;
  ImGui::PushFont(painter.fonts().large);
  ImGui::TextUnformatted("Sluice");
  ImGui::PopFont();
  ImGui::TextWrapped("%s", note.c_str());
  if (!ImGui::BeginTable("start", static_cast<int>(lists.size()), ImGuiTableFlags_SizingStretchSame))
    return clicked;
  for (std::size_t at = 0; at < lists.size(); ++at) {
    const StartList& list = lists[at];
    ImGui::TableNextColumn();
    ImGui::PushFont(painter.fonts().bold);
    ImGui::TextUnformatted(list.title.c_str());
    ImGui::PopFont();
    ImGui::BeginChild(list.title.c_str());
    if (list.entries.empty()) ImGui::TextWrapped("%s", list.empty.c_str());
    for (std::size_t i = 0; i < list.entries.size(); ++i) {
      const bool here = chosen == StartPlace{at, i};
      if (DrawEntry(painter, list.entries[i], list.title + std::to_string(i), here))
        clicked = list.entries[i];
      if (here && moved) ImGui::SetScrollHereY();
    }
    ImGui::EndChild();
  }
  ImGui::EndTable();
  return clicked;
}

void DrawHelp(const Painter& painter, const KeyMap& keys, float width, float height) {
  const float s = painter.scale();
  ImGui::SetNextWindowPos({width / 2, height / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({640 * s, 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {width, height});
  ImGui::Begin("Keys", nullptr,
               ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse);
  if (ImGui::BeginTable("keys", 3, ImGuiTableFlags_SizingFixedFit)) {
    for (const ActionInfo& info : Actions()) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(KeyText(keys.KeyOf(info.action)).c_str());
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(info.does);
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", info.name);
    }
    ImGui::EndTable();
  }
  ImGui::Separator();
  ImGui::TextUnformatted("Wheel: look closer. Drag: choose a range. Right drag: move.");
  ImGui::TextDisabled("The names are those of [keys] in the settings file (docs/ui.md).");
  ImGui::End();
}

}  // namespace sluice::ui
