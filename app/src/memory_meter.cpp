#include "memory_meter.h"

#include <algorithm>

#include "sluice/base/clock.h"

namespace sluice {
namespace {

constexpr std::chrono::milliseconds kSoonest{500};
constexpr int kRestPerWork = 50;  // reading takes at most a fiftieth of one core's time

}  // namespace

bool MemoryMeter::Update(MonoTime now, const std::vector<int>& processes) {
  const bool fresh = std::ranges::any_of(processes, [&](int process) { return !seen_.contains(process); });
  if (!fresh && next_ && now < *next_) return false;
  const MonoTime begin = MonoNow();
  std::map<int, ProcessMemory> found;
  for (const int process : processes) {
    if (const auto memory = ReadProcessMemory(process, root_)) found[process] = *memory;
  }
  seen_ = std::move(found);
  next_ = now + std::max<Nanos>(kSoonest, kRestPerWork * (MonoNow() - begin));
  return true;
}

Bytes MemoryMeter::proportional() const {
  Bytes sum{0};
  for (const auto& [process, memory] : seen_) sum.count += memory.proportional.count;
  return sum;
}

std::optional<Bytes> MemoryMeter::GreatestOwn(const std::vector<int>& processes) const {
  std::optional<Bytes> greatest;
  for (const int process : processes) {
    const auto found = seen_.find(process);
    if (found == seen_.end()) continue;
    greatest = Bytes{std::max(greatest.value_or(Bytes{0}).count, found->second.own.count)};
  }
  return greatest;
}

}  // namespace sluice
