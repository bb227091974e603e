#include "loaders/loader_plant.h"

#include <gtest/gtest.h>

#include "probes/segment_fixture.h"

namespace sluice::app {
namespace {

class LoaderPlantTest : public testing::Test {
 protected:
  probes::SegmentWriter segment_{
      probes::PrivateSegment(), probes::SmallGraph(), probes::SmallKnobs(), {4, 512_MiB}};
  LoaderPlant plant_{
      probes::Sampler(std::move(*probes::SegmentReader::Over(segment_.bytes())), {.cores = 4, .memory = {}}),
      std::move(*probes::KnobRequester::Over(segment_.bytes()))};
};

TEST_F(LoaderPlantTest, TheControllerSeesItsShareOfTheHost) {
  const double all = plant_.Sense().budget.cores;
  plant_.Grant(0.5 * all, 100_MiB);
  EXPECT_EQ(plant_.Sense().budget, (Budget{0.5 * all, 100_MiB}));
  EXPECT_EQ(plant_.process_cores(), all) << "whatever was granted";
  plant_.Grant(100 * all, 100_MiB);
  EXPECT_EQ(plant_.Sense().budget.cores, all) << "never more than there is";
}

TEST_F(LoaderPlantTest, AShareThatWaversByLittleStaysAsItIs) {
  plant_.Grant(1, 100_MiB);
  plant_.Grant(1.05, 95_MiB);
  EXPECT_EQ(plant_.Sense().budget.memory, 100_MiB);
  plant_.Grant(1, 80_MiB);
  EXPECT_EQ(plant_.Sense().budget.memory, 80_MiB);
}

TEST_F(LoaderPlantTest, AWorkersMemoryIsThatOfTheOpWithAKnobForThem) {
  plant_.NoteWorkerMemory(7_MiB);
  const Snapshot seen = plant_.Sense();
  EXPECT_EQ(seen.ops[1].worker_memory, 7_MiB);
  EXPECT_EQ(seen.ops[0].worker_memory, Bytes{0});
}

TEST_F(LoaderPlantTest, DecisionsGoOnBehindThoseThatAreThere) {
  plant_.LogDecision(MonoTime{1}, "first");
  auto another = probes::KnobRequester::Over(segment_.bytes());
  ASSERT_TRUE(another->LogDecision(MonoTime{2}, "second"));
  const auto lines = plant_.reader().Decisions();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "first");
  EXPECT_EQ(lines[1].text, "second");
}

Snapshot At(int seconds) {
  Snapshot seen;
  seen.at = std::chrono::seconds(seconds);
  seen.ops.resize(2);
  seen.connectors.resize(1);
  return seen;
}

TEST(ClaimOf, TellsTheWorkersFromTheTrainer) {
  Snapshot from = At(0), to = At(2);
  to.ops[1].on_cpu = std::chrono::seconds(3);
  to.process_cpu = std::chrono::seconds(4);
  to.consumer.busy = std::chrono::seconds(1);
  to.connectors[0].bytes = Bytes{500};
  const autotune::Claim claim = ClaimOf(from, to, 42);
  EXPECT_EQ(claim.process, 42);
  EXPECT_TRUE(claim.active);
  EXPECT_DOUBLE_EQ(claim.worker_cores, 1.5);
  EXPECT_DOUBLE_EQ(claim.process_cores, 0.5);
  EXPECT_EQ(claim.held, Bytes{500});
}

TEST(ClaimOf, ALoaderThatNobodyAsksRests) {
  EXPECT_FALSE(ClaimOf(At(0), At(2), 1).active);
  EXPECT_FALSE(ClaimOf(At(2), At(2), 1).active) << "no time has passed";
}

}  // namespace
}  // namespace sluice::app
