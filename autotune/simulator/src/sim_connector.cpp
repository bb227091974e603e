#include "sim_connector.h"

#include <algorithm>
#include <bit>

#include "sluice/base/check.h"

namespace sluice::simulator {

SimConnector::SimConnector(std::uint64_t capacity, std::uint64_t workers, bool ordered)
    : ordered_(ordered), capacity_(capacity), workers_(workers) {
  Fit();
}

// Never shrinks: tickets that are out keep their places.
void SimConnector::Fit() {
  const std::uint64_t size = std::bit_ceil(capacity_ + workers_);
  if (size <= ring_.size()) return;
  std::vector<Slot> larger(size);
  for (std::uint64_t t = head_; t < reserved_; ++t) larger[t & (size - 1)] = ring_[t & mask_];
  ring_ = std::move(larger);
  mask_ = size - 1;
}

void SimConnector::Account(double now) {
  const double passed = now - at_;
  at_ = now;
  depth_seconds_ += static_cast<double>(waiting_) * passed;
  if (waiting_ == 0) empty_ += passed;
  if (!HasRoom()) full_ += passed;
}

std::uint64_t SimConnector::Reserve(double now) {
  SLUICE_CHECK(HasRoom());
  Account(now);
  return reserved_++;
}

void SimConnector::Publish(double now, std::uint64_t ticket, const SimItem& item) {
  Account(now);
  Slot& slot = ring_[(ordered_ ? ticket : filled_++) & mask_];
  SLUICE_CHECK(!slot.ready);
  slot = {item, true};
  if (item.rows == 0) return;
  ++waiting_;
  ++pushed_;
  high_water_ = std::max(high_water_, waiting_);
  bytes_ += item.bytes;
}

SimItem SimConnector::Pop(double now) {
  SLUICE_CHECK(Ready());
  Account(now);
  Slot& slot = ring_[head_++ & mask_];
  slot.ready = false;
  if (slot.item.rows == 0) return slot.item;
  --waiting_;
  ++popped_;
  bytes_ -= slot.item.bytes;
  return slot.item;
}

void SimConnector::SetCapacity(double now, std::uint64_t capacity) {
  Account(now);
  capacity_ = capacity;
  Fit();
}

void SimConnector::SetWorkers(double now, std::uint64_t workers) {
  Account(now);
  workers_ = workers;
  Fit();
}

std::uint64_t SimConnector::Clear(double now) {
  Account(now);
  for (Slot& slot : ring_) slot.ready = false;
  head_ = filled_ = reserved_;
  const std::uint64_t lost = waiting_;
  waiting_ = 0;
  bytes_ = 0;
  return lost;
}

ConnectorReading SimConnector::Read(double now) const {
  const double passed = now - at_;
  ConnectorReading reading;
  reading.pushed = pushed_;
  reading.popped = popped_;
  reading.depth = waiting_;
  reading.capacity = capacity_;
  reading.high_water = high_water_;
  reading.bytes = {bytes_};
  reading.depth_seconds = depth_seconds_ + static_cast<double>(waiting_) * passed;
  reading.empty = FromSeconds(empty_ + (waiting_ == 0 ? passed : 0));
  reading.full = FromSeconds(full_ + (HasRoom() ? 0 : passed));
  return reading;
}

}  // namespace sluice::simulator
