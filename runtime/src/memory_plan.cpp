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

MemoryPlan::MemoryPlan(BufferPool& pool, std::vector<std::size_t> account_of)
    : pool_(pool),
      account_of_(std::move(account_of)),
      places_(account_of_.size()),
      shares_((std::ranges::max(account_of_) + 1) * account_of_.size()),
      least_(std::ranges::max(account_of_) + 1),
      lent_(least_.size()) {
  pool_.SetAccounts(accounts());
}

void MemoryPlan::Need(std::size_t op, std::size_t account, Bytes bytes) {
  At(op, account).need = std::max(At(op, account).need, bytes);
}

std::int64_t MemoryPlan::Varying() const {
  return std::ranges::count_if(shares_, [](const PerOp& op) { return op.varies; });
}

Bytes MemoryPlan::Smallest() const {
  Bytes needed{0};
  for (const PerOp& op : shares_) needed += op.need;
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
  for (PerOp& op : shares_) op.share = op.need + Bytes{op.varies ? spare.count / parts : 0};
  for (std::size_t a = 0; a < accounts(); ++a) lent_[a] = least_[a] = OpenFrom(0, a);
  return {};
}

void MemoryPlan::Hold(std::size_t op, std::size_t account, Bytes bytes) {
  const std::int64_t before = At(op, account).held.exchange(bytes.count);
  if (bytes.count > before) pool_.Nudge();
}

BufferRef MemoryPlan::Acquire(std::size_t op, std::size_t bytes) {
  const BufferHome home{op, PlacementOf(places_[op].load(std::memory_order_relaxed))};
  return pool_.Acquire(bytes, AccountOf(op), home, [this, op](std::span<const Bytes> in_use, Bytes cost) {
    return Grants(op, in_use, cost);
  });
}

// Nothing is lent that an account needs to finish what it has: each of its ops was promised what stayed free
// when the ops before it were given theirs.
bool MemoryPlan::Grants(std::size_t op, std::span<const Bytes> in_use, Bytes cost) {
  if (pool_.limit().count == 0) return true;
  const std::size_t account = AccountOf(op);
  const Bytes wanted = in_use[account] + cost + OpenFrom(op + 1, account);
  Bytes others{0};
  for (std::size_t a = 0; a < accounts(); ++a) {
    if (a == account) continue;
    lent_[a] = std::max(least_[a], std::min(lent_[a], in_use[a] + OpenFrom(0, a)));
    others += lent_[a];
  }
  if (wanted + others > pool_.limit()) return false;
  lent_[account] = std::max(lent_[account], wanted);
  return true;
}

bool MemoryPlan::Fits(std::size_t op, std::size_t account, Bytes bytes) const {
  return pool_.limit().count == 0 || bytes <= At(op, account).share;
}

Error MemoryPlan::TooLarge(std::size_t op, std::size_t account, std::string_view what, Bytes bytes) const {
  const PerOp& place = At(op, account);
  const Bytes more = bytes - place.need;
  const Bytes enough = Smallest() + more * (place.varies ? 2 * Varying() : 1);
  return {fmt::format("{} of {} does not fit the memory budget; give at least {} with --memory", what,
                      FormatBytes(bytes), RoundedUp(enough + pool_.set_aside()))};
}

Bytes MemoryPlan::OpenFrom(std::size_t op, std::size_t account) const {
  Bytes all{0};
  for (std::size_t i = op; i < ops(); ++i) {
    const PerOp& place = At(i, account);
    const std::int64_t open = place.share.count - place.held.load();
    if (open > 0) all += {open};
  }
  return all;
}

std::optional<Keeping::TooMuch> Keeping::WhereTooMuch(const Item& item, std::int64_t count) {
  std::optional<TooMuch> found;
  Count(item, count);
  for (std::size_t a = 0; a < held_.size() && !found; ++a) {
    if (!plan_.Fits(op_, a, held_[a])) found = {a, held_[a]};
  }
  Count(item, -count);
  return found;
}

void Keeping::Count(const Item& item, std::int64_t times) {
  for (std::size_t i = 0; i < item.Columns(); ++i) {
    const BufferRef& buffer = item.Column(i).buffer;
    if (buffer) held_[buffer->account()] += Bytes{static_cast<std::int64_t>(buffer->size())} * times;
  }
}

}  // namespace sluice::runtime
