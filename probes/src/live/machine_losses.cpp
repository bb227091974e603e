#include "sluice/probes/machine_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::probes {
namespace {

constexpr std::chrono::seconds kLook{2};
// A budget has to stand still for a tuner. So less than this of the CPUs' time is none, ...
constexpr double kFelt = 0.05;
constexpr double kStep = 0.1;           // ... and a change by less of what was told is none
constexpr double kUnderPressure = 0.1;  // of the time tasks wait for memory: all that is free is needed
constexpr double kOfWhatIsLeft = 0.8;   // the rest grows beside the buffers

// Per second; nullopt: the counter is missing or has begun anew, or no time has passed.
std::optional<double> Grown(std::optional<Nanos> from, std::optional<Nanos> to, Nanos time) {
  if (!from || !to || *to < *from || time <= Nanos(0)) return std::nullopt;
  return Seconds(*to - *from) / Seconds(time);
}

}  // namespace

void MachineLosses::Narrow(MonoTime now, MachineBudget& budget) {
  const MachineLimits& limits = budget.limits;
  const auto& waits = limits.pressure.memory;
  seen_.push_back({now, limits.busy, limits.steal, waits ? std::optional(waits->some) : std::nullopt});
  while (seen_.size() > 2 && now - seen_[1].at >= kLook) seen_.pop_front();
  NarrowCores(budget);
  NarrowMemory(budget);
}

// What was wanted, and not what there is, is what the hypervisor takes its part of: CPUs that idle lose
// nothing.
void MachineLosses::NarrowCores(MachineBudget& budget) {
  const Seen &from = seen_.front(), &to = seen_.back();
  const auto cores = Grown(from.stolen, to.stolen, to.at - from.at);
  const auto asked = Grown(from.busy, to.busy, to.at - from.at);
  const bool felt = cores && asked && *cores >= kFelt * budget.limits.cpus && *cores < *asked;
  const double share = felt ? *cores / *asked : 0;
  if (!felt || std::abs(share - stolen_) > kStep * (1 - stolen_)) stolen_ = share;
  if (stolen_ == 0) return;
  const CoreBound bound{
      budget.limits.cpus * (1 - stolen_),
      fmt::format("/proc/stat: the hypervisor takes {:.0f} % of what these CPUs are asked for",
                  100 * stolen_)};
  auto& bounds = budget.limits.cores;
  bounds.insert(std::ranges::lower_bound(bounds, bound.cores, {}, &CoreBound::cores), bound);
  budget.cores = bounds.front().cores;
}

void MachineLosses::NarrowMemory(MachineBudget& budget) const {
  const Seen &from = seen_.front(), &to = seen_.back();
  const double waits = Grown(from.memory_waits, to.memory_waits, to.at - from.at).value_or(0);
  if (waits < kUnderPressure) return;
  const std::string origin = budget.limits.pressure.origin + ": tasks wait for memory";
  auto& bounds = budget.limits.memory;
  bounds.insert(bounds.begin(), {bounds.empty() ? Bytes{0} : bounds.front().limit, Bytes{0}, origin});
}

Bytes MemoryThatFits(Bytes wanted, Bytes before, Bytes held, Bytes left) {
  const double fits = kOfWhatIsLeft * (static_cast<double>(held.count) + static_cast<double>(left.count));
  const Bytes now = std::min(wanted, Bytes{std::llround(fits)});
  const double change = std::abs(static_cast<double>(now.count - before.count));
  return change > kStep * static_cast<double>(before.count) ? now : before;
}

}  // namespace sluice::probes
