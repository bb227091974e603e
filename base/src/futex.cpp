#include "sluice/base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace sluice {

void SleepOnFutex(const std::atomic<std::uint32_t>& word, std::uint32_t seen, Nanos timeout) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec until{.tv_sec = static_cast<time_t>(timeout.count() / kSecond),
                       .tv_nsec = static_cast<long>(timeout.count() % kSecond)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &until, nullptr, 0);
}

void WakeFutex(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace sluice
