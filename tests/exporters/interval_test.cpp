#include "sluice/exporters/interval.h"

#include <gtest/gtest.h>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Snapshot OneOp(MonoTime at, Nanos busy, Nanos starved, int workers) {
  Snapshot snapshot;
  snapshot.at = at;
  snapshot.ops.resize(1);
  snapshot.ops[0].busy = busy;
  snapshot.ops[0].starved = starved;
  snapshot.ops[0].workers = workers;
  return snapshot;
}

TEST(MeasureOp, GivesSharesOfAllWorkersTime) {
  const OpInterval seen = MeasureOp(example::At(seconds(1), 755, 2), example::At(seconds(2), 755, 2), 2);
  EXPECT_NEAR(seen.busy->value, 0.985, 1e-6);
  EXPECT_NEAR(seen.starved->value, 0.01, 1e-6);
  EXPECT_NEAR(seen.on_cpu->value + seen.runnable->value + seen.off_cpu->value, seen.busy->value, 1e-6);
  EXPECT_DOUBLE_EQ(seen.items->per_second, 755);
}

TEST(MeasureOp, StaysWithinOneWhenMoreTimeIsRecordedThanHasPassed) {
  const OpInterval seen = MeasureOp(OneOp(seconds(1), Nanos(0), Nanos(0), 1),
                                    OneOp(seconds(2), seconds(5), milliseconds(-3), 1), 0);
  EXPECT_EQ(seen.busy->value, 1);
  EXPECT_EQ(seen.starved->value, 0);
}

TEST(MeasureOp, CountsTimeThatIsNotRecordedYetAsPartOfTheWhole) {
  const OpInterval seen = MeasureOp(OneOp(seconds(1), Nanos(0), Nanos(0), 2),
                                    OneOp(seconds(2), Nanos(0), milliseconds(100), 2), 0);
  EXPECT_NEAR(seen.starved->value, 0.05, 1e-9) << "one worker is inside a long item";
}

TEST(MeasureOp, WorkersThatAreNotThereAreNotIdle) {
  const Snapshot from = OneOp(seconds(1), Nanos(0), Nanos(0), 1);
  const Snapshot to = OneOp(seconds(6), seconds(3), Nanos(0), 1);
  EXPECT_NEAR(MeasureOp(from, to, 0).busy->value, 0.6, 1e-9);
  EXPECT_NEAR(MeasureOp(from, to, 0, seconds(2)).busy->value, 1, 1e-9);
  EXPECT_NEAR(MeasureOp(from, to, 0, seconds(9)).busy->value, 1, 1e-9) << "more than there is";
}

TEST(MeasureOp, LeavesOutWhatIsMissing) {
  const Snapshot now = example::At(seconds(2), 755, 2);
  EXPECT_FALSE(MeasureOp(Snapshot{}, now, 2).busy.has_value());
  EXPECT_FALSE(MeasureOp(now, now, 2).items.has_value());
  EXPECT_FALSE(MeasureOp(now, now, 99).items.has_value());
  Snapshot unseen = example::At(seconds(3), 755, 2);
  unseen.ops[2].on_cpu.reset();
  EXPECT_FALSE(MeasureOp(now, unseen, 2).on_cpu.has_value());
  EXPECT_FALSE(MeasureOp(now, unseen, 2).off_cpu.has_value());
  EXPECT_TRUE(MeasureOp(now, unseen, 2).runnable.has_value());
}

TEST(MeasureConnector, GivesSharesAndTheMeanDepth) {
  const ConnectorInterval seen =
      MeasureConnector(example::At(seconds(1), 755, 2), example::At(seconds(3), 755, 2), 1);
  EXPECT_NEAR(seen.full->value, 0.93, 1e-6);
  EXPECT_NEAR(*seen.mean_depth, 31, 1e-6);
}

TEST(MeasureConsumer, IsMissingBeforeTheFirstSnapshotAndAfterARestart) {
  const Snapshot now = example::At(seconds(2), 755, 2);
  EXPECT_FALSE(MeasureConsumer(Snapshot{}, now).items.has_value());
  Snapshot restarted = now;
  restarted.at += seconds(1);
  restarted.consumer = {};
  EXPECT_FALSE(MeasureConsumer(now, restarted).items.has_value());
}

TEST(Quantile, InterpolatesWithinItsBucket) {
  LatencyHistogram histogram{};
  EXPECT_FALSE(Quantile(histogram, {0.5}).has_value());
  histogram[10] = 100;
  EXPECT_EQ(Quantile(histogram, {0.5}), Nanos(1536));
  histogram[20] = 1;
  EXPECT_LT(*Quantile(histogram, {0.98}), Nanos(2048));
  EXPECT_GE(*Quantile(histogram, {1.0}), Nanos(1 << 20));
}

}  // namespace
}  // namespace sluice::exporters
