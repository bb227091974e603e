#include "sluice/formats/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sluice::formats {
namespace {

// The first position whose element was seen before or lies outside; n when there is none.
std::uint64_t FirstRepeat(const Permutation& permutation) {
  std::vector<bool> seen(permutation.size());
  for (std::uint64_t i = 0; i < permutation.size(); ++i) {
    const std::uint64_t element = permutation.At(i);
    if (element >= permutation.size() || seen[element]) return i;
    seen[element] = true;
  }
  return permutation.size();
}

TEST(Permutation, HoldsEveryElementOnceAtEverySmallSize) {
  for (std::uint64_t n = 1; n <= 2000; ++n) ASSERT_EQ(FirstRepeat(Permutation(n, 7, n % 5)), n);
}

TEST(Permutation, HoldsEveryElementOnceAtLargeSizes) {
  for (const std::uint64_t n : {50'000U, 65'536U, 65'537U, 1'281'167U})
    EXPECT_EQ(FirstRepeat(Permutation(n, 1, 0)), n);
}

TEST(Permutation, StaysInsideTheLargestSizes) {
  for (const std::uint64_t n :
       {std::uint64_t{1} << 40, (std::uint64_t{1} << 63) + 12345, ~std::uint64_t{0}}) {
    const Permutation permutation(n, 3, 1);
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_LT(permutation.At(n - 1 - i), n);
  }
}

TEST(Permutation, DiffersForEverySeedAndEpochAndRepeatsForTheSame) {
  const auto differences = [](const Permutation& a, const Permutation& b) {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < a.size(); ++i) count += a.At(i) != b.At(i);
    return count;
  };
  const Permutation one(1000, 1, 0);
  EXPECT_EQ(differences(one, Permutation(1000, 1, 0)), 0U);
  EXPECT_GT(differences(one, Permutation(1000, 1, 1)), 980U);
  EXPECT_GT(differences(one, Permutation(1000, 2, 0)), 980U);
}

// Chi-square of where each element of ten stands over many epochs: 81 degrees of freedom.
TEST(Permutation, PutsEveryElementEverywhereEquallyOften) {
  constexpr std::uint64_t kSize = 10;
  constexpr int kEpochs = 10'000;
  std::vector<int> seen(kSize * kSize);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const Permutation permutation(kSize, 42, static_cast<std::uint64_t>(epoch));
    for (std::uint64_t i = 0; i < kSize; ++i) ++seen[i * kSize + permutation.At(i)];
  }
  constexpr double kExpected = static_cast<double>(kEpochs) / kSize;
  double chi_square = 0;
  for (const int count : seen) chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_LT(chi_square, 81 + 4 * std::sqrt(2.0 * 81));
}

class SmallPermutation : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SmallPermutation, PutsEveryPairAtTheFrontEquallyOften) {
  const std::uint64_t size = GetParam();
  const auto pairs = static_cast<double>(size * (size - 1));
  const auto epochs = static_cast<std::uint64_t>(500 * pairs);
  std::vector<int> seen(size * size);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const Permutation permutation(size, 5, epoch);
    ++seen[permutation.At(0) * size + permutation.At(1)];
  }
  double chi_square = 0;
  for (std::uint64_t pair = 0; pair < seen.size(); ++pair)
    if (pair / size != pair % size) chi_square += (seen[pair] - 500.0) * (seen[pair] - 500.0) / 500.0;
  EXPECT_LT(chi_square, (pairs - 1) + 4 * std::sqrt(2 * (pairs - 1)));
}
INSTANTIATE_TEST_SUITE_P(Sizes, SmallPermutation, testing::Values(3, 4, 5, 6, 8, 10, 16, 20));

TEST(Permutation, LeavesNeighboursUncorrelated) {
  constexpr std::uint64_t kSize = 100'003;
  const Permutation permutation(kSize, 9, 2);
  const double mean = (kSize - 1) / 2.0;
  for (const std::uint64_t apart : {1U, 2U, 16U, 256U}) {
    double product = 0;
    for (std::uint64_t i = 0; i < kSize; ++i)
      product += (static_cast<double>(permutation.At(i)) - mean) *
                 (static_cast<double>(permutation.At((i + apart) % kSize)) - mean);
    const double variance = (static_cast<double>(kSize) * kSize - 1) / 12;
    EXPECT_LT(std::abs(product / kSize / variance), 4 / std::sqrt(kSize)) << apart;
  }
}

TEST(PermutationDeathTest, RefusesAPositionBehindItsEnd) {
  EXPECT_DEATH((void)Permutation(5, 1, 1).At(5), "position");
}

}  // namespace
}  // namespace sluice::formats
