#include "text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/check.h"

namespace sluice::evaluation {

void TextTable::Add(std::vector<std::string> cells) {
  SLUICE_CHECK(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::Widths() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

std::string TextTable::Text() const {
  const std::vector<std::size_t> widths = Widths();
  std::string text;
  for (const auto& row : rows_) {
    std::string line = fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string TextTable::Markdown() const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const std::string& cell : rows_[r]) text += "| " + cell + " ";
    text += "|\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) text += c == 0 ? "|---" : "|---:";
    text += "|\n";
  }
  return text;
}

}  // namespace sluice::evaluation
