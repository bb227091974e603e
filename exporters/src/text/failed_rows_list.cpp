#include "sluice/exporters/failed_rows_list.h"

#include <fmt/format.h>

namespace sluice::exporters {
namespace {

std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '\\') {
      cell += "\\\\";
    } else if (c == '\t') {
      cell += "\\t";
    } else if (c == '\n') {
      cell += "\\n";
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
      cell += fmt::format("\\x{:02x}", byte);
    } else {
      cell += c;
    }
  }
  return cell;
}

}  // namespace

std::string FailedRowsHeading() {
  return "row\tepoch\top\tfile\tbyte\terror\n";
}

std::string FailedRowLine(const FailedRow& row) {
  const std::string byte = row.origin.byte ? fmt::format("{}", *row.origin.byte) : "";
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", row.row, row.epoch, Cell(row.op), Cell(row.origin.file),
                     byte, Cell(row.error));
}

std::string UnlistedRowsLine(std::uint64_t rows) {
  return fmt::format("# {} more rows have failed\n", rows);
}

}  // namespace sluice::exporters
