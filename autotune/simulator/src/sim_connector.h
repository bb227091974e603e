// SimConnector: the bounded, order-keeping buffer between two ops, in virtual time: a ring indexed by
// ticket, with the live connector's rules. Room is checked when a ticket is reserved; at most
// capacity + workers - 1 tickets are out. One thread.
#pragma once
#include <cstdint>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::simulator {

struct SimItem {
  std::int64_t bytes = 0;
  std::uint32_t rows = 0;  // 0: only the mark of an epoch's end
  std::uint8_t home = 0;   // the node where it was made
  bool last = false;       // of its epoch
  bool homeless = false;   // not made on any node yet
};

class SimConnector {
 public:
  SimConnector(std::uint64_t capacity, std::uint64_t workers, bool ordered);

  // Producing side.
  [[nodiscard]] bool HasRoom() const { return reserved_ - head_ < capacity_ + workers_ - 1; }
  [[nodiscard]] std::uint64_t Reserve(double now);  // REQUIRES HasRoom()
  void Publish(double now, std::uint64_t ticket, const SimItem& item);

  // Consuming side.
  [[nodiscard]] bool Ready() const { return head_ < reserved_ && ring_[head_ & mask_].ready; }
  [[nodiscard]] const SimItem& Front() const { return ring_[head_ & mask_].item; }  // REQUIRES Ready()
  SimItem Pop(double now);                                                          // REQUIRES Ready()

  void SetCapacity(double now, std::uint64_t capacity);
  void SetWorkers(double now, std::uint64_t workers);
  // Drops everything, tickets in the making too. How many items were waiting.
  std::uint64_t Clear(double now);

  [[nodiscard]] ConnectorReading Read(double now) const;
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

 private:
  struct Slot {
    SimItem item;
    bool ready = false;
  };
  void Account(double now);
  void Fit();

  std::vector<Slot> ring_;  // size is a power of two
  std::uint64_t mask_ = 0;
  bool ordered_;
  std::uint64_t head_ = 0;
  std::uint64_t filled_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t capacity_;
  std::uint64_t workers_;
  std::uint64_t waiting_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t high_water_ = 0;
  std::int64_t bytes_ = 0;
  double at_ = 0;
  double depth_seconds_ = 0;
  double empty_ = 0;
  double full_ = 0;
};

}  // namespace sluice::simulator
