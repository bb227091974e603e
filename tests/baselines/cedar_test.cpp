// The arithmetic of these traces is in docs/baselines.md, "cedar".
#include <gtest/gtest.h>

#include <map>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

struct State {
  std::uint64_t rate = 100;  // per second
  std::uint64_t read_depth = 16;
  std::uint64_t decode_depth = 0;
};

// Runs loops of three seconds; what was decided, by second.
std::map<int, std::string> Loops(HandMade& plant, autotune::Controller& rule, int loops,
                                 const std::map<int, State>& from) {
  std::map<int, std::string> decided;
  EXPECT_EQ(plant.Ask(rule), "");
  for (int loop = 1; loop <= loops; ++loop) {
    const State now = std::prev(from.upper_bound(loop * 3 - 1))->second;
    plant.Pass(3, {{now.rate * 3, 1, now.read_depth}, {now.rate * 3, 1, now.decode_depth}},
               {now.rate * 3, 1});
    const std::string text = plant.Ask(rule);
    if (!text.empty()) decided[loop * 3] = text;
  }
  return decided;
}

using Decided = std::map<int, std::string>;

TEST(Cedar, AddsWorkersToTheOpWithTheLowestBufferWhileEachGivesMoreThanAPercent) {
  HandMade plant({{.name = "read"}, {.name = "decode"}}, 4);
  const auto rule = Made("cedar");
  EXPECT_EQ(
      Loops(plant, *rule, 35, {{0, {100}}, {45, {180}}, {75, {181}}}),
      (Decided{{45, "decode.workers 1->2"}, {75, "decode.workers 2->3"}, {105, "decode.workers 3->2"}}));
  ASSERT_EQ(plant.last().outcomes.size(), 1U);
  EXPECT_EQ(plant.last().outcomes[0].fate, Fate::kRolledBack);
}

TEST(Cedar, TakesAWorkerFromTheFullestBufferWhereNoSlotIsFree) {
  HandMade plant({{.name = "read", .workers = 3}, {.name = "decode"}}, 2);
  const auto rule = Made("cedar");
  EXPECT_EQ(Loops(plant, *rule, 12, {{0, {100}}}), (Decided{{30, "read.workers 3->2"}}));
  EXPECT_EQ(plant.last().verdict.op, 1U);
}

// Looks at 30, 33, ... 57 s count down from ten; the one at 60 s acts.
TEST(Cedar, ShrinksADrawnOpAtTheEleventhLookWithoutABottleneck) {
  HandMade plant({{.name = "read", .workers = 3}, {.name = "decode", .pinned = true}}, 8);
  const auto rule = Made("cedar");
  EXPECT_EQ(Loops(plant, *rule, 25, {{0, {100, 16, 16}}}), (Decided{{60, "read.workers 3->2"}}));
}

}  // namespace
}  // namespace sluice::baselines
