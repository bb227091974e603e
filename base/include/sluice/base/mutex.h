// A mutex and its guard that clang's thread-safety analysis understands (-Wthread-safety).
#pragma once
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define SLUICE_TSA(x) __attribute__((x))
#else
#define SLUICE_TSA(x)
#endif
#define GUARDED_BY(x) SLUICE_TSA(guarded_by(x))
#define REQUIRES(...) SLUICE_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) SLUICE_TSA(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) SLUICE_TSA(acquire_capability(__VA_ARGS__))
#define RELEASE(...) SLUICE_TSA(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) SLUICE_TSA(try_acquire_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS SLUICE_TSA(no_thread_safety_analysis)

namespace sluice {

inline void CpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Thread-safe by nature. What it guards is short, and sleeping costs 40-60 us, so lock() tries for about a
// microsecond before it sleeps.
class SLUICE_TSA(capability("mutex")) Mutex {
 public:
  void lock() ACQUIRE() NO_THREAD_SAFETY_ANALYSIS {
    for (int i = 0; i < kTries; ++i) {
      if (mutex_.try_lock()) return;
      CpuRelax();
    }
    mutex_.lock();
  }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  static constexpr int kTries = 100;
  std::mutex mutex_;
};

class SLUICE_TSA(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits on a Mutex that the caller holds. Spurious wake-ups happen: wait in a loop.
class CondVar {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    condition_.wait(held);
    held.release();
  }
  // Returns false when `timeout` passed first.
  template <typename Duration>
  bool WaitFor(Mutex& mutex, Duration timeout) REQUIRES(mutex) NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_for(held, timeout) == std::cv_status::no_timeout;
    held.release();
    return woken;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace sluice
