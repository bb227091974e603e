#include "ops/synthetic.h"

#include <cerrno>
#include <cstring>

#include "sluice/base/clock.h"

namespace sluice::runtime {

void BurnCpu(Nanos t) {
  const Nanos end = ReadClock(CLOCK_THREAD_CPUTIME_ID) + t;
  volatile std::uint64_t sink = 1;
  while (ReadClock(CLOCK_THREAD_CPUTIME_ID) < end) {
    for (int i = 0; i < 200; ++i) sink = sink * 6364136223846793005 + 1442695040888963407;
  }
}

void WaitFor(Nanos t) {
  const Nanos end = MonoNow() + t;
  const timespec until{.tv_sec = static_cast<time_t>(end.count() / 1'000'000'000),
                       .tv_nsec = static_cast<long>(end.count() % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

SyntheticLogic::SyntheticLogic(std::size_t op, std::uint64_t seed, SyntheticSpec spec, MemoryPlan& memory)
    : op_(op), seed_(seed), spec_(std::move(spec)), memory_(memory) {
  if (spec_.allocate.count > 0) {
    memory_.Need(op, BufferPool::Cost(static_cast<std::size_t>(spec_.allocate.count)));
  }
}

OpLogic::Admission SyntheticLogic::Admit(Item& item, Emitter& out) {
  BufferRef target;
  const auto bytes = static_cast<std::size_t>(spec_.allocate.count);
  if (bytes > 0 && item.kind == ItemKind::kRow) {
    target = memory_.Acquire(op_, bytes);
    if (!target) return Admission::kNoMemory;
  }
  Unit& unit = out.Add();
  unit.item = std::move(item);
  if (target) unit.place = {target->data(), bytes};
  unit.target = std::move(target);
  return Admission::kTaken;
}

void SyntheticLogic::Process(Unit& unit, WorkerContext& context) {
  Item& item = unit.item;
  Rng rng(seed_, item.epoch, item.index, op_);
  const double slowdown = Slowdown(spec_.contention, context.active);
  const auto scaled = [&](const Distribution& d) {
    return Nanos(static_cast<std::int64_t>(static_cast<double>(Draw(d, rng).count()) * slowdown));
  };
  if (spec_.burn) BurnCpu(scaled(*spec_.burn));
  if (spec_.wait) WaitFor(scaled(*spec_.wait));
  if (!unit.target) return;
  std::memset(unit.place.data(), static_cast<int>(item.index & 0xff), unit.place.size());
  item.data = {unit.place.data(), image::DType::kU8, {{static_cast<std::uint32_t>(unit.place.size())}, 1}};
  item.buffer = std::move(unit.target);
  item.extras.reset();
}

}  // namespace sluice::runtime
