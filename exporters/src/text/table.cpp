#include "text/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sluice/base/check.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr int kGap = 2;
constexpr int kLeastFill = 6;

int Total(const std::vector<int>& widths) {
  return std::accumulate(widths.begin(), widths.end(), -kGap,
                         [](int sum, int width) { return width > 0 ? sum + width + kGap : sum; });
}

}  // namespace

void Table::Add(std::vector<Span> cells) {
  SLUICE_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<int> Table::Widths(const TextStyle& style) const {
  std::vector<int> widths(columns_.size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(Printable(row[c].text, style.unicode)));
    }
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (widths[c] > 0) widths[c] = std::max(widths[c], DisplayWidth(columns_[c].title));
  }
  return widths;
}

void Table::MakeFit(std::vector<int>& widths, int available) const {
  while (Total(widths) > available) {
    std::size_t weakest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0 || columns_[c].rank == 0) continue;
      if (weakest == columns_.size() || columns_[c].rank > columns_[weakest].rank) weakest = c;
    }
    if (weakest == columns_.size()) break;
    widths[weakest] = 0;
  }
  for (std::size_t c = columns_.size(); c-- > 0;) {
    const int excess = Total(widths) - available;
    if (excess > 0 && columns_[c].fill && widths[c] > 0) {
      widths[c] = std::max(widths[c] - excess, std::min(widths[c], kLeastFill));
    }
  }
}

StyledLine Table::Row(const std::vector<Span>& cells, const std::vector<int>& widths,
                      const TextStyle& style) const {
  StyledLine line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (widths[c] == 0) continue;
    if (!line.empty()) line.push_back({std::string(kGap, ' '), Tone::kPlain});
    std::string text = Clip(Printable(cells[c].text, style.unicode), widths[c], style.unicode);
    const std::string pad(static_cast<std::size_t>(widths[c] - DisplayWidth(text)), ' ');
    const bool left = columns_[c].align == Align::kLeft;
    line.push_back({left ? text + pad : pad + text, cells[c].tone});
  }
  return line;
}

std::vector<StyledLine> Table::Lines(const TextStyle& style) const {
  std::vector<int> widths = Widths(style);
  MakeFit(widths, style.width);
  std::vector<StyledLine> lines;
  if (std::ranges::any_of(columns_, [](const Column& c) { return !c.title.empty(); })) {
    std::vector<Span> titles;
    titles.reserve(columns_.size());
    for (const Column& column : columns_) titles.push_back({column.title, Tone::kDim});
    lines.push_back(Row(titles, widths, style));
  }
  for (const auto& row : rows_) lines.push_back(Row(row, widths, style));
  return lines;
}

}  // namespace sluice::exporters
