#include "sluice/evaluation/starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluation/written_runs.h"

namespace sluice::evaluation::testing {
namespace {

using simulator::SimScenario;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

// On 16 cores for two ranks, where the optimum needs 1, 3, 1 and 1 workers: `work` has a range, `merge` is
// serial and `pack` is held by the user.
SimScenario Pipeline() {
  SimScenario scenario = Work();
  scenario.machine.cores = 16;
  scenario.machine.ranks = 2;
  scenario.consumer.step.mean = std::chrono::milliseconds(4);
  scenario.ops[0].workers = 2;
  scenario.ops[1].workers = 5;
  scenario.ops[1].min_workers = 2;
  scenario.ops[1].max_workers = 10;
  scenario.ops.push_back({.name = "merge", .kind = simulator::SimKind::kSynthetic, .serial = true});
  scenario.ops.push_back(
      {.name = "pack", .kind = simulator::SimKind::kSynthetic, .workers = 3, .pin_workers = true});
  return scenario;
}

SimScenario From(std::string_view start, const SimScenario& scenario) {
  return StartedAt(StartsNamed(start)->front(), scenario, simulator::ReachableOptima(scenario).front());
}

std::vector<int> WorkersFrom(std::string_view start, const SimScenario& scenario) {
  std::vector<int> workers;
  for (const simulator::SimOp& op : From(start, scenario).ops) workers.push_back(op.workers);
  return workers;
}

TEST(Starts, SetWorkersWithinTheirRangeAndLeaveThoseThatAreNoKnob) {
  EXPECT_THAT(WorkersFrom("file", Pipeline()), ElementsAre(2, 5, 1, 3));
  EXPECT_THAT(WorkersFrom("one", Pipeline()), ElementsAre(1, 2, 1, 3));
  EXPECT_THAT(WorkersFrom("cores", Pipeline()), ElementsAre(8, 8, 1, 3));
  EXPECT_THAT(WorkersFrom("fourfold", Pipeline()), ElementsAre(4, 10, 1, 3));
}

TEST(Starts, OfLessThanACoreAreOneWorker) {
  SimScenario scenario = Pipeline();
  scenario.machine.cores = 0.5;
  EXPECT_EQ(WorkersFrom("cores", scenario)[0], 1);
}

TEST(Starts, LeaveAScenarioThatIsValidWithItsBuffersAndItsName) {
  for (const Start& start : Starts()) {
    const SimScenario begun = From(start.name, Pipeline());
    EXPECT_TRUE(simulator::Validate(begun).has_value()) << start.name;
    EXPECT_EQ(begun.name, "work") << start.name;
    for (const simulator::SimOp& op : begun.ops) EXPECT_EQ(op.capacity, 16) << start.name;
  }
}

TEST(RandomStart, IsTheSameForTheSameSeedAndDiffersByOp) {
  SimScenario scenario = Work();
  EXPECT_EQ(WorkersFrom("random", scenario), WorkersFrom("random", scenario));
  int different = 0;
  for (scenario.seed = 1; scenario.seed <= 100; ++scenario.seed) {
    const auto workers = WorkersFrom("random", scenario);
    different += workers[0] != workers[1] ? 1 : 0;
  }
  EXPECT_GT(different, 80);
}

// On eight cores from 1 to 32, of which the middle is sqrt(32).
TEST(RandomStart, IsLogUniformUpToFourWorkersPerCore) {
  SimScenario scenario = Work();
  int below = 0, most = 0;
  for (scenario.seed = 1; scenario.seed <= 400; ++scenario.seed) {
    const int workers = WorkersFrom("random", scenario)[1];
    ASSERT_GE(workers, 1) << "seed " << scenario.seed;
    ASSERT_LE(workers, 32) << "seed " << scenario.seed;
    below += workers < std::sqrt(32.0) ? 1 : 0;
    most = std::max(most, workers);
  }
  EXPECT_NEAR(below, 200, 40);
  EXPECT_GE(most, 30);
}

TEST(StartsNamed, AreEachOnceInOneOrder) {
  const auto starts = StartsNamed("random,one,random,file");
  ASSERT_TRUE(starts.has_value());
  EXPECT_THAT(*starts, ElementsAre(Field(&Start::name, "file"), Field(&Start::name, "one"),
                                   Field(&Start::name, "random")));
}

TEST(StartsNamed, RefuseTheUnknownAndTheEmpty) {
  EXPECT_THAT(StartsNamed("one,core").error().message, HasSubstr("no start 'core'; did you mean 'cores'?"));
  EXPECT_THAT(StartsNamed("").error().message, HasSubstr("there is no start ''"));
}

}  // namespace
}  // namespace sluice::evaluation::testing
