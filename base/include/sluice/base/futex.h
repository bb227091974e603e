// Sleeping on a word of memory until somebody changes it, also across processes (no FUTEX_PRIVATE).
#pragma once
#include <atomic>
#include <cstdint>

#include "sluice/base/units.h"

namespace sluice {

// Until it is woken, or the word is not `seen`, or `timeout` has passed; comes back early now and then.
void SleepOnFutex(const std::atomic<std::uint32_t>& word, std::uint32_t seen, Nanos timeout);
// Adds one to the word and wakes all that sleep on it.
void WakeFutex(std::atomic<std::uint32_t>& word);

}  // namespace sluice
