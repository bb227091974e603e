#include "observe/phases.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

// photos -> all; drawings -> all; all -> batch; captions -> batch; batch -> consumer
Graph Album() {
  Graph graph;
  graph.ops = {{.name = "photos", .kind = "source"},
               {.name = "drawings", .kind = "source"},
               {.name = "all", .kind = "concat"},
               {.name = "captions", .kind = "source"},
               {.name = "batch", .kind = "zip"}};
  graph.connectors = {{"photos->all", OpId(0), OpId(2)},
                      {"drawings->all", OpId(1), OpId(2)},
                      {"all->batch", OpId(2), OpId(4)},
                      {"captions->batch", OpId(3), OpId(4)},
                      {"batch->consumer", OpId(4), std::nullopt}};
  return graph;
}

Interval Taking(std::vector<double> taken) {
  Interval interval;
  interval.taken = std::move(taken);
  return interval;
}

TEST(Phases, AreOneForEachInputOfAConcat) {
  const auto phases = PhasesOf(Album());
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].active, (std::vector<bool>{true, false, true, true, true}));
  EXPECT_EQ(phases[1].active, (std::vector<bool>{false, true, true, true, true}));
}

TEST(Phases, AreOneInAllWithoutAConcat) {
  Graph graph = Album();
  graph.ops[2].kind = "zip";
  EXPECT_EQ(PhasesOf(graph).size(), 1u);
  EXPECT_EQ(PhaseOf(PhasesOf(graph), Taking({1, 1, 1, 1, 1})), 0u);
}

TEST(Phases, AreToldByWhatIsTaken) {
  const auto phases = PhasesOf(Album());
  EXPECT_EQ(PhaseOf(phases, Taking({9, 0, 9, 9, 9})), 0u);
  EXPECT_EQ(PhaseOf(phases, Taking({0, 9, 9, 9, 9})), 1u);
  EXPECT_FALSE(PhaseOf(phases, Taking({4, 5, 9, 9, 9}))) << "the turn from one to the other";
  EXPECT_FALSE(PhaseOf(phases, Taking({0, 0, 0, 0, 0})));
}

TEST(Phases, CountAConcatInsideAConcat) {
  Graph graph;
  graph.ops = {{.name = "a", .kind = "source"},
               {.name = "b", .kind = "source"},
               {.name = "ab", .kind = "concat"},
               {.name = "c", .kind = "source"},
               {.name = "abc", .kind = "concat"}};
  graph.connectors = {{"", OpId(0), OpId(2)},
                      {"", OpId(1), OpId(2)},
                      {"", OpId(2), OpId(4)},
                      {"", OpId(3), OpId(4)},
                      {"", OpId(4), std::nullopt}};
  const auto phases = PhasesOf(graph);
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[2].active, (std::vector<bool>{false, false, false, true, true}));
}

}  // namespace
}  // namespace sluice::autotune
