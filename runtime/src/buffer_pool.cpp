#include "sluice/runtime/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "sluice/base/check.h"
#include "sluice/probes/binding.h"

namespace sluice::runtime {
namespace {

constexpr std::size_t kSmallest = 4096;
constexpr std::size_t kHuge = std::size_t{2} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kPagesAtATime = 1024;  // a look at them takes about 0.1 ms, under the pool's lock
constexpr std::size_t kPagesOfOneBuffer = 64;

std::size_t RoundedToPages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Four classes per power of two, so that at most a fifth of a buffer is slack.
std::size_t ClassOf(std::size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const auto power = static_cast<std::size_t>(std::bit_width(bytes - 1) - 1);  // 2^power <= bytes - 1
  const std::size_t quarter = ((bytes - 1) - (std::size_t{1} << power)) >> (power - 2);
  return (power - 12) * 4 + quarter + 1;
}

std::size_t SizeOfClass(std::size_t size_class) {
  if (size_class == 0) return kSmallest;
  const std::size_t power = (size_class - 1) / 4 + 12;
  const std::size_t quarter = (size_class - 1) % 4;
  return (std::size_t{1} << power) + ((quarter + 1) << (power - 2));
}

}  // namespace

BufferPool::BufferPool(Bytes limit, std::function<void()> on_room)
    : limit_(limit), on_room_(std::move(on_room)), idle_(ClassOf(std::size_t{1} << 46) + 1) {}

BufferPool::~BufferPool() {
  MutexLock lock(mutex_);
  SLUICE_CHECK(in_use_ == Bytes{0});
  for (Idle& idle : idle_) {
    for (Buffer* buffer : idle.buffers) Unmap(buffer);
  }
}

void BufferPool::SetAside(Bytes bytes) {
  SLUICE_CHECK(mapped() == Bytes{0});
  set_aside_ += bytes;
  if (limit_.count > 0) limit_ = std::max(limit_ - bytes, Bytes{1});
}

Bytes BufferPool::Cost(std::size_t bytes) {
  return {static_cast<std::int64_t>(SizeOfClass(ClassOf(bytes)))};
}

BufferRef BufferPool::Acquire(std::size_t bytes, Bytes reserve) {
  MutexLock lock(mutex_);
  if (limit_.count == 0 || in_use_ + Cost(bytes) + reserve <= limit_) return Take(bytes, 0, {});
  refused_.store(true);
  return {};
}

void BufferPool::SetAccounts(std::size_t count) {
  SLUICE_CHECK(mapped() == Bytes{0});
  MutexLock lock(mutex_);
  in_use_by_.assign(count, {});
}

BufferRef BufferPool::Take(std::size_t bytes, std::size_t account, const BufferHome& home) {
  const std::size_t size_class = ClassOf(bytes);
  const std::size_t size = SizeOfClass(size_class);
  const Bytes cost{static_cast<std::int64_t>(size)};
  Idle& idle = idle_[size_class];
  Buffer* buffer = TakeIdle(idle, home.place);
  if (buffer == nullptr) {
    MakeRoom(size);
    buffer = new Buffer;
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (size >= kHuge) madvise(memory, size, MADV_HUGEPAGE);
    buffer->data_ = static_cast<std::byte*>(memory);
    buffer->size_ = size;
    buffer->size_class_ = size_class;
    buffer->pool_ = this;
    mapped_ += cost;
  }
  if (buffer->place_ != home.place) Settle(buffer, home.place);
  buffer->owner_ = home.op;
  buffer->account_ = account;
  in_use_by_[account] += cost;
  in_use_ += cost;
  peak_ = std::max(peak_, in_use_);
  return BufferRef(buffer);
}

// The last one given back is warm in the caches.
Buffer* BufferPool::TakeIdle(Idle& idle, const Placement& place) {
  if (idle.buffers.empty()) return nullptr;
  const auto same = [&](const Buffer* buffer) { return buffer->place_ == place; };
  const auto found = std::find_if(idle.buffers.rbegin(), idle.buffers.rend(), same);
  if (found != idle.buffers.rend()) std::swap(*found, idle.buffers.back());
  Buffer* const buffer = idle.buffers.back();
  idle.buffers.pop_back();
  return buffer;
}

void BufferPool::Unlist(const Buffer* buffer) {
  if (buffer->place_.nodes == 0) return;
  placed_[buffer->listed_] = placed_.back();
  placed_[buffer->listed_]->listed_ = buffer->listed_;
  placed_.pop_back();
}

// Nobody needs what is in it: new pages come where they should be when they are touched.
void BufferPool::Settle(Buffer* buffer, const Placement& place) {
  Unlist(buffer);
  madvise(buffer->data_, buffer->size_, MADV_DONTNEED);
  const auto bound = probes::BindMemory(buffer->data_, RoundedToPages(buffer->size_), place);
  if (!bound && !refusal_told_) {
    refusal_ = bound.error().message;
    refusal_told_ = true;
  }
  buffer->place_ = place;
  if (place.nodes == 0) return;
  buffer->listed_ = placed_.size();
  placed_.push_back(buffer);
}

// Idle buffers of other sizes, largest first, give way to a new one.
void BufferPool::MakeRoom(std::size_t size) {
  if (limit_.count == 0) return;
  const Bytes target = limit_ - Bytes{static_cast<std::int64_t>(size)};
  for (std::size_t c = idle_.size(); c-- > 0 && mapped_ > target;) {
    while (!idle_[c].buffers.empty() && mapped_ > target) {
      Unmap(idle_[c].buffers.back());
      idle_[c].buffers.pop_back();
    }
  }
}

void BufferPool::Unmap(Buffer* buffer) {
  Unlist(buffer);
  munmap(buffer->data_, buffer->size_);
  mapped_ -= Bytes{static_cast<std::int64_t>(buffer->size_)};
  delete buffer;
}

void BufferPool::Release(Buffer* buffer) {
  bool tell = false;
  {
    MutexLock lock(mutex_);
    buffer->batch = {};
    const Bytes cost{static_cast<std::int64_t>(buffer->size_)};
    in_use_by_[buffer->account_] -= cost;
    in_use_ -= cost;
    idle_[buffer->size_class_].buffers.push_back(buffer);
    tell = refused_.exchange(false);
  }
  if (tell && on_room_) on_room_();
}

void BufferPool::Nudge() {
  if (refused_.load() && refused_.exchange(false) && on_room_) on_room_();
}

std::optional<std::vector<PlacedPages>> BufferPool::LookAtPages(std::size_t ops) {
  std::vector<PlacedPages> found(ops);
  std::vector<void*> pages;
  std::vector<const Buffer*> of;
  MutexLock lock(mutex_);
  // Of all of them, so that no op is left out for the many buffers of another.
  const std::size_t each =
      std::clamp<std::size_t>(kPagesAtATime / std::max<std::size_t>(placed_.size(), 1), 1, kPagesOfOneBuffer);
  for (std::size_t i = 0; i < placed_.size() && pages.size() < 2 * kPagesAtATime; ++i) {
    const Buffer* const buffer = placed_[looked_++ % placed_.size()];
    const std::size_t all = buffer->size_ / kPage;
    const std::size_t step = std::max<std::size_t>(1, all / each);
    for (std::size_t page = 0; page < all; page += step) {
      pages.push_back(buffer->data_ + page * kPage);
      of.push_back(buffer);
    }
  }
  const auto nodes = probes::NodesOfPages(pages);
  if (!nodes) return std::nullopt;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const int node = (*nodes)[i];
    if (node < 0 || of[i]->owner_ >= ops) continue;
    PlacedPages& op = found[of[i]->owner_];
    ++op.seen;
    op.at_home += node < Placement::kNodes && (of[i]->place_.nodes >> node & 1) != 0;
  }
  return found;
}

std::string BufferPool::TakeRefusal() {
  MutexLock lock(mutex_);
  return std::exchange(refusal_, {});
}

Bytes BufferPool::in_use() const {
  MutexLock lock(mutex_);
  return in_use_;
}

Bytes BufferPool::mapped() const {
  MutexLock lock(mutex_);
  return mapped_;
}

Bytes BufferPool::peak() const {
  MutexLock lock(mutex_);
  return peak_;
}

}  // namespace sluice::runtime
