// Hands out worker slots to threads and processes at once: `workers_used` of the header is the ticket.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

namespace sluice::probes {

// The next free slot; nullopt once all `slots` are used. Thread-safe, also between processes.
inline std::optional<std::uint32_t> ClaimWorkerSlot(std::atomic<std::uint32_t>& used, std::uint32_t slots) {
  std::uint32_t next = used.load(std::memory_order_relaxed);
  while (next < slots) {
    if (used.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) return next;
  }
  return std::nullopt;
}

}  // namespace sluice::probes
