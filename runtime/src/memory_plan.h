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
// Need and Varies: one thread, before Settle. Everything else is thread-safe.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/runtime/buffer_pool.h"

namespace sluice::runtime {

class MemoryPlan {
 public:
  MemoryPlan(BufferPool& pool, std::size_t ops) : pool_(pool), ops_(ops) {}

  // `op` needs so much to move on; the largest call counts.
  void Need(std::size_t op, Bytes bytes);
  // What `op` needs differs from row to row.
  void Varies(std::size_t op) { ops_[op].varies = true; }
  // Fails when the budget is too small for the needs, and names one that does.
  [[nodiscard]] Result<void> Settle();
  // The smallest budget that would do, as far as is known before the first row.
  [[nodiscard]] Bytes Smallest() const;

  // How much of its share the op has taken already and keeps until it moves on.
  void Hold(std::size_t op, Bytes bytes);
  // Empty: not now; the pool's on_room will be called. Ask Fits first.
  [[nodiscard]] BufferRef Acquire(std::size_t op, std::size_t bytes);
  // Whether `op` can have a working set of `bytes`, sooner or later.
  [[nodiscard]] bool Fits(std::size_t op, Bytes bytes) const;
  // "<what> of 5 MiB does not fit ..., give at least 20 MiB with --memory"
  [[nodiscard]] Error TooLarge(std::size_t op, std::string_view what, Bytes bytes) const;

  [[nodiscard]] BufferPool& pool() { return pool_; }
  [[nodiscard]] std::size_t ops() const { return ops_.size(); }

 private:
  struct PerOp {
    Bytes need{};  // known before the first row
    bool varies = false;
    Bytes share{};
    std::atomic<std::int64_t> held{0};
  };
  [[nodiscard]] std::int64_t Varying() const;
  [[nodiscard]] Bytes KeptBehind(std::size_t op) const;

  BufferPool& pool_;
  std::vector<PerOp> ops_;
};

}  // namespace sluice::runtime
