// Table: columns that give way by rank when the lines would become too wide. One thread; a builder.
#pragma once
#include <string>
#include <vector>

#include "text/styled_line.h"

namespace sluice::exporters {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kRight;
  int rank = 0;       // the highest leave first; columns of rank 0 always stay
  bool fill = false;  // may be clipped, the last such column first, when leaving out was not enough
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // REQUIRES as many cells as there are columns.
  void Add(std::vector<Span> cells);
  // Without titles where no column has one. Columns whose cells are all empty are left out.
  [[nodiscard]] std::vector<StyledLine> Lines(const TextStyle& style) const;

 private:
  [[nodiscard]] std::vector<int> Widths(const TextStyle& style) const;
  void MakeFit(std::vector<int>& widths, int available) const;
  [[nodiscard]] StyledLine Row(const std::vector<Span>& cells, const std::vector<int>& widths,
                               const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Span>> rows_;
};

}  // namespace sluice::exporters
