#include "estimate/service_times.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "sluice/base/rng.h"

namespace sluice::autotune {
namespace {

LatencyHistogram Seen(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> nanos_and_items) {
  LatencyHistogram seen{};
  for (const auto& [nanos, items] : nanos_and_items) seen[std::bit_width(nanos) - 1] += items;
  return seen;
}

TEST(ServiceTimes, FindNoVariabilityInAFixedTimeNorInNone) {
  ServiceTimes times;
  EXPECT_EQ(times.Variability(), 0);
  times.Add(Seen({{5'000'000, 1000}}));
  EXPECT_NEAR(times.Variability(), 0, 1e-9);
}

TEST(ServiceTimes, ComeNearTheTruthThroughTheirBuckets) {
  Rng rng(7);
  LatencyHistogram seen{};
  for (int n = 0; n < 200'000; ++n)
    ++seen[std::bit_width(static_cast<std::uint64_t>(1e7 * std::exp(rng.Normal()))) - 1];
  ServiceTimes times;
  times.Add(seen);
  EXPECT_NEAR(times.Variability(), std::exp(1) - 1, 0.3) << "of a lognormal";
}

TEST(ServiceTimes, ForgetWhatCountsForLess) {
  ServiceTimes times;
  times.Add(Seen({{1'000'000, 100}}));
  times.Scale(0.001);
  times.Add(Seen({{64'000'000, 100}}));
  EXPECT_LT(times.Variability(), 0.1);
}

}  // namespace
}  // namespace sluice::autotune
