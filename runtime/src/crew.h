// Crew: how many threads of one pipeline run cheap ops at this moment. (Those of dear ops may well be off the
// CPU.) With every core taken, waking one more thread for an op that a neighbour can run on its way only
// costs: see Stage::Feed and Stage::RoomBehind.
//
// Thread-safe.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>

namespace sluice::runtime {

class Crew {
 public:
  explicit Crew(double cores) : cores_(std::max(1, static_cast<int>(std::ceil(cores)))) {}
  void Join() { running_.fetch_add(1, std::memory_order_relaxed); }
  void Leave() { running_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool Complete() const { return running_.load(std::memory_order_relaxed) >= cores_; }

 private:
  const int cores_;
  std::atomic<int> running_{0};
};

}  // namespace sluice::runtime
