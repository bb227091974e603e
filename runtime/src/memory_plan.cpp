#include "memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::runtime {
namespace {

// Never less than what was meant.
std::string RoundedUp(Bytes bytes) {
  const bool small = bytes < 16_MiB;
  const std::int64_t unit = small ? (1_KiB).count : (1_MiB).count;
  return fmt::format("{} {}", (bytes.count + unit - 1) / unit, small ? "KiB" : "MiB");
}

}  // namespace

void MemoryPlan::Need(std::size_t op, Bytes bytes) {
  ops_[op].need = std::max(ops_[op].need, bytes);
}

std::int64_t MemoryPlan::Varying() const {
  return std::ranges::count_if(ops_, [](const PerOp& op) { return op.varies; });
}

Bytes MemoryPlan::Smallest() const {
  Bytes needed{0};
  for (const PerOp& op : ops_) needed += op.need;
  return needed;
}

Result<void> MemoryPlan::Settle() {
  const Bytes spare = pool_.limit() - Smallest();
  if (pool_.limit().count > 0 && spare < Bytes{0}) {
    return Fail(fmt::format(
        "a memory budget of {} is too small for one item of each op; give at least {} "
        "with --memory",
        FormatBytes(pool_.limit() + pool_.set_aside()), RoundedUp(Smallest() + pool_.set_aside())));
  }
  const std::int64_t parts = 2 * std::max<std::int64_t>(1, Varying());
  for (PerOp& op : ops_) op.share = op.need + Bytes{op.varies ? spare.count / parts : 0};
  return {};
}

void MemoryPlan::Hold(std::size_t op, Bytes bytes) {
  const std::int64_t before = ops_[op].held.exchange(bytes.count);
  if (bytes.count > before) pool_.Nudge();
}

BufferRef MemoryPlan::Acquire(std::size_t op, std::size_t bytes) {
  return pool_.Acquire(bytes, [this, op] { return KeptBehind(op); });
}

bool MemoryPlan::Fits(std::size_t op, Bytes bytes) const {
  return pool_.limit().count == 0 || bytes <= ops_[op].share;
}

Error MemoryPlan::TooLarge(std::size_t op, std::string_view what, Bytes bytes) const {
  const Bytes more = bytes - ops_[op].need;
  const Bytes enough = Smallest() + more * (ops_[op].varies ? 2 * Varying() : 1);
  return {fmt::format("{} of {} does not fit the memory budget; give at least {} with --memory", what,
                      FormatBytes(bytes), RoundedUp(enough + pool_.set_aside()))};
}

Bytes MemoryPlan::KeptBehind(std::size_t op) const {
  Bytes kept{0};
  for (std::size_t i = op + 1; i < ops_.size(); ++i) {
    const std::int64_t open = ops_[i].share.count - ops_[i].held.load();
    if (open > 0) kept += {open};
  }
  return kept;
}

}  // namespace sluice::runtime
