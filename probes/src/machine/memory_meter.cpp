#include "sluice/probes/memory_meter.h"

#include <algorithm>

#include "sluice/base/clock.h"

namespace sluice::probes {
namespace {

constexpr std::chrono::seconds kSoonest{1};
constexpr int kRestPerWork = 500;  // of one core's time; each process is held up meanwhile

}  // namespace

bool MemoryMeter::Update(MonoTime now, const std::vector<int>& processes) {
  const bool more = processes.size() > most_;
  const bool due = !next_ || now >= *next_;
  if (!more && !due) return false;
  const MonoTime begin = MonoNow();
  std::map<int, ProcessMemory> found;
  for (const int process : processes) {
    const auto seen = due ? seen_.end() : seen_.find(process);
    const auto memory = seen == seen_.end() ? ReadProcessMemory(process, root_) : seen->second;
    if (memory) found[process] = *memory;
  }
  seen_ = std::move(found);
  most_ = std::max(most_, processes.size());
  const MonoTime soon = now + kSoonest;
  if (more) {  // those that have just started will soon take more
    next_ = due ? soon : std::min(*next_, soon);
  } else {
    next_ = std::max(soon, now + kRestPerWork * (MonoNow() - begin));
  }
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

}  // namespace sluice::probes
