#include "live/cpu_attribution.h"

#include <algorithm>
#include <utility>

namespace sluice::probes {
namespace {

// What was added since `seen`, which is brought up to date; a total that fell adds nothing.
Nanos Added(Nanos& seen, Nanos now) {
  const Nanos before = seen;
  seen = std::max(seen, now);
  return seen - before;
}

Nanos Times(Nanos t, double share) {
  return Nanos(static_cast<std::int64_t>(static_cast<double>(t.count()) * share));
}

// `thread` divided between its own op and what it helped with.
SchedStat OwnPart(const SchedStat& thread, Nanos own, Nanos helping) {
  const double share = helping > Nanos(0) ? Share(own, own + helping).value : 1.0;
  const Nanos on_cpu = std::min(Times(thread.on_cpu, share), own);
  return {on_cpu, std::min(Times(thread.runnable, share), own - on_cpu)};
}

}  // namespace

SchedStat CpuAttribution::Advance(std::int32_t tid, const SchedStat& now) {
  const SchedStat before = std::exchange(by_tid_[tid], now);
  // Less than before: the kernel has given the number to a new thread.
  if (now.on_cpu < before.on_cpu || now.runnable < before.runnable) return now;
  return {now.on_cpu - before.on_cpu, now.runnable - before.runnable};
}

void CpuAttribution::UpdateSlot(Slot& slot, const WorkerThread& thread,
                                const std::optional<SchedStat>& sched) {
  Op& op = ops_[Index(thread.op)];
  const bool gone = !sched && (thread.retired || slot.seen_by_kernel);
  op.helped = Sum(op.helped, Added(slot.helped, thread.helped));
  if (!sched && !gone) return;  // not started yet: the first reading will cover it

  const Nanos own = Added(slot.own, std::max(thread.busy - thread.helped, Nanos(0)));
  const Nanos helping = Added(slot.helping, thread.helping);
  SchedStat part;
  if (sched) {
    const SchedStat added = Advance(thread.tid, *sched);
    threads_cpu_ = Sum(threads_cpu_, added.on_cpu);
    part = OwnPart(added, own, helping);
    slot.seen_by_kernel = kernel_counts_ = true;
  } else {
    part = {Times(own, Share(op.own.on_cpu, op.measured).value),
            Times(own, Share(op.own.runnable, op.measured).value)};
  }
  op.measured = Sum(op.measured, own);
  op.own.on_cpu = Sum(op.own.on_cpu, part.on_cpu);
  op.own.runnable = Sum(op.own.runnable, part.runnable);
}

void CpuAttribution::Update(std::span<const WorkerThread> threads,
                            std::span<const std::optional<SchedStat>> sched) {
  slots_.resize(std::max(slots_.size(), threads.size()));
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (Index(threads[i].op) < ops_.size()) UpdateSlot(slots_[i], threads[i], sched[i]);
  }
}

std::optional<Nanos> CpuAttribution::threads_cpu() const {
  return kernel_counts_ ? std::optional(threads_cpu_) : std::nullopt;
}

std::optional<SchedStat> CpuAttribution::Report(OpId id, Nanos busy) {
  if (!kernel_counts_) return busy == Nanos(0) ? std::optional(SchedStat{}) : std::nullopt;
  Op& op = ops_[Index(id)];
  const Nanos on_cpu = std::min(Sum(op.own.on_cpu, op.helped), busy);
  op.reported.runnable = std::max(op.reported.runnable, std::min(op.own.runnable, busy - on_cpu));
  op.reported.on_cpu = std::max(op.reported.on_cpu, std::min(on_cpu, busy - op.reported.runnable));
  return op.reported;
}

}  // namespace sluice::probes
