// FailedRows: the book of the rows that failed: which, where they came from, how often.
//
// Thread-safe: workers note, anybody reads. It grows with the rows that fail: by an entry each, and after
// kListed of them by a bit or so.
#pragma once
#include <bitset>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/base/failed_row.h"
#include "sluice/base/mutex.h"

namespace sluice::runtime {

class FailedRows {
 public:
  static constexpr std::size_t kListed = 100'000;
  // Warnings of so many rows; those behind them say nothing new, and would push other events out of the
  // segment's ring.
  static constexpr std::size_t kTold = 16;

  using OriginOf = std::function<RowOrigin(std::uint64_t row)>;  // any thread
  explicit FailedRows(OriginOf origin_of) : origin_of_(std::move(origin_of)) {}

  // "row 7", "row 7 (data/train/cat/3.jpg)", "row 7 (data/data_batch_1.bin at byte 21511)".
  [[nodiscard]] std::string Name(std::uint64_t row) const;
  // "decode: row 7 of epoch 0 (data/train/cat/3.jpg): the file is truncated". REQUIRES: !rows.empty().
  [[nodiscard]] std::string Sentence(std::string_view op, std::span<const std::uint64_t> rows,
                                     std::uint64_t epoch, std::string_view error) const;
  // `rows` have failed in `op`, for one reason. Says whether to tell of it: only when a row fails for the
  // first time, and not of the many-th.
  [[nodiscard]] bool Note(std::string_view op, std::span<const std::uint64_t> rows, std::uint64_t epoch,
                          std::string_view error) EXCLUDES(mutex_);

  [[nodiscard]] std::uint64_t failed() const EXCLUDES(mutex_);
  [[nodiscard]] std::uint64_t different() const EXCLUDES(mutex_);
  // Those that failed for the first time, in that order, from number `from` on; the first kListed only.
  [[nodiscard]] std::vector<FailedRow> From(std::size_t from) const EXCLUDES(mutex_);

 private:
  static constexpr std::uint64_t kBlock = 512;
  [[nodiscard]] bool IsNew(std::uint64_t row) REQUIRES(mutex_);

  const OriginOf origin_of_;
  mutable Mutex mutex_;
  std::unordered_map<std::uint64_t, std::bitset<kBlock>> seen_ GUARDED_BY(mutex_);  // by row / kBlock
  std::vector<FailedRow> listed_ GUARDED_BY(mutex_);
  std::uint64_t failed_ GUARDED_BY(mutex_) = 0;
  std::uint64_t different_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice::runtime
