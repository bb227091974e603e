// TextTable: cells in columns. The first column is to the left, the others to the right. One thread; a
// builder.
#pragma once
#include <string>
#include <vector>

namespace sluice::evaluation {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> titles) : rows_({std::move(titles)}) {}
  // REQUIRES as many cells as titles, in one byte per column.
  void Add(std::vector<std::string> cells);

  // Columns two blanks apart, each line indented by two and without blanks at its end.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] std::string Markdown() const;

 private:
  [[nodiscard]] std::vector<std::size_t> Widths() const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sluice::evaluation
