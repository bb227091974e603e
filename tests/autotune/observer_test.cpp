#include "observe/observer.h"

#include <gtest/gtest.h>

namespace sluice::autotune::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// photos -> all, drawings -> all, all -> consumer: two phases.
struct Album {
  Album() {
    Graph graph;
    graph.ops = {{.name = "photos", .kind = "source"},
                 {.name = "drawings", .kind = "source"},
                 {.name = "all", .kind = "concat"}};
    graph.connectors = {{"photos->all", OpId(0), OpId(2)},
                        {"drawings->all", OpId(1), OpId(2)},
                        {"all->consumer", OpId(2), std::nullopt}};
    seen.graph = std::make_shared<const Graph>(graph);
    seen.at = seconds(100);
    seen.ops.resize(3);
    seen.connectors.resize(3);
    for (auto& op : seen.ops) op.workers = 1;
    seen.consumer.busy = seconds(50);
    seen.knobs.resize(1);
    seen.knobs[0].id = {KnobKind::kWorkers, 0};
    seen.knobs[0].value = seen.knobs[0].requested = 1;
  }

  // `ms` later the consumer has taken ten more items of this input, and computed all the time.
  Snapshot& After(int ms, std::size_t input) {
    seen.at += milliseconds(ms);
    for (const std::size_t i : {input, std::size_t{2}}) {
      seen.ops[i].items += 10;
      seen.ops[i].busy += milliseconds(ms);
      seen.connectors[i].pushed += 10;
      seen.connectors[i].popped += 10;
    }
    seen.consumer.items += 10;
    seen.consumer.busy += milliseconds(ms);
    return seen;
  }

  Snapshot seen;
};

TEST(Observer, LooksNoMoreOftenThanSomethingHappens) {
  Album album;
  Observer observer(album.seen, {});
  EXPECT_FALSE(observer.Observe(album.After(10, 0)));
  const auto now = observer.Observe(album.After(90, 0));
  ASSERT_TRUE(now);
  EXPECT_EQ(now->interval.consumer_items, 20) << "both";
}

TEST(Observer, TellsTheFirstTurnToAPhaseFromLaterOnes) {
  Album album;
  Observer observer(album.seen, {});
  EXPECT_EQ(observer.Observe(album.After(100, 0))->turn, Turn::kFirst);
  EXPECT_EQ(observer.Observe(album.After(100, 0))->turn, Turn::kNone);
  EXPECT_EQ(observer.Observe(album.After(100, 1))->turn, Turn::kFirst);
  EXPECT_EQ(observer.phase(), 1u);
  EXPECT_EQ(observer.Observe(album.After(100, 0))->turn, Turn::kAgain);
  EXPECT_EQ(observer.phase(), 0u);
}

TEST(Observer, TakesAMixtureOfTwoPhasesForATurn) {
  Album album;
  Observer observer(album.seen, {});
  (void)observer.Observe(album.After(100, 0));
  (void)album.After(50, 0);
  const auto mixed = observer.Observe(album.After(50, 1));
  EXPECT_EQ(mixed->interval.state, Cleanliness::kEpochTurn);
  EXPECT_EQ(mixed->turn, Turn::kNone);
}

TEST(Observer, LearnsNoCostsFromAResize) {
  Album album;
  Observer observer(album.seen, {});
  EXPECT_TRUE(observer.Observe(album.After(100, 0))->usable);
  album.seen.ops[0].workers = 2;
  album.seen.knobs[0].value = album.seen.knobs[0].requested = 2;
  EXPECT_FALSE(observer.Observe(album.After(100, 0))->usable);
}

}  // namespace
}  // namespace sluice::autotune::testing
