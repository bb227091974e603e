// How often a stress test repeats itself: a fifth of the usual by default, so that the tests of every day
// stay short; SLUICE_STRESS_ROUNDS=5 and more make the long ring.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace sluice::stress {

inline std::uint64_t Rounds(std::uint64_t usual) {
  const char* factor = std::getenv("SLUICE_STRESS_ROUNDS");
  const long times = factor == nullptr ? 1 : std::strtol(factor, nullptr, 10);
  return std::max<std::uint64_t>(usual * static_cast<std::uint64_t>(times > 0 ? times : 1) / 5, 1);
}

}  // namespace sluice::stress
