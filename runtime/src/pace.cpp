#include "pace.h"

#include <algorithm>

namespace sluice::runtime {
namespace {

constexpr Nanos kCredit = std::chrono::milliseconds(10);  // a tenth of the period that quotas mostly have

}  // namespace

Nanos Pace::Charge(Nanos spent, MonoTime now) {
  const double cores = cores_.load(std::memory_order_relaxed);
  if (cores <= 0) return Nanos(0);
  const auto cost = static_cast<std::int64_t>(static_cast<double>(std::max(spent, Nanos(0)).count()) / cores);
  std::int64_t paid = paid_until_.load(std::memory_order_relaxed);
  std::int64_t until = 0;
  do {
    until = std::max(paid, (now - kCredit).count()) + cost;
  } while (!paid_until_.compare_exchange_weak(paid, until, std::memory_order_relaxed));
  return std::max(Nanos(until - now.count()), Nanos(0));
}

}  // namespace sluice::runtime
