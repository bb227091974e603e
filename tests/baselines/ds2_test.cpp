// The arithmetic of these traces is in docs/baselines.md, "DS2".
#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

HandMade FourAndTwo() {
  return HandMade({{.name = "read", .workers = 4}, {.name = "decode", .workers = 2}}, 8);
}

// True rates 500 and 50 per worker and second; the consumer would take 250.
TEST(Ds2, JumpsToTheCountsThatTheTrueRatesAskFor) {
  HandMade plant = FourAndTwo();
  const auto rule = Made("ds2");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(5, {{500, 1, 0}, {500, 10, 0}}, {500, 2});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 4->1, decode.workers 2->5");
  plant.Pass(5, {{500, 1, 0}, {500, 20, 0}}, {500, 2});
  EXPECT_EQ(plant.Ask(*rule), "");
}

TEST(Ds2, MeasuresAgainEveryIntervalWhereAskedTo) {
  HandMade plant = FourAndTwo();
  const auto rule = Made("ds2-periodic");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(5, {{500, 1, 0}, {500, 10, 0}}, {500, 2});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 4->1, decode.workers 2->5");
  plant.Pass(5, {{500, 1, 0}, {500, 20, 0}}, {500, 2});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 5->10");
}

// 2 ms and 20 ms per element on 8 cores: 363.6 per second are possible, 0.73 and 7.27 workers.
TEST(Ds2, AimsAtWhatTheCoresGiveWhereTheConsumerTakesNoTime) {
  HandMade plant = FourAndTwo();
  const auto rule = Made("ds2");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(5, {{500, 1, 0}, {500, 10, 0}}, {500, 0});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 4->1, decode.workers 2->8");
}

TEST(Ds2, GivesAnOpWithoutWorkOneWorkerAndSizesTheOthers) {
  HandMade plant = FourAndTwo();
  const auto rule = Made("ds2");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(5, {{500, 0, 0}, {500, 10, 0}}, {500, 2});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 4->1, decode.workers 2->5");
}

TEST(Ds2, WaitsForTwentyItemsOfEveryOp) {
  HandMade plant = FourAndTwo();
  const auto rule = Made("ds2");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(5, {{25, 1, 0}, {19, 10, 0}}, {19, 2});
  EXPECT_EQ(plant.Ask(*rule), "");
}

}  // namespace
}  // namespace sluice::baselines
