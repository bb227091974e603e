#include "observe/observer.h"

#include <gtest/gtest.h>

#include "autotune/album.h"

namespace sluice::autotune::testing {
namespace {

TEST(Observer, LooksNoMoreOftenThanSomethingHappens) {
  Album album;
  Observer observer(album.seen, {});
  EXPECT_FALSE(observer.Observe(album.After(10, 0)));
  const auto now = observer.Observe(album.After(90, 0));
  ASSERT_TRUE(now);
  EXPECT_EQ(now->interval.consumer_items, 20) << "both";
}

TEST(Observer, TellsTheFirstTurnToAPhaseFromLaterOnes) {
  Album album;
  Observer observer(album.seen, {});
  EXPECT_EQ(observer.Observe(album.After(100, 0))->turn, Turn::kFirst);
  EXPECT_EQ(observer.Observe(album.After(100, 0))->turn, Turn::kNone);
  EXPECT_EQ(observer.Observe(album.After(100, 1))->turn, Turn::kFirst);
  EXPECT_EQ(observer.phase(), 1u);
  EXPECT_EQ(observer.Observe(album.After(100, 0))->turn, Turn::kAgain);
  EXPECT_EQ(observer.phase(), 0u);
}

TEST(Observer, TakesAMixtureOfTwoPhasesForATurn) {
  Album album;
  Observer observer(album.seen, {});
  (void)observer.Observe(album.After(100, 0));
  (void)album.After(50, 0);
  const auto mixed = observer.Observe(album.After(50, 1));
  EXPECT_EQ(mixed->interval.state, Cleanliness::kEpochTurn);
  EXPECT_EQ(mixed->turn, Turn::kNone);
}

TEST(Observer, LearnsNoCostsFromAResize) {
  Album album;
  Observer observer(album.seen, {});
  EXPECT_TRUE(observer.Observe(album.After(100, 0))->usable);
  album.Set(0, 2);
  EXPECT_FALSE(observer.Observe(album.After(100, 0))->usable);
}

}  // namespace
}  // namespace sluice::autotune::testing
