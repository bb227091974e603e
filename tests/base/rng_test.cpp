#include "sluice/base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace sluice {
namespace {

TEST(Rng, RepeatsForTheSameRowAndDiffersForEveryOther) {
  EXPECT_EQ(Rng(1, 2, 3, 4).Next(), Rng(1, 2, 3, 4).Next());
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (std::uint64_t epoch = 0; epoch < 8; ++epoch)
      for (std::uint64_t index = 0; index < 8; ++index)
        for (std::uint64_t salt = 0; salt < 8; ++salt) firsts.insert(Rng(seed, epoch, index, salt).Next());
  EXPECT_EQ(firsts.size(), 8u * 8 * 8 * 8);
}

TEST(Rng, DrawsUniformlyAcrossRows) {
  double sum = 0;
  double squares = 0;
  constexpr int kRows = 20'000;
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const double u = Rng(7, 0, row).Uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kRows, 0.5, 0.01);
  EXPECT_NEAR(squares / kRows, 1.0 / 3, 0.01);
}

TEST(Rng, NormalHasUnitVariance) {
  Rng rng(3);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double z = rng.Normal();
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.03);
  EXPECT_NEAR(squares / kDraws, 1, 0.05);
}

}  // namespace
}  // namespace sluice
