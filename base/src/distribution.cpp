#include "sluice/base/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr Nanos kLongest = std::chrono::hours(1);
constexpr double kLargestFactor = 1000;
constexpr double kSmallestFactor = 0.001;

bool Within(double value, double low, double high) {
  return value >= low && value <= high;
}

}  // namespace

Nanos Draw(const Distribution& distribution, Rng& rng) {
  const auto mean = static_cast<double>(distribution.mean.count());
  double value = mean;
  if (distribution.kind == Distribution::Kind::kLognormal) {
    const double variance = std::log1p(distribution.cv * distribution.cv);
    value = mean * std::exp(std::sqrt(variance) * rng.Normal() - variance / 2);
  } else if (distribution.kind == Distribution::Kind::kExponential) {
    value = -mean * std::log(1.0 - rng.Uniform());
  }
  return Nanos(static_cast<std::int64_t>(value));
}

double Slowdown(const Contention& contention, int active) {
  const int n = std::max(active, 1);
  if (!contention.table.empty()) {
    return contention.table[std::min(static_cast<std::size_t>(n), contention.table.size()) - 1];
  }
  return 1.0 + contention.sigma * (n - 1) + contention.kappa * n * (n - 1);
}

std::string WhatIsWrong(const Distribution& d) {
  if (d.mean < Nanos(0) || d.mean > kLongest) return "the mean must be between 0 and 1 hour";
  if (!Within(d.cv, 0, 100)) return fmt::format("cv: {} is outside 0..100", d.cv);
  const bool has_cv = d.cv == 0 || d.kind == Distribution::Kind::kLognormal;
  return has_cv ? "" : "cv is for lognormal only";
}

std::string WhatIsWrong(const Contention& c) {
  if (!c.table.empty() && (c.sigma != 0 || c.kappa != 0)) {
    return "has a table and sigma or kappa; only one of the two is possible";
  }
  for (const double factor : c.table) {
    if (!Within(factor, kSmallestFactor, kLargestFactor)) {
      return fmt::format("{} is outside {}..{}", factor, kSmallestFactor, kLargestFactor);
    }
  }
  for (const double factor : {c.sigma, c.kappa}) {
    if (!Within(factor, 0, kLargestFactor)) return fmt::format("{} is outside 0..{}", factor, kLargestFactor);
  }
  return "";
}

}  // namespace sluice
