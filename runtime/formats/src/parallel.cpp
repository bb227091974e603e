#include "parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "sluice/base/mutex.h"

namespace sluice::formats::internal {
namespace {

// Thread-safe.
class Pieces {
 public:
  Pieces(std::uint64_t count, const std::function<Result<void>(std::uint64_t)>& work)
      : count_(count), work_(work) {}

  // False when nothing is left to begin.
  bool RunOne() {
    const std::uint64_t piece = next_.fetch_add(1);
    if (piece >= count_) return false;
    if (auto result = work_(piece); !result) Stop(std::move(result.error()));
    finished_.fetch_add(1);
    return true;
  }
  void Cancel() { next_.store(count_); }
  [[nodiscard]] std::uint64_t finished() const { return finished_.load(); }
  [[nodiscard]] Result<void> Outcome() {
    MutexLock lock(mutex_);
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  void Stop(Error error) {
    Cancel();
    MutexLock lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  const std::uint64_t count_;
  const std::function<Result<void>(std::uint64_t)>& work_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> finished_{0};
  Mutex mutex_;
  std::optional<Error> error_ GUARDED_BY(mutex_);
};

// Lets the helpers end early when `done` throws in the caller's thread.
class CancelAtExit {
 public:
  explicit CancelAtExit(Pieces& pieces) : pieces_(pieces) {}
  ~CancelAtExit() { pieces_.Cancel(); }

 private:
  Pieces& pieces_;
};

}  // namespace

int UsableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<void> ForEach(std::uint64_t count, int threads, const std::function<Result<void>(std::uint64_t)>& work,
                     const std::function<void(std::uint64_t)>& done) {
  Pieces pieces(count, work);
  {
    std::vector<std::jthread> helpers;
    const CancelAtExit cancel(pieces);
    for (int i = 1; i < threads && static_cast<std::uint64_t>(i) < count; ++i)
      helpers.emplace_back([&pieces] {
        while (pieces.RunOne()) continue;
      });
    while (pieces.RunOne()) done(pieces.finished());
  }
  done(pieces.finished());
  return pieces.Outcome();
}

}  // namespace sluice::formats::internal
