// Tables of the window: ops, connectors, knobs, decisions, ranks, the machine. A table is rows of cells,
// words or values, which are put into words where they are seen; which column sorts, and which rows are
// shown, is part of the wish. Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/ui/place.h"
#include "sluice/ui/scene.h"

namespace sluice::ui {

enum class Tab : std::uint8_t { kOps = 0, kConnectors, kKnobs, kDecisions, kMachine, kRanks, kCount };
[[nodiscard]] const char* TabName(Tab tab);
[[nodiscard]] std::optional<Tab> TabOf(std::string_view name);

enum class CellKind : std::uint8_t { kWords, kCount, kRate, kShare, kTime };

struct Cell {
  CellKind kind = CellKind::kWords;
  // Sorted by: per second, 0..1, nanoseconds, or a count. nullopt: not known, which comes last; words are
  // sorted by themselves then.
  std::optional<double> value{};
  std::string words{};  // of kWords

  [[nodiscard]] std::string text() const;
};

struct TableRow {
  std::size_t item = 0;  // an index into what the table is of; of decisions, the decision's id
  bool marked = false;   // it limits the run, or is the one shown
  std::vector<Cell> cells{};
  std::string tip{};
};

struct TableColumn {
  std::string name{};
  bool number = false;  // to the right
  float share = 1;      // of the width
  std::string tip{};
};

struct Table {
  std::vector<TableColumn> columns{};
  std::vector<TableRow> rows{};
  std::size_t hidden = 0;  // rows that the filter leaves out
  std::string empty{};     // said where there are no rows
};

struct TableWish {
  std::optional<std::size_t> sort{};  // a column; nullopt: in the order of the data's way
  bool descending = false;
  std::string filter{};  // shown are rows with this in a cell, whatever the case
};

[[nodiscard]] Table MakeTable(Tab tab, const Scene& scene, const TableWish& wish = {});

// Columns apart by tabulators: for the clipboard.
[[nodiscard]] std::string TableText(const Table& table);

// What one op is like.
struct HistogramBar {
  Box box{};
  std::string tip{};
};
struct OpDetail {
  std::string title{};
  std::vector<std::pair<std::string, std::string>> figures{};
  std::vector<HistogramBar> bars{};  // busy time per item; none where nothing is counted
  std::string from{}, to{}, most{};  // what the ends of the axes stand for
};
[[nodiscard]] OpDetail DescribeOp(const Scene& scene, std::size_t op, Box histogram, bool log_counts);

}  // namespace sluice::ui
