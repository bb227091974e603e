#include "sluice/runtime/item.h"

namespace sluice::runtime {

static_assert(sizeof(Item) <= 80, "each item is moved about twice per op; see bench/compare noop");

namespace {

template <typename T>
std::span<const T> Tail(const Buffer& buffer, std::size_t at, std::size_t count) {
  return {reinterpret_cast<const T*>(buffer.data() + at), count};
}

}  // namespace

void DropExtras::operator()(ItemExtras* extras) const noexcept {
  delete extras;
}

Bytes Item::HeldByOthers() const {
  Bytes held{};
  for (const Item& other : others()) held += other.Held();
  return held;
}

Item Item::Clone() const {
  Item clone;
  clone.kind = kind;
  clone.one_hot = one_hot;
  clone.epoch = epoch;
  clone.index = index;
  clone.label = label;
  clone.data = data;
  clone.buffer = buffer;
  for (const Item& other : others()) clone.EnsureExtras().others.push_back(other.Clone());
  return clone;
}

std::span<const std::int64_t> Item::Labels() const {
  const BatchLayout& batch = buffer->batch;
  if (batch.label_classes > 0) return {};
  return Tail<std::int64_t>(*buffer.get(), batch.labels_at, batch.rows);
}

std::span<const float> Item::OneHotLabels() const {
  const BatchLayout& batch = buffer->batch;
  return Tail<float>(*buffer.get(), batch.labels_at, std::size_t{batch.rows} * batch.label_classes);
}

std::span<const std::uint64_t> Item::Indices() const {
  const BatchLayout& batch = buffer->batch;
  return Tail<std::uint64_t>(*buffer.get(), batch.indices_at, batch.rows);
}

}  // namespace sluice::runtime
