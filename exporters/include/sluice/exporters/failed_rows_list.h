// The list of failed rows as a table of text: a heading, then a line per row, cells separated by tabs. The
// file format of `sluice run --failed-rows FILE` (docs/failed-rows.md).
#pragma once
#include <cstdint>
#include <string>

#include "sluice/base/failed_row.h"

namespace sluice::exporters {

// Each with its line break. In a cell, a backslash, a tab and a line break are written as in C; so are bytes
// below 0x20.
[[nodiscard]] std::string FailedRowsHeading();
[[nodiscard]] std::string FailedRowLine(const FailedRow& row);
// Closes a list that does not name all rows: so many more have failed.
[[nodiscard]] std::string UnlistedRowsLine(std::uint64_t rows);

}  // namespace sluice::exporters
