// Units as types: a number without its unit does not cross an interface.
#pragma once
#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace sluice {

using Nanos = std::chrono::nanoseconds;

// A point on the monotonic clock, as nanoseconds since an arbitrary start (CLOCK_MONOTONIC).
using MonoTime = std::chrono::nanoseconds;

// An amount of memory or of data moved.
struct Bytes {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return {a.count * n}; }
  constexpr Bytes& operator+=(Bytes b) { return count += b.count, *this; }
  constexpr Bytes& operator-=(Bytes b) { return count -= b.count, *this; }
};

constexpr Bytes operator""_KiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) << 30};
}

// Something per second; what it counts is in the name of the variable.
struct Rate {
  double per_second = 0;
  friend constexpr auto operator<=>(Rate, Rate) = default;
};

// A share, 0..1 (never percent).
struct Fraction {
  double value = 0;
  friend constexpr auto operator<=>(Fraction, Fraction) = default;
};

constexpr double Seconds(Nanos t) {
  return static_cast<double>(t.count()) * 1e-9;
}
// The nearest there is where `s` lies outside of what a Nanos holds (292 years); not a number: 0.
constexpr Nanos FromSeconds(double s) {
  const double ns = s * 1e9;
  if (ns >= 0x1p63) return Nanos::max();
  if (ns <= -0x1p63) return Nanos::min();
  return Nanos(ns == ns ? static_cast<std::int64_t>(ns) : 0);
}

// a + b, but no more than there is. REQUIRES: neither is negative.
constexpr Nanos Sum(Nanos a, Nanos b) {
  return a + std::min(b, Nanos::max() - a);
}
constexpr Bytes Sum(Bytes a, Bytes b) {
  return a + std::min(b, Bytes{std::numeric_limits<std::int64_t>::max()} - a);
}

// part / whole; 0 where the whole is nothing.
constexpr Fraction Share(double part, double whole) {
  return {whole > 0 ? part / whole : 0.0};
}
constexpr Fraction Share(Nanos part, Nanos whole) {
  return Share(Seconds(part), Seconds(whole));
}

}  // namespace sluice
