#include "metrics/scrape_pace.h"

#include <gmock/gmock.h>

namespace sluice::exporters {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ScrapePace, ExpectsNobodyWhoHasNotComeTwice) {
  ScrapePace pace;
  EXPECT_EQ(pace.NextBy(), std::nullopt);
  pace.Note(seconds(10));
  EXPECT_EQ(pace.NextBy(), std::nullopt);
}

TEST(ScrapePace, ExpectsTheNextScrapeWithinOneAndAHalfIntervals) {
  ScrapePace pace;
  pace.Note(seconds(10));
  pace.Note(seconds(25));
  EXPECT_EQ(pace.NextBy(), milliseconds(25'000 + 22'500));
}

// Two servers that scrape one after the other: the short gap between them is not the pace of either.
TEST(ScrapePace, IsNotFooledByTwoWhoScrape) {
  ScrapePace pace;
  for (const int at : {0, 2, 15, 17, 30}) pace.Note(seconds(at));
  EXPECT_EQ(pace.NextBy(), milliseconds(30'000 + 19'500));
}

TEST(ScrapePace, ForgetsAPauseOfLongAgo) {
  ScrapePace pace;
  for (const int at : {0, 1000, 1001, 1002, 1003, 1004}) pace.Note(seconds(at));
  EXPECT_EQ(pace.NextBy(), seconds(1006));
}

}  // namespace
}  // namespace sluice::exporters
