// Permutation: a seeded shuffle of [0, n) that holds no data: At(position) is computed, in any order, from
// any thread. Every (seed, epoch) gives another one.
//
// A Feistel network on the smallest power of two that holds n; what falls outside [0, n) is sent through it
// again until it falls inside (cycle walking, twice at most on average). Source: Black and Rogaway, "Ciphers
// with arbitrary finite domains", CT-RSA 2002.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sluice/base/check.h"
#include "sluice/base/rng.h"

namespace sluice::formats {

// Immutable.
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch)
      : n_(n),
        rounds_(Bits(n) < kSmallBits ? kRoundsWhenSmall : kRounds),
        low_bits_((Bits(n) + 1) / 2),
        low_mask_(Mask(low_bits_)),
        high_mask_(Mask(Bits(n) / 2)) {
    Rng rng(seed, epoch, n, kSalt);
    for (std::uint64_t& key : keys_) key = rng.Next();
  }

  [[nodiscard]] std::uint64_t size() const { return n_; }

  // Which element stands at `position`. REQUIRES position < size().
  [[nodiscard]] std::uint64_t At(std::uint64_t position) const {
    SLUICE_CHECK(position < n_);
    std::uint64_t value = position;
    do {
      value = Encrypt(value);
    } while (value >= n_);
    return value;
  }

 private:
  // Halves of a few bits mix slowly: with eight rounds some pairs of neighbours among five elements come
  // twice as often as others, with sixteen a chi-square test sees no difference.
  static constexpr int kRounds = 8;
  static constexpr int kRoundsWhenSmall = 20;
  static constexpr int kSmallBits = 10;
  static constexpr std::uint64_t kSalt = 0x7065726d;  // keeps these draws apart from the rows' own

  static constexpr int Bits(std::uint64_t n) { return n < 2 ? 0 : std::bit_width(n - 1); }
  static constexpr std::uint64_t Mask(int bits) { return (std::uint64_t{1} << bits) - 1; }

  // Half a splitmix64 step. The upper half of the product is the well-mixed one.
  static constexpr std::uint64_t Round(std::uint64_t half, std::uint64_t key) {
    std::uint64_t z = (half ^ key) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 32)) * 0x94d049bb133111eb;
    return z >> 32;
  }

  // Both halves are xored with a function of the other, so any two widths will do.
  [[nodiscard]] std::uint64_t Encrypt(std::uint64_t value) const {
    std::uint64_t low = value & low_mask_;
    std::uint64_t high = value >> low_bits_;
    for (int round = 0; round < rounds_; round += 2) {
      high ^= Round(low, keys_[static_cast<std::size_t>(round)]) & high_mask_;
      low ^= Round(high, keys_[static_cast<std::size_t>(round) + 1]) & low_mask_;
    }
    return high << low_bits_ | low;
  }

  std::uint64_t n_;
  int rounds_;
  int low_bits_;
  std::uint64_t low_mask_;
  std::uint64_t high_mask_;
  std::array<std::uint64_t, kRoundsWhenSmall> keys_{};
};

}  // namespace sluice::formats
