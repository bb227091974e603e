#include <imgui.h>

#include "panels/panels.h"

namespace sluice::ui {
namespace {

std::string Glyphed(Judged judged, const std::string& text) {
  return std::string(JudgedGlyph(judged)) + "  " + text;
}

// Returns whether it was clicked.
bool DrawHeadline(const Painter& painter, const Headline& line, Box box, bool chosen) {
  const float s = painter.scale(), word = 150 * s, name = line.name.empty() ? 0 : 260 * s;
  if (chosen) painter.Frame(box, Paint::kAccent);
  const Box text{box.x + 12 * s, box.y, box.width - 24 * s, box.height};
  painter.Text({text.x, text.y, word, text.height}, JudgedPaint(line.judged), Glyphed(line.judged, line.word),
               Side::kLeft, painter.fonts().bold);
  painter.Text({text.x + word, text.y, name, text.height}, Paint::kAccent, line.name);
  painter.Text({text.x + word + name, text.y, text.width - word - name, text.height}, Paint::kText,
               line.sentence);
  painter.Tip(box, {line.name, line.sentence});
  return painter.Click("pair" + line.name + line.word, box);
}

// In a window of its own, which scrolls where there are many.
std::optional<std::size_t> DrawHeadlines(const Painter& painter, const CompareView& view) {
  std::optional<std::size_t> clicked;
  painter.Fill(view.lines, Paint::kPanel, 6);
  ImGui::SetCursorScreenPos({view.lines.x, view.lines.y});
  ImGui::BeginChild("headlines", {view.lines.width, view.lines.height});
  Box box{view.lines.x, view.lines.y - ImGui::GetScrollY(), view.lines.width, view.line};
  for (const Headline& line : view.headlines) {
    const bool chosen = view.headlines.size() > 1 && line.pair == view.chosen;
    if (DrawHeadline(painter, line, box, chosen) && line.pair) clicked = line.pair;
    box.y = box.bottom();
  }
  ImGui::EndChild();
  return clicked;
}

void DrawCell(const Painter& painter, Paint paint, const std::string& text, Side side = Side::kLeft) {
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  painter.Text({at.x, at.y, ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()}, paint, text, side);
  ImGui::Dummy({1, ImGui::GetTextLineHeight()});
}

void DrawRows(const Painter& painter, const std::vector<CompareRow>& rows) {
  std::string above;
  for (const CompareRow& row : rows) {
    const Paint paint = JudgedPaint(row.judged);
    ImGui::TableNextRow();
    DrawCell(painter, row.about == above ? Paint::kFaint : Paint::kAccent, row.about);
    DrawCell(painter, Paint::kText, row.what);
    DrawCell(painter, Paint::kText, row.a, Side::kRight);
    DrawCell(painter, Paint::kText, row.b, Side::kRight);
    DrawCell(painter, paint, Glyphed(row.judged, row.change));
    DrawCell(painter, paint, JudgedWord(row.judged));
    above = row.about;
  }
}

void DrawRowTable(const Painter& painter, const CompareView& view) {
  ImGui::SetCursorScreenPos({view.table.x, view.table.y});
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("compare", 6, kFlags, {view.table.width, view.table.height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr std::pair<const char*, float> kColumns[] = {{"of", 1.6F}, {"figure", 1.8F}, {"A", 1},
                                                        {"B", 1},     {"change", 2.1F}, {"B is", 1}};
  for (const auto& [name, share] : kColumns)
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, share);
  ImGui::TableHeadersRow();
  DrawRows(painter, view.rows);
  ImGui::EndTable();
}

}  // namespace

std::optional<std::size_t> DrawCompare(const Painter& painter, const CompareView& view,
                                       const std::string& hint) {
  const float s = painter.scale();
  painter.Text(view.header, Paint::kText, view.title, Side::kLeft, painter.fonts().bold);
  painter.Text(view.header, Paint::kFaint, hint, Side::kRight);
  const auto clicked = DrawHeadlines(painter, view);
  DrawStrip(painter, view.strip_a, view.box_a);
  DrawStrip(painter, view.strip_b, view.box_b);
  DrawRowTable(painter, view);
  painter.Fill(view.curves, Paint::kPanel, 6);
  painter.Text({view.curves.x + 6 * s, view.curves.y + 6 * s, view.curves.width - 12 * s, 19 * s},
               Paint::kFaint, view.caption);
  DrawTimeline(painter, view.timeline, {});
  return clicked;
}

}  // namespace sluice::ui
