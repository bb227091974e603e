// Item: what flows over a connector: a row, a batch, the mark at an epoch's end, or an error, each in its
// place in the order. A movable value; its bytes live in a pooled buffer or in memory of the dataset.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/image/tensor.h"
#include "sluice/runtime/buffer_pool.h"

namespace sluice::runtime {

enum class ItemKind : std::uint8_t {
  kRow = 0,
  kBatch = 1,
  kEpochEnd = 2,  // closes the epoch `epoch`
  kError = 3,     // a row that raised; the consumer gets it in the row's place
  kSkipped = 4,   // a row that failed and is to be left out; never reaches the consumer
  kReplaced = 5,  // a row that failed and is to be replaced; never reaches the consumer
};

struct ItemExtras;
struct DropExtras {  // a call, so that moving an item is a few instructions in line
  void operator()(ItemExtras* extras) const noexcept;
};

struct Item {
  ItemKind kind = ItemKind::kRow;
  std::uint32_t one_hot = 0;  // > 0: the label stands for a one-hot vector of so many classes
  std::uint64_t epoch = 0;
  // The sample's number, counted over the data sets of all sources in their order: with seed and epoch the
  // source of all draws.
  std::uint64_t index = 0;
  std::int64_t label = 0;
  image::TensorView data;  // a row's bytes or pixels; a batch's [rows, ...]
  BufferRef buffer;        // owns `data`; empty when the dataset owns it
  // What few items have; null where there is nothing. Each item is moved at every op, and should be small.
  std::unique_ptr<ItemExtras, DropExtras> extras;

  [[nodiscard]] inline const Error* error() const;            // null: none
  [[nodiscard]] inline std::span<const Item> others() const;  // see ItemExtras
  [[nodiscard]] inline ItemExtras& EnsureExtras();            // makes them where there are none

  // Of a zip's item: its own data, then those of the others. REQUIRES: i < Columns().
  [[nodiscard]] std::size_t Columns() const { return 1 + others().size(); }
  [[nodiscard]] const Item& Column(std::size_t i) const { return i == 0 ? *this : others()[i - 1]; }

  // Bytes that this item holds in the pool. Rows inside a shared batch buffer count their own share.
  [[nodiscard]] Bytes Held() const {
    const Bytes own{buffer ? static_cast<std::int64_t>(data.Size()) : 0};
    return extras == nullptr ? own : own + HeldByOthers();
  }

  // A second row over the same bytes.
  [[nodiscard]] Item Clone() const;

  // Of a batch. Labels are int64 or, with one-hot labels, f32 [rows, classes].
  [[nodiscard]] std::uint32_t Rows() const { return kind == ItemKind::kBatch ? buffer->batch.rows : 1; }
  [[nodiscard]] std::span<const std::int64_t> Labels() const;
  [[nodiscard]] std::span<const float> OneHotLabels() const;
  [[nodiscard]] std::span<const std::uint64_t> Indices() const;

 private:
  [[nodiscard]] Bytes HeldByOthers() const;
};

struct ItemExtras {
  std::optional<Error> error;
  std::vector<Item> others;  // behind a zip: the items of its other inputs, in their order
};

const Error* Item::error() const {
  if (extras == nullptr) return nullptr;
  const std::optional<Error>& error = extras->error;
  return error ? &*error : nullptr;
}

std::span<const Item> Item::others() const {
  return extras != nullptr ? std::span<const Item>(extras->others) : std::span<const Item>();
}

ItemExtras& Item::EnsureExtras() {
  if (extras == nullptr) extras.reset(new ItemExtras);
  return *extras;
}

}  // namespace sluice::runtime
