#include "sluice/simulator/sim_scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "simulator/scenarios.h"

namespace sluice::simulator::testing {
namespace {

struct Absurd {
  const char* what;
  void (*change)(SimScenario&);
};

SimScenario Small() {
  SimScenario s = Rows(1000);
  Burns(s, "decode", Fixed(1ms));
  Batches(s, 10);
  return s;
}

class AbsurdScenario : public ::testing::TestWithParam<Absurd> {};

TEST_P(AbsurdScenario, IsRefusedByTheNameOfTheField) {
  SimScenario s = Small();
  ASSERT_TRUE(Validate(s).has_value()) << Validate(s).error().message;
  GetParam().change(s);
  const auto valid = Validate(s);
  ASSERT_FALSE(valid.has_value());
  EXPECT_THAT(valid.error().message, ::testing::HasSubstr(GetParam().what));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Fields, AbsurdScenario,
    ::testing::Values(
        Absurd{"cores: 0 is outside", [](SimScenario& s) { s.machine.cores = 0; }},
        Absurd{"cores: nan is outside", [](SimScenario& s) { s.machine.cores = kNan; }},
        Absurd{"machine: ranks: 0", [](SimScenario& s) { s.machine.ranks = 0; }},
        Absurd{"machine: load: has 1 factors for 2 ranks",
               [](SimScenario& s) { s.machine.ranks = 2, s.machine.load = {1}; }},
        Absurd{"machine: load: 0", [](SimScenario& s) { s.machine.load = {0}; }},
        Absurd{"decode: dear_share: 1.5", [](SimScenario& s) { s.ops[1].dear_share = 1.5; }},
        Absurd{"decode: dear_factor: 0", [](SimScenario& s) { s.ops[1].dear_factor = 0; }},
        Absurd{"decode: buffer_size: 7", [](SimScenario& s) { s.ops[1].buffer = 7; }},
        Absurd{"decode: buffer_size: 0", [](SimScenario& s) { s.ops[1].kind = SimKind::kShuffle; }},
        Absurd{"op: 257 ops; 256 are possible", [](SimScenario& s) { s.ops.resize(257, s.ops[1]); }},
        Absurd{"machine: nodes: 99", [](SimScenario& s) { s.machine.nodes = 99; }},
        Absurd{"machine: remote_penalty: 0.5", [](SimScenario& s) { s.machine.remote_penalty = 0.5; }},
        Absurd{"machine: noise: -1", [](SimScenario& s) { s.machine.noise = -1; }},
        Absurd{"machine: memory: must be", [](SimScenario& s) { s.machine.memory = {-1}; }},
        Absurd{"decode: workers: 65 is outside 1..64", [](SimScenario& s) { s.ops[1].workers = 65; }},
        Absurd{"decode: min_workers: 4 is more",
               [](SimScenario& s) { s.ops[1].min_workers = 4, s.ops[1].max_workers = 3; }},
        Absurd{"decode: workers: the op is serial",
               [](SimScenario& s) { s.ops[1].serial = true, s.ops[1].workers = 2; }},
        Absurd{"decode: capacity: 0", [](SimScenario& s) { s.ops[1].capacity = 0; }},
        Absurd{"decode: burn: cv is for", [](SimScenario& s) { s.ops[1].burn.cv = 1; }},
        Absurd{"decode: burn: the mean", [](SimScenario& s) { s.ops[1].burn.mean = -1ms; }},
        Absurd{"decode: contention: -1", [](SimScenario& s) { s.ops[1].contention.kappa = -1; }},
        Absurd{"decode: read_cv", [](SimScenario& s) { s.ops[1].read_cv = kNan; }},
        Absurd{"decode: shards: -1", [](SimScenario& s) { s.ops[1].shards = -1; }},
        Absurd{"decode: startup: -", [](SimScenario& s) { s.ops[1].startup = -1s; }},
        Absurd{"decode: size: 3", [](SimScenario& s) { s.ops[1].size = 3; }},
        Absurd{"batch: size: 0", [](SimScenario& s) { s.ops[2].size = 0; }},
        Absurd{"batch: name: is taken", [](SimScenario& s) { s.ops[0].name = "batch"; }},
        Absurd{"name: may have", [](SimScenario& s) { s.ops[1].name = "a b"; }},
        Absurd{"source: count: 0", [](SimScenario& s) { s.ops[0].count = 0; }},
        Absurd{"decode: inputs: must be earlier", [](SimScenario& s) { s.ops[1].inputs = {1}; }},
        Absurd{"decode: inputs: one is possible", [](SimScenario& s) { s.ops[1].inputs = {0, 0}; }},
        Absurd{"source: more than one takes", [](SimScenario& s) { s.ops[2].inputs = {0}; }},
        Absurd{"batch: inputs: two or more",
               [](SimScenario& s) { s.ops[2].kind = SimKind::kZip, s.ops[2].size = 1; }},
        Absurd{"batch: an epoch has too few",
               [](SimScenario& s) { s.ops[2].size = 2000, s.ops[2].drop_remainder = true; }},
        Absurd{"source: kind: the first op must be",
               [](SimScenario& s) { s.ops[0].kind = SimKind::kSynthetic, s.ops[0].count = 0; }},
        Absurd{"nothing takes time", [](SimScenario& s) { s.ops[1].burn = {}; }},
        Absurd{"consumer: step: the mean", [](SimScenario& s) { s.consumer.step.mean = 2h; }},
        Absurd{"storage: parallelism: 2", [](SimScenario& s) { s.storage.parallelism = {2}; }},
        Absurd{"event 1: changes nothing", [](SimScenario& s) { s.events = {{.at = 1s}}; }},
        Absurd{"event 1: cost: 0", [](SimScenario& s) { s.events = {{.at = 1s, .cost = 0}}; }},
        Absurd{"event 1: op: there is no",
               [](SimScenario& s) { s.events = {{.at = 1s, .op = 9, .cost = 2}}; }},
        Absurd{"event 2: at: events must be",
               [](SimScenario& s) { s.events = {{.at = 2s, .cores = 1}, {.at = 1s, .cores = 2}}; }},
        Absurd{"pause", [](SimScenario& s) { s.pause = -1s; }},
        Absurd{"duration", [](SimScenario& s) { s.duration = 0s; }},
        Absurd{"source: there is no op", [](SimScenario& s) { s.ops.clear(); }}));

TEST(SimScenario, RefusesAZipOfUnequalInputs) {
  SimScenario s = Rows(10);
  SimOp& other = Add(s, "other");
  other.kind = SimKind::kRange;
  other.count = 11;
  SimOp& zip = Add(s, "zip");
  zip.kind = SimKind::kZip;
  zip.inputs = {0, 1};
  zip.burn = Fixed(1ms);
  EXPECT_THAT(Validate(s).error().message, ::testing::HasSubstr("a zip needs as many of each"));
  s.ops[1].count = 10;
  EXPECT_TRUE(Validate(s).has_value());
}

TEST(SimScenario, BecomesAGraph) {
  const Graph graph = GraphOf(Small());
  ASSERT_EQ(graph.ops.size(), 3u);
  EXPECT_EQ(graph.ops[0].kind, "range");
  EXPECT_EQ(graph.ops[2].rows_per_item, 10u);
  EXPECT_TRUE(graph.ops[1].passes_on);
  EXPECT_FALSE(graph.ops[2].passes_on) << "a batch is a copy";
  EXPECT_TRUE(graph.ops[1].reads_nothing);
  SimScenario reads = Small();
  reads.ops[0].read = {100};
  EXPECT_FALSE(GraphOf(reads).ops[0].reads_nothing);
  EXPECT_EQ(graph.connectors[1].name, "decode->batch");
  EXPECT_EQ(graph.connectors[2].name, "batch->consumer");
}

}  // namespace
}  // namespace sluice::simulator::testing
