#include "sim_meter.h"

#include <algorithm>

#include "sluice/base/check.h"

namespace sluice::simulator {

Nanos SimMeter::Grown(Nanos shown, Nanos before, Nanos now) {
  const double factor = std::max(0.0, 1 + noise_ * rng_.Normal());
  return shown + FromSeconds(Seconds(now - before) * factor);
}

void SimMeter::BlurOp(OpReading& shown, const OpReading& before, const OpReading& now) {
  const OpReading last = shown;
  shown = now;
  shown.busy = Grown(last.busy, before.busy, now.busy);
  shown.starved = Grown(last.starved, before.starved, now.starved);
  shown.backed_up = Grown(last.backed_up, before.backed_up, now.backed_up);
  SLUICE_CHECK(now.on_cpu && now.runnable);
  shown.on_cpu = Grown(last.on_cpu.value_or(Nanos(0)), before.on_cpu.value_or(Nanos(0)), *now.on_cpu);
  shown.runnable = Grown(last.runnable.value_or(Nanos(0)), before.runnable.value_or(Nanos(0)), *now.runnable);
}

Snapshot SimMeter::Blur(const Snapshot& exact) {
  if (noise_ <= 0) return exact;
  Snapshot shown = exact;
  exact_.ops.resize(exact.ops.size());
  shown_.ops.resize(exact.ops.size());
  for (std::size_t i = 0; i < exact.ops.size(); ++i) {
    shown.ops[i] = shown_.ops[i];
    BlurOp(shown.ops[i], exact_.ops[i], exact.ops[i]);
  }
  shown.consumer.busy = Grown(shown_.consumer.busy, exact_.consumer.busy, exact.consumer.busy);
  shown.consumer.starved = Grown(shown_.consumer.starved, exact_.consumer.starved, exact.consumer.starved);
  shown.process_cpu = Grown(shown_.process_cpu, exact_.process_cpu, exact.process_cpu);
  exact_ = exact;
  shown_ = shown;
  return shown;
}

}  // namespace sluice::simulator
