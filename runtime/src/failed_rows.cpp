#include "failed_rows.h"

#include <fmt/format.h>

namespace sluice::runtime {

namespace {

// " (data/data_batch_1.bin at byte 21511)"; empty where there is none.
std::string InBrackets(const RowOrigin& origin) {
  if (origin.file.empty()) return "";
  return origin.byte ? fmt::format(" ({} at byte {})", origin.file, *origin.byte)
                     : fmt::format(" ({})", origin.file);
}

}  // namespace

std::string FailedRows::Name(std::uint64_t row) const {
  return fmt::format("row {}{}", row, InBrackets(origin_of_(row)));
}

// Readers name the file in their own words.
std::string FailedRows::Sentence(std::string_view op, std::span<const std::uint64_t> rows,
                                 std::uint64_t epoch, std::string_view error) const {
  const RowOrigin origin = origin_of_(rows.front());
  const bool named = error.find(origin.file) != std::string_view::npos;
  const std::string more = rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : "";
  return fmt::format("{}: row {}{} of epoch {}{}: {}", op, rows.front(), more, epoch,
                     named ? "" : InBrackets(origin), error);
}

bool FailedRows::Note(std::string_view op, std::span<const std::uint64_t> rows, std::uint64_t epoch,
                      std::string_view error) {
  const MutexLock lock(mutex_);
  const std::uint64_t before = different_;
  failed_ += rows.size();
  for (const std::uint64_t row : rows) {
    if (!IsNew(row)) continue;
    ++different_;
    if (listed_.size() == kListed) continue;
    listed_.push_back({std::string(op), row, epoch, origin_of_(row), std::string(error)});
  }
  return different_ > before && before < kTold;
}

bool FailedRows::IsNew(std::uint64_t row) {
  auto bit = seen_[row / kBlock][row % kBlock];
  if (bit) return false;
  bit = true;
  return true;
}

std::uint64_t FailedRows::failed() const {
  const MutexLock lock(mutex_);
  return failed_;
}

std::uint64_t FailedRows::different() const {
  const MutexLock lock(mutex_);
  return different_;
}

std::vector<FailedRow> FailedRows::From(std::size_t from) const {
  const MutexLock lock(mutex_);
  if (from >= listed_.size()) return {};
  return {listed_.begin() + static_cast<std::ptrdiff_t>(from), listed_.end()};
}

}  // namespace sluice::runtime
