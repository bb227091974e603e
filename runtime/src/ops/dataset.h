// Dataset: rows by index, for sources. Immutable once opened and thread-safe: many workers load at once.
#pragma once
#include <cstdint>
#include <memory>

#include "sluice/base/error.h"
#include "sluice/base/failed_row.h"
#include "sluice/image/row_program.h"
#include "sluice/runtime/description.h"
#include "sluice/runtime/item.h"

namespace sluice::runtime {

class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual image::RowKind kind() const = 0;
  // Bytes of pooled memory that Load needs for row `index`; 0: the dataset owns its rows' memory.
  [[nodiscard]] virtual std::size_t RowBytes(std::uint64_t index) const = 0;
  [[nodiscard]] virtual std::size_t LargestRow() const = 0;  // the greatest RowBytes
  // Memory that it holds for as long as it lives: its rows or the list of its files.
  [[nodiscard]] virtual Bytes HeldBytes() const { return {}; }
  // Sets data and label of `item` for row `index`; `place` has RowBytes(index) bytes.
  [[nodiscard]] virtual Result<void> Load(std::uint64_t index, Item& item,
                                          std::span<std::byte> place) const = 0;
  // Where row `index` is kept. REQUIRES: index < size().
  [[nodiscard]] virtual RowOrigin Origin(std::uint64_t) const { return {}; }
};

// Opens what `source` names. `keep_at_most`: how much of it may be kept in memory for good.
[[nodiscard]] Result<std::unique_ptr<Dataset>> OpenDataset(const SourceSpec& source, Bytes keep_at_most);

}  // namespace sluice::runtime
