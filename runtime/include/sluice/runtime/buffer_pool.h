// BufferPool: the memory that items live in, and the byte budget.
//
// Buffers come in size classes, are reused, and count against the budget, and on the account of whoever asked
// (memory_plan.h), from the moment they are handed out until the last reference is gone; idle ones count too
// and are given back to the system when another size needs the room. So mapped() <= limit at every moment, by
// construction. Large buffers ask for huge pages.
//
// A buffer may be asked for on NUMA nodes: idle ones of the same place are taken first; another one loses its
// pages and is bound anew.
//
// Thread-safe. The pool must outlive its buffers.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/placement.h"
#include "sluice/base/units.h"
#include "sluice/image/tensor.h"

namespace sluice::runtime {

class BufferPool;

// For whom a buffer is, and where its memory should be.
struct BufferHome {
  std::size_t op = 0;
  Placement place{};
};

// Of the pages of an op's buffers that are placed, how many were looked at, and how many lie where they
// should.
struct PlacedPages {
  std::uint64_t seen = 0;
  std::uint64_t at_home = 0;
};

// Where things are inside a batch buffer: [rows | labels | indices].
struct BatchLayout {
  std::uint32_t rows = 0;           // filled
  std::uint32_t label_classes = 0;  // 0: int64 labels, else one-hot f32
  std::size_t row_bytes = 0;
  std::size_t labels_at = 0;  // bytes from the start
  std::size_t indices_at = 0;
};

class Buffer {
 public:
  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }  // usable bytes
  [[nodiscard]] std::size_t account() const { return account_; }
  BatchLayout batch;  // written by whoever fills it, before it is passed on

 private:
  friend class BufferPool;
  friend class BufferRef;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t size_class_ = 0;
  std::size_t account_ = 0;
  Placement place_{};
  std::size_t owner_ = 0;   // the op that asked for it
  std::size_t listed_ = 0;  // its number among those that are placed
  BufferPool* pool_ = nullptr;
  std::atomic<std::uint32_t> references_{0};
};

// A counted reference; a plain value.
class BufferRef {
 public:
  BufferRef() = default;
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) { Take(); }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(const BufferRef& other) { return *this = BufferRef(other); }
  BufferRef& operator=(BufferRef&& other) noexcept {
    Buffer* const taken = std::exchange(other.buffer_, nullptr);
    Drop();
    buffer_ = taken;
    return *this;
  }
  ~BufferRef() { Drop(); }

  explicit operator bool() const { return buffer_ != nullptr; }
  Buffer* operator->() const { return buffer_; }
  Buffer* get() const { return buffer_; }
  void reset() { Drop(), buffer_ = nullptr; }

 private:
  friend class BufferPool;
  explicit BufferRef(Buffer* buffer) : buffer_(buffer) { Take(); }
  void Take() {
    if (buffer_ != nullptr) buffer_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  inline void Drop();
  Buffer* buffer_ = nullptr;
};

class BufferPool {
 public:
  // limit 0: no limit. `on_room` is called, outside of the pool's lock, after memory came back while an
  // Acquire had failed since the last call.
  explicit BufferPool(Bytes limit, std::function<void()> on_room = {});
  ~BufferPool();  // REQUIRES: no buffer is out
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // A buffer of at least `bytes`, or none when handing it out would leave less than `reserve` of the limit
  // to others.
  [[nodiscard]] BufferRef Acquire(std::size_t bytes, Bytes reserve = {});
  // The same for `account`, where grants(in_use, cost) decides: from the bytes in use by account and those
  // that are asked for. It is called under the pool's lock, so that no memory comes back between the question
  // and the answer. REQUIRES: account < the number of accounts.
  template <typename Grants>
  [[nodiscard]] BufferRef Acquire(std::size_t bytes, std::size_t account, const BufferHome& home,
                                  const Grants& grants) {
    MutexLock lock(mutex_);
    const std::span<const Bytes> in_use = in_use_by_;
    if (grants(in_use, Cost(bytes))) return Take(bytes, account, home);
    refused_.store(true);
    // Whoever makes an answer more generous from now on sees that somebody was refused (Nudge); before, this
    // does.
    return grants(in_use, Cost(bytes)) ? Take(bytes, account, home) : BufferRef();
  }
  // One is there from the start. REQUIRES: no buffer has been handed out yet.
  void SetAccounts(std::size_t count);
  // Takes `bytes` out of the limit for good: memory beside the pool that the budget is to cover.
  // REQUIRES: no buffer has been handed out yet.
  void SetAside(Bytes bytes);
  // Less is kept for others: as when memory came back.
  void Nudge();
  // What Acquire(bytes) counts against the limit.
  [[nodiscard]] static Bytes Cost(std::size_t bytes);

  [[nodiscard]] Bytes limit() const { return limit_; }  // what was set aside is off it
  [[nodiscard]] Bytes set_aside() const { return set_aside_; }
  [[nodiscard]] Bytes in_use() const;  // handed out
  [[nodiscard]] Bytes mapped() const;  // handed out + idle
  [[nodiscard]] Bytes peak() const;    // greatest in_use() so far

  // Asks the kernel for some pages of buffers that are placed, other ones at each call; by op. nullopt: it
  // does not say.
  [[nodiscard]] std::optional<std::vector<PlacedPages>> LookAtPages(std::size_t ops);
  // Why memory could not be placed, the first time since this was asked last; empty: it was.
  [[nodiscard]] std::string TakeRefusal();

 private:
  friend class BufferRef;
  struct Idle {
    std::vector<Buffer*> buffers;
  };
  [[nodiscard]] BufferRef Take(std::size_t bytes, std::size_t account, const BufferHome& home)
      REQUIRES(mutex_);
  [[nodiscard]] Buffer* TakeIdle(Idle& idle, const Placement& place) REQUIRES(mutex_);
  void Settle(Buffer* buffer, const Placement& place) REQUIRES(mutex_);
  void Unlist(const Buffer* buffer) REQUIRES(mutex_);
  void Release(Buffer* buffer);
  void MakeRoom(std::size_t size) REQUIRES(mutex_);
  void Unmap(Buffer* buffer) REQUIRES(mutex_);

  Bytes limit_;  // constant once buffers are handed out
  Bytes set_aside_{};
  const std::function<void()> on_room_;
  mutable Mutex mutex_;
  std::vector<Idle> idle_ GUARDED_BY(mutex_);
  std::vector<Bytes> in_use_by_ GUARDED_BY(mutex_) = std::vector<Bytes>(1);  // account
  Bytes in_use_ GUARDED_BY(mutex_){};
  Bytes mapped_ GUARDED_BY(mutex_){};
  Bytes peak_ GUARDED_BY(mutex_){};
  std::vector<Buffer*> placed_ GUARDED_BY(mutex_);  // handed out or idle
  std::size_t looked_ GUARDED_BY(mutex_) = 0;       // of them, where the next look begins
  std::string refusal_ GUARDED_BY(mutex_);
  bool refusal_told_ GUARDED_BY(mutex_) = false;
  std::atomic<bool> refused_{false};
};

inline void BufferRef::Drop() {
  if (buffer_ != nullptr && buffer_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    buffer_->pool_->Release(buffer_);
  }
}

}  // namespace sluice::runtime
