// The arithmetic of these traces is in docs/baselines.md, "Plumber".
#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"
#include "plumber_lp.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

TEST(PlumberLp, FillsTheCoresInProportionToWhatAnElementCosts) {
  const auto plan = SolvePlumber({{0.02, 64}, {0.06, 64}}, 5);
  EXPECT_DOUBLE_EQ(plan.rate, 62.5);
  EXPECT_DOUBLE_EQ(plan.cores[0], 1.25);
  EXPECT_DOUBLE_EQ(plan.cores[1], 3.75);
  EXPECT_FALSE(plan.capped.has_value());
}

TEST(PlumberLp, LeavesCoresUnusedWhereASequentialOpBinds) {
  const auto plan = SolvePlumber({{0.02, 1}, {0.06, 64}}, 16);
  EXPECT_DOUBLE_EQ(plan.rate, 50);
  EXPECT_DOUBLE_EQ(plan.cores[1], 3);
  EXPECT_EQ(plan.capped, 0U);
}

// Four rows a batch: 2480 reads cost 12.4 s, 620 batches cost 37.2 s.
void Trace(HandMade& plant, double seconds, std::uint64_t batches) {
  const auto n = static_cast<double>(batches);
  plant.Pass(seconds, {{4 * batches, n * 0.02, 0}, {batches, n * 0.06, 0}}, {batches, 1});
}

HandMade ReadAndBatch(int most_readers, double cores) {
  return HandMade({{.name = "read", .workers = 1, .most = most_readers},
                   {.name = "batch", .workers = 1, .rows_per_item = 4}},
                  cores);
}

TEST(Plumber, TracesForAMinuteAllocatesByTheLpAndKeepsWhatWasFaster) {
  HandMade plant = ReadAndBatch(64, 5);
  const auto rule = Made("plumber");
  EXPECT_EQ(plant.Ask(*rule), "");
  Trace(plant, 61, 610);
  EXPECT_EQ(plant.Ask(*rule), "");
  Trace(plant, 1, 10);
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->2, batch.workers 1->4");
  EXPECT_DOUBLE_EQ(plant.last().predicted.per_second, 62.5);
  EXPECT_EQ(plant.last().verdict.limit, Limit::kCores);
  Trace(plant, 62, 3800);
  EXPECT_EQ(plant.Ask(*rule), "");
  ASSERT_EQ(plant.last().outcomes.size(), 1U);
  EXPECT_EQ(plant.last().outcomes[0].fate, Fate::kKept);
}

TEST(Plumber, TakesBackWhatWasSlowerAndEnds) {
  HandMade plant = ReadAndBatch(64, 5);
  const auto rule = Made("plumber-10s");
  EXPECT_EQ(plant.Ask(*rule), "");
  Trace(plant, 10, 100);
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->2, batch.workers 1->4");
  Trace(plant, 10, 80);
  EXPECT_EQ(plant.Ask(*rule), "read.workers 2->1, batch.workers 4->1");
  Trace(plant, 10, 100);
  EXPECT_EQ(plant.Ask(*rule), "");
}

TEST(Plumber, NamesTheSequentialOpThatBinds) {
  HandMade plant = ReadAndBatch(1, 16);
  const auto rule = Made("plumber-10s");
  EXPECT_EQ(plant.Ask(*rule), "");
  Trace(plant, 10, 100);
  EXPECT_EQ(plant.Ask(*rule), "batch.workers 1->3");
  EXPECT_EQ(plant.last().verdict.limit, Limit::kSerialOp);
  EXPECT_EQ(plant.last().verdict.op, 0U);
}

}  // namespace
}  // namespace sluice::baselines
