// Times that vary from item to item, and how workers of one op slow each other down: what synthetic ops do
// for real and simulated ops do in virtual time. Immutable functions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/rng.h"
#include "sluice/base/units.h"

namespace sluice {

// A duration with a spread. kLognormal has the given mean and coefficient of variation (sd / mean).
struct Distribution {
  enum class Kind : std::uint8_t { kFixed, kLognormal, kExponential };
  Kind kind = Kind::kFixed;
  Nanos mean{0};
  double cv = 0;  // kLognormal only
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

// How an op slows down when n of its workers are active: service time is multiplied by
// 1 + sigma (n - 1) + kappa n (n - 1) (universal scalability law), or, where `table` is not empty, by
// table[n - 1] (its last entry beyond).
struct Contention {
  double sigma = 0;
  double kappa = 0;
  std::vector<double> table{};
  friend bool operator==(const Contention&, const Contention&) = default;
};

// One draw. Lognormal: mean and cv are those of the value, not of its logarithm.
[[nodiscard]] Nanos Draw(const Distribution& distribution, Rng& rng);

// By how much `active` workers slow each other down; 1 for one.
[[nodiscard]] double Slowdown(const Contention& contention, int active);

// What cannot be, as the rest of a sentence: "the mean must be between 0 and 1 hour"; empty: all is well.
[[nodiscard]] std::string WhatIsWrong(const Distribution& distribution);
[[nodiscard]] std::string WhatIsWrong(const Contention& contention);

}  // namespace sluice
