#include "sluice/base/distribution.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(Distribution, DrawsWithTheGivenMeanAndSpread) {
  using Kind = Distribution::Kind;
  for (const auto& [time, cv] : {std::pair{Distribution{Kind::kFixed, 2ms, 0}, 0.0},
                                 std::pair{Distribution{Kind::kLognormal, 2ms, 0.5}, 0.5},
                                 std::pair{Distribution{Kind::kExponential, 2ms, 0}, 1.0}}) {
    Rng rng(1);
    double sum = 0;
    double squares = 0;
    constexpr int kDraws = 200'000;
    for (int i = 0; i < kDraws; ++i) {
      const double seconds = Seconds(Draw(time, rng));
      sum += seconds;
      squares += seconds * seconds;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 0.002, 2e-5);
    EXPECT_NEAR(std::sqrt(std::max(0.0, squares / kDraws - mean * mean)) / mean, cv, 0.02);
  }
}

TEST(Contention, FollowsTheLawOrTheTable) {
  EXPECT_EQ(Slowdown({}, 9), 1);
  EXPECT_DOUBLE_EQ(Slowdown({.sigma = 0.1, .kappa = 0.01}, 3), 1 + 0.2 + 0.06);
  const Contention table{.table = {1, 1.5}};
  EXPECT_EQ(Slowdown(table, 2), 1.5);
  EXPECT_EQ(Slowdown(table, 7), 1.5);
}

}  // namespace
}  // namespace sluice
