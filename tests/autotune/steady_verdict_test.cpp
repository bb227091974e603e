#include "explain/steady_verdict.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

using std::chrono::seconds;

Verdict Saying(Limit limit) {
  Verdict verdict;
  verdict.limit = limit;
  return verdict;
}

TEST(SteadyVerdict, KeepsWhatItShowsUntilAnotherHasLasted) {
  SteadyVerdict steady({});
  EXPECT_EQ(steady.Show(Saying(Limit::kOp), seconds(0), false).limit, Limit::kOp) << "there was none before";
  EXPECT_EQ(steady.Show(Saying(Limit::kCores), seconds(1), false).limit, Limit::kOp);
  EXPECT_EQ(steady.Show(Saying(Limit::kOp), seconds(2), false).limit, Limit::kOp) << "it was noise";
  EXPECT_EQ(steady.Show(Saying(Limit::kCores), seconds(3), false).limit, Limit::kOp);
  EXPECT_EQ(steady.Show(Saying(Limit::kCores), seconds(5), false).limit, Limit::kCores);
}

TEST(SteadyVerdict, ShowsTheRegimesOfNowWhateverItSays) {
  SteadyVerdict steady({});
  (void)steady.Show(Saying(Limit::kOp), seconds(0), false);
  Verdict other = Saying(Limit::kCores);
  other.regimes = {Regime::kWaits};
  const Verdict shown = steady.Show(other, seconds(1), false);
  EXPECT_EQ(shown.limit, Limit::kOp);
  EXPECT_EQ(shown.regimes, other.regimes);
}

TEST(SteadyVerdict, FollowsAChangeAtOnce) {
  SteadyVerdict steady({});
  (void)steady.Show(Saying(Limit::kOp), seconds(0), false);
  EXPECT_EQ(steady.Show(Saying(Limit::kConsumer), seconds(1), true).limit, Limit::kConsumer);
}

}  // namespace
}  // namespace sluice::autotune
