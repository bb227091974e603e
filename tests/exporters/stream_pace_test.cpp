#include "web/stream_pace.h"

#include <gtest/gtest.h>

namespace sluice::exporters {
namespace {

// Sends of so many lines, each taken at once.
int Sent(StreamPace& pace, int lines) {
  int sent = 0;
  for (int i = 0; i < lines; ++i) sent += pace.Offer(true).send ? 1 : 0;
  return sent;
}

TEST(StreamPace, SendsEveryLineToAViewerThatKeepsUp) {
  StreamPace pace;
  for (int i = 0; i < 100; ++i) {
    const auto step = pace.Offer(true);
    EXPECT_TRUE(step.send);
    EXPECT_FALSE(step.notice) << "there is nothing to tell";
  }
}

TEST(StreamPace, SendsASlowViewerLessAndTellsIt) {
  StreamPace pace;
  EXPECT_TRUE(pace.Offer(true).send);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(pace.Offer(false).send) << "it still has a line to take";
  const auto step = pace.Offer(true);
  ASSERT_TRUE(step.send);
  ASSERT_TRUE(step.notice);
  EXPECT_EQ(step.notice->every, 2U);
  EXPECT_EQ(step.notice->skipped, 5U);
  EXPECT_EQ(Sent(pace, 8), 4);
}

TEST(StreamPace, HalvesItEachTimeThatItIsLateDownToOneIn64) {
  StreamPace pace;
  std::uint64_t every = 1;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(pace.Offer(false).send);
    for (StreamPace::Step step; !step.send;) {
      step = pace.Offer(true);
      if (step.notice) every = step.notice->every;
    }
    EXPECT_EQ(every, std::min<std::uint64_t>(2ULL << i, 64));
  }
}

TEST(StreamPace, GoesBackToEveryLineOnceTheViewerKeepsUp) {
  StreamPace pace;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(pace.Offer(false).send);
    while (!pace.Offer(true).send) {
    }
  }
  std::vector<std::uint64_t> told;
  for (int i = 0; i < 1000; ++i) {
    const auto step = pace.Offer(true);
    if (step.notice) told.push_back(step.notice->every);
  }
  EXPECT_EQ(told, (std::vector<std::uint64_t>{4, 2, 1}));
  EXPECT_EQ(Sent(pace, 10), 10);
}

}  // namespace
}  // namespace sluice::exporters
