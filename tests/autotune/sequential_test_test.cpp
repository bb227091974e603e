#include "experiment/sequential_test.h"

#include <gtest/gtest.h>

#include "sluice/base/rng.h"

namespace sluice::autotune {
namespace {

TestResult Finished(double mean, double noise, std::uint64_t seed, int* windows = nullptr) {
  SequentialTest test(1.0, 1.05, noise, 0.01, 400);
  Rng rng(seed);
  for (;;) {
    const TestResult result = test.Add(mean + noise * rng.Normal(), 1);
    if (result == TestResult::kOpen) continue;
    if (windows != nullptr) *windows = test.windows();
    return result;
  }
}

TEST(SequentialTest, UndoesAClearLossWithinTwoWindows) {
  int windows = 0;
  EXPECT_EQ(Finished(0.7, 0.05, 1, &windows), TestResult::kBad);
  EXPECT_LE(windows, 2);
}

TEST(SequentialTest, ErrsAsRarelyAsItPromises) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    wrong += Finished(1.0, 0.05, seed) != TestResult::kBad;
    wrong += Finished(1.05, 0.05, seed + 5000) != TestResult::kGood;
  }
  EXPECT_LE(wrong, 30) << "of 2000, at one in a hundred";
}

TEST(SequentialTest, LooksLongerWhenThereIsMoreNoise) {
  int quiet = 0;
  int noisy = 0;
  EXPECT_EQ(Finished(1.1, 0.02, 3, &quiet), TestResult::kGood);
  EXPECT_EQ(Finished(1.1, 0.1, 3, &noisy), TestResult::kGood);
  EXPECT_GT(noisy, quiet);
}

TEST(SequentialTest, GoesByTheMeanWhenPatienceIsOver) {
  SequentialTest test(1.0, 1.05, 0.5, 0.01, 3);
  EXPECT_EQ(test.Add(1.1, 1), TestResult::kOpen);
  EXPECT_EQ(test.Add(1.0, 1), TestResult::kOpen);
  EXPECT_EQ(test.Add(1.1, 1), TestResult::kGood);
}

// Four short bursts at twice the rate in the time of one long stall: the same as before, all in all.
TEST(SequentialTest, IsNotWonByManyShortWindows) {
  SequentialTest test(1.0, 1.05, 0.5, 0.01, 40);
  TestResult result = TestResult::kOpen;
  for (int n = 0; result == TestResult::kOpen; ++n)
    result = test.Add(n % 5 == 0 ? 0.6 : 2, n % 5 == 0 ? 10 : 1);
  EXPECT_NEAR(test.mean(), 1.0, 0.05);
  EXPECT_EQ(result, TestResult::kBad);
}

TEST(SequentialTestDeathTest, RefusesATestThatCannotTellGoodFromBad) {
  EXPECT_DEATH(SequentialTest(1.0, 1.0, 0.1, 0.01, 10), "bad < good");
}

}  // namespace
}  // namespace sluice::autotune
