#include "sluice/exporters/view_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

TEST(OpRows, HaveTotalsIntervalsTheLimitAndWorkersOnTheirWay) {
  LiveView view = example::View();
  view.now.knobs[1].requested = view.now.ops[2].workers + 3;
  view.verdict.regimes = {Regime::kWaits, Regime::kComputes, Regime::kContended};
  const auto rows = OpRows(view.previous, view.now, view.verdict);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[2].info.name, "decode");
  EXPECT_TRUE(rows[2].limits);
  EXPECT_FALSE(rows[0].limits);
  EXPECT_EQ(rows[2].workers_wanted, view.now.ops[2].workers + 3);
  EXPECT_FALSE(rows[0].workers_wanted);
  EXPECT_EQ(rows[2].total.items, view.now.ops[2].items);
  EXPECT_NEAR(rows[2].seen.busy->value, 0.985, 0.01);
  EXPECT_EQ(rows[2].regime, Regime::kContended);
  EXPECT_EQ(rows[3].regime, Regime::kUnknown) << "nothing was told of it";
}

TEST(OpRows, BlameNobodyWhereTheConsumerIsTheLimit) {
  const LiveView view = example::View();
  Verdict fed = view.verdict;
  fed.limit = Limit::kConsumer;
  for (const OpRow& row : OpRows(view.previous, view.now, fed)) EXPECT_FALSE(row.limits);
}

TEST(OpRows, WantNoWorkersOnceTheRunIsOver) {
  LiveView view = example::View();
  view.now.knobs[1].requested = 9;
  view.now.finished = true;
  EXPECT_FALSE(OpRows(view.previous, view.now)[2].workers_wanted);
}

TEST(ViewRows, AreNoneWithoutAGraph) {
  EXPECT_THAT(OpRows({}, {}), IsEmpty());
  EXPECT_THAT(ConnectorRows({}, {}), IsEmpty());
}

TEST(ConnectorRows, NameBothEndsAndTellThoseThatSkipAnOp) {
  LiveView view = example::View();
  Graph graph = *view.now.graph;
  graph.connectors[0].to = OpId{3};
  graph.connectors[1].to = OpId{77};
  view.now.graph = std::make_shared<const Graph>(std::move(graph));
  const auto rows = ConnectorRows(view.previous, view.now);
  EXPECT_EQ(rows[0].from, "read");
  EXPECT_EQ(rows[0].to, "augment");
  EXPECT_FALSE(rows[0].to_next);
  EXPECT_EQ(rows[1].to, "") << "an op that the graph does not have";
  EXPECT_TRUE(rows[2].to_next);
  EXPECT_FALSE(rows[4].to) << "the consumer";
  EXPECT_TRUE(rows[4].to_next);
}

TEST(KnobRows, AreOfTheKnobsThatThereAreAtTheEnd) {
  const Knob before{.id = {KnobKind::kWorkers, 2}, .name = "decode.workers", .value = 1};
  Knob after = before;
  after.value = 4;
  const Knob fresh{.id = {KnobKind::kCapacity, 2}, .name = "decode.capacity", .value = 8};
  const auto rows = KnobRows({before}, {after, fresh});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].start, 1);
  EXPECT_TRUE(rows[0].changed());
  EXPECT_FALSE(rows[1].start);
  EXPECT_FALSE(rows[1].changed());
}

TEST(DecisionRows, AreTheNewestWithNamesAndGains) {
  DecisionLog log;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    Decision decision;
    decision.id = id;
    decision.at = 100s + std::chrono::seconds(id);
    decision.changes = {{{KnobKind::kWorkers, 2}, 1, 2}, {{KnobKind::kCapacity, 7}, 4, 8}};
    decision.before = {100};
    decision.predicted = {150};
    log.Add(decision);
  }
  log.Apply({3, Fate::kKept, Rate{140}});
  const auto rows = DecisionRows(log, 100s, {{.id = {KnobKind::kWorkers, 2}, .name = "decode.workers"}}, 2);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, 2u);
  EXPECT_EQ(rows[1].at, 3s);
  EXPECT_EQ(rows[1].fate, Fate::kKept);
  EXPECT_DOUBLE_EQ(*rows[1].predicted_gain, 0.5);
  EXPECT_NEAR(*rows[1].measured_gain, 0.4, 1e-9);
  EXPECT_FALSE(rows[0].measured_gain);
  EXPECT_EQ(rows[0].changes[0], (NamedChange{"decode.workers", 1, 2}));
  EXPECT_EQ(rows[0].changes[1].knob, "connector 7 capacity") << "a knob that is not known";
}

}  // namespace
}  // namespace sluice::exporters
