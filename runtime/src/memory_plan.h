// MemoryPlan: hands out pooled memory so that the budget can neither be exceeded nor lock the pipeline up.
//
// Each op has a share of the budget: what it needs to move on by one item (its working set: an output row, a
// whole batch, a full shuffle buffer). Shares are settled before the first row is read. An op gets memory
// only if what the ops behind it have not yet taken of their shares stays free. So the op nearest to the
// consumer can always move on, and what it passes on frees the rest. Memory is claimed in ticket order
// (OpLogic::Admit), so a younger item never takes what an older one waits for.
//
// Where rows differ in size, the need of an op is known only when a row has come, and by then the ops before
// it may have taken the rest. Such ops have an equal part of half of what all others leave; a row that needs
// more is an error, always the same one, and the error names the budget that would do.
//
// Where a zip or a concat joins branches, one that runs ahead could take what the one that is waited for
// needs. So each branch, and what follows a join, has an account of its own, with the shares that ops have in
// *its* memory: its own ops', and those of ops behind the join that keep its rows. The sum of an account's
// shares is its for good. The rest of the budget is lent to whoever asks first, and counts as lent for as
// long as the account may need it to move on by what it already has: so for every account the argument above
// holds by itself.
//
// Need and Varies: one thread, before Settle. Everything else is thread-safe.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/runtime/buffer_pool.h"
#include "sluice/runtime/item.h"

namespace sluice::runtime {

class MemoryPlan {
 public:
  // All ops on one account.
  MemoryPlan(BufferPool& pool, std::size_t ops) : MemoryPlan(pool, std::vector<std::size_t>(ops, 0)) {}
  // On which account each op's memory is; numbers from 0, without a gap.
  MemoryPlan(BufferPool& pool, std::vector<std::size_t> account_of);

  // `op` needs so much to move on; the largest call counts.
  void Need(std::size_t op, Bytes bytes) { Need(op, AccountOf(op), bytes); }
  void Need(std::size_t op, std::size_t account, Bytes bytes);
  // What `op` needs differs from row to row.
  void Varies(std::size_t op) { Varies(op, AccountOf(op)); }
  void Varies(std::size_t op, std::size_t account) { At(op, account).varies = true; }
  // Fails when the budget is too small for the needs, and names one that does.
  [[nodiscard]] Result<void> Settle();
  // The smallest budget that would do, as far as is known before the first row.
  [[nodiscard]] Bytes Smallest() const;

  // How much of its share the op has taken already and keeps until it moves on.
  void Hold(std::size_t op, Bytes bytes) { Hold(op, AccountOf(op), bytes); }
  void Hold(std::size_t op, std::size_t account, Bytes bytes);
  // Empty: not now; the pool's on_room will be called. Ask Fits first.
  [[nodiscard]] BufferRef Acquire(std::size_t op, std::size_t bytes);
  // Where the memory of `op` should be from now on.
  void Place(std::size_t op, const Placement& place) { places_[op].store(KnobValue(place)); }
  // Whether `op` can have a working set of `bytes`, sooner or later.
  [[nodiscard]] bool Fits(std::size_t op, Bytes bytes) const { return Fits(op, AccountOf(op), bytes); }
  [[nodiscard]] bool Fits(std::size_t op, std::size_t account, Bytes bytes) const;
  // "<what> of 5 MiB does not fit ..., give at least 20 MiB with --memory"
  [[nodiscard]] Error TooLarge(std::size_t op, std::string_view what, Bytes bytes) const {
    return TooLarge(op, AccountOf(op), what, bytes);
  }
  [[nodiscard]] Error TooLarge(std::size_t op, std::size_t account, std::string_view what, Bytes bytes) const;

  [[nodiscard]] BufferPool& pool() { return pool_; }
  [[nodiscard]] std::size_t ops() const { return account_of_.size(); }
  [[nodiscard]] std::size_t accounts() const { return least_.size(); }
  [[nodiscard]] std::size_t AccountOf(std::size_t op) const { return account_of_[op]; }

 private:
  struct PerOp {
    Bytes need{};  // known before the first row
    bool varies = false;
    Bytes share{};
    std::atomic<std::int64_t> held{0};
  };
  [[nodiscard]] PerOp& At(std::size_t op, std::size_t account) { return shares_[account * ops() + op]; }
  [[nodiscard]] const PerOp& At(std::size_t op, std::size_t account) const {
    return shares_[account * ops() + op];
  }
  [[nodiscard]] std::int64_t Varying() const;
  // What the ops from `op` on have not yet taken of their shares.
  [[nodiscard]] Bytes OpenFrom(std::size_t op, std::size_t account) const;
  [[nodiscard]] bool Grants(std::size_t op, std::span<const Bytes> in_use, Bytes cost);

  BufferPool& pool_;
  const std::vector<std::size_t> account_of_;
  std::vector<std::atomic<std::int64_t>> places_;  // by op, as its knob has it
  std::vector<PerOp> shares_;                      // account by account
  std::vector<Bytes> least_;                       // by account: the sum of its shares
  std::vector<Bytes> lent_;                        // by account, least_ included; under the pool's lock
};

// What one op keeps from item to item, and tells the plan. Under the op's claim lock.
class Keeping {
 public:
  Keeping(MemoryPlan& plan, std::size_t op) : plan_(plan), op_(op), held_(plan.accounts()) {}
  // The first account on which `count` items like this one, beside what is kept, can never fit.
  struct TooMuch {
    std::size_t account = 0;
    Bytes held{};  // on it, those items included
  };
  [[nodiscard]] std::optional<TooMuch> WhereTooMuch(const Item& item, std::int64_t count = 1);
  void Add(const Item& item) { Count(item, 1); }
  void Remove(const Item& item) { Count(item, -1); }
  void Add(Bytes own) { held_[plan_.AccountOf(op_)] += own; }  // on the op's own account
  void Clear() { held_.assign(held_.size(), {}); }
  // To be called after any of these.
  void Tell() {
    for (std::size_t a = 0; a < held_.size(); ++a) plan_.Hold(op_, a, held_[a]);
  }

 private:
  void Count(const Item& item, std::int64_t times);

  MemoryPlan& plan_;
  const std::size_t op_;
  std::vector<Bytes> held_;  // by account
};

}  // namespace sluice::runtime
