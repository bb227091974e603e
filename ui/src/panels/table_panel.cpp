#include <imgui.h>
#include <imgui_stdlib.h>

#include "panels/panels.h"

namespace sluice::ui {
namespace {

void DrawCell(const Painter& painter, const TableColumn& column, const Cell& cell, bool marked) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box box{at.x, at.y, ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()};
  painter.Text(box, marked ? Paint::kWarning : Paint::kText, cell.text(),
               column.number ? Side::kRight : Side::kLeft);
}

void DrawRow(const Painter& painter, const Table& table, const TableRow& row, Tab tab,
             std::optional<std::size_t> chosen, TableTouch& touch) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_chosen = (tab == Tab::kOps || tab == Tab::kKnobs) && chosen == row.item;
  const std::string id = "##row" + std::to_string(row.item);
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable(id.c_str(), is_chosen, ImGuiSelectableFlags_SpanAllColumns)) touch.item = row.item;
  if (!row.tip.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", row.tip.c_str());
  ImGui::SetCursorPos(at);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) ImGui::TableNextColumn();
    DrawCell(painter, table.columns[i], row.cells[i], row.marked && i == 0);
  }
}

TableTouch DrawRows(const Painter& painter, const Table& table, Tab tab, std::optional<std::size_t> chosen) {
  TableTouch touch;
  ImGuiListClipper seen;
  seen.Begin(static_cast<int>(table.rows.size()));
  while (seen.Step()) {
    for (int i = seen.DisplayStart; i < seen.DisplayEnd; ++i)
      DrawRow(painter, table, table.rows[static_cast<std::size_t>(i)], tab, chosen, touch);
  }
  return touch;
}

void DrawHeads(const Table& table) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const TableColumn& column : table.columns) {
    ImGui::TableNextColumn();
    ImGui::TableHeader(column.name.c_str());
    if (!column.tip.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", column.tip.c_str());
  }
}

}  // namespace

std::optional<Tab> DrawTabs(const Painter& painter, Tab chosen, Box box) {
  std::optional<Tab> clicked;
  Box tab{box.x, box.y, 96 * painter.scale(), box.height};
  for (int i = 0; i < static_cast<int>(Tab::kCount); ++i) {
    const Tab each = static_cast<Tab>(i);
    painter.Text(tab, each == chosen ? Paint::kText : Paint::kAccent, TabName(each), Side::kMiddle,
                 each == chosen ? painter.fonts().bold : nullptr);
    if (each == chosen)
      painter.Fill({tab.x, tab.bottom() - 3 * painter.scale(), tab.width, 3 * painter.scale()},
                   Paint::kAccent);
    if (painter.Click(TabName(each), tab)) clicked = each;
    tab.x = tab.right();
  }
  return clicked;
}

void DrawFilter(const Painter& painter, Box box, std::string& filter, const std::string& hint, bool focus) {
  const float width = 190 * painter.scale();
  if (box.width < 4 * width) return;
  ImGui::SetCursorScreenPos({box.right() - width, box.y + 2 * painter.scale()});
  ImGui::SetNextItemWidth(width);
  if (focus) ImGui::SetKeyboardFocusHere();
  ImGui::InputTextWithHint("##filter", hint.c_str(), &filter);
}

TableTouch DrawTable(const Painter& painter, const Table& table, Tab tab, std::optional<std::size_t> chosen,
                     Box box) {
  ImGui::SetCursorScreenPos({box.x, box.y});
  TableTouch touch;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_SizingStretchProp;
  const int columns = static_cast<int>(table.columns.size());
  if (columns == 0 || !ImGui::BeginTable(TabName(tab), columns, kFlags, {box.width, box.height}))
    return touch;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const TableColumn& column : table.columns)
    ImGui::TableSetupColumn(column.name.c_str(), ImGuiTableColumnFlags_WidthStretch, column.share);
  DrawHeads(table);
  touch = DrawRows(painter, table, tab, chosen);
  if (const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs(); sort != nullptr && sort->SpecsCount > 0) {
    touch.sort = static_cast<std::size_t>(sort->Specs[0].ColumnIndex);
    touch.descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  }
  ImGui::EndTable();
  if (table.rows.empty())
    painter.Text({box.x, box.y + 30 * painter.scale(), box.width, 24 * painter.scale()}, Paint::kFaint,
                 table.empty, Side::kMiddle);
  return touch;
}

Box HistogramIn(Box detail, float scale) {
  const float half = detail.width / 2;
  return {detail.x + half, detail.y + 56 * scale, half - 14 * scale, detail.height - 90 * scale};
}

void DrawDetail(const Painter& painter, const OpDetail& detail, Box box) {
  const float s = painter.scale();
  painter.Fill(box, Paint::kPanel, 6);
  painter.Text({box.x + 12 * s, box.y + 6 * s, box.width - 24 * s, 22 * s}, Paint::kText, detail.title,
               Side::kLeft, painter.fonts().bold);
  Box line{box.x + 12 * s, box.y + 32 * s, box.width / 2 - 20 * s, 19 * s};
  for (const auto& [name, value] : detail.figures) {
    if (line.bottom() > box.bottom()) break;
    painter.Pair(line, Paint::kFaint, name, value);
    line.y += line.height;
  }
  const Box bars = HistogramIn(box, s);
  painter.Text({bars.x, bars.y - 24 * s, bars.width, 19 * s}, Paint::kFaint,
               detail.bars.empty() ? "no item was measured in this time" : "busy time per item", Side::kLeft);
  painter.Text({bars.x, bars.y - 24 * s, bars.width, 19 * s}, Paint::kFaint, detail.most, Side::kRight);
  painter.Line({bars.x, bars.bottom()}, {bars.right(), bars.bottom()}, Paint::kLine);
  for (const HistogramBar& bar : detail.bars) painter.Fill(bar.box, Paint::kBusy);
  for (const HistogramBar& bar : detail.bars)
    painter.Tip({bar.box.x, bars.y, bar.box.width, bars.height}, {bar.tip});
  const Box axis{bars.x, bars.bottom() + 3 * s, bars.width, 18 * s};
  painter.Text(axis, Paint::kFaint, detail.from);
  painter.Text(axis, Paint::kFaint, detail.to, Side::kRight);
}

}  // namespace sluice::ui
