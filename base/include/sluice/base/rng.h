// Rng: a small counter-based generator. A row's draws depend on (seed, epoch, index, salt) only, never
// on which worker runs it or when, so the same settings give the same batches at any worker count.
// One thread at a time. The generator is splitmix64 (Steele, Lea, Flood: "Fast splittable
// pseudorandom number generators", OOPSLA 2014).
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace sluice {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t epoch = 0, std::uint64_t index = 0, std::uint64_t salt = 0)
      : state_(Mix(Mix(Mix(seed + kStep) + epoch * kStep) + index * kStep + 1) + salt * kStep) {}

  std::uint64_t Next() { return Mix(state_ += kStep); }

  // Uniform in [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }

  // Uniform in [0, n). REQUIRES n > 0. The bias of the multiply-shift is below 2^-32 for n < 2^32.
  std::uint64_t Below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<Wide>(Next()) * n) >> 64);
  }

  // Standard normal (Box-Muller).
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * Uniform());
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace sluice
