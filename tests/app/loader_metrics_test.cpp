#include "loaders/loader_metrics.h"

#include <gmock/gmock.h>

namespace sluice::app {
namespace {

using ::testing::ElementsAre;

struct Named {
  std::string loader;
  std::optional<int> rank;
  int pid;
  friend bool operator==(const Named&, const Named&) = default;
};
void PrintTo(const Named& named, std::ostream* out) {
  *out << named.loader << " of " << named.rank.value_or(-1) << " in " << named.pid;
}

std::vector<Named> NamesOf(const std::vector<MeasuredLoader>& loaders) {
  std::vector<Named> names;
  for (const exporters::PipelineMetrics& metrics : MetricsOf(loaders)) {
    names.push_back({metrics.loader, metrics.rank, metrics.pid});
  }
  return names;
}

TEST(WrapMetrics, NameEachLoaderOfEachRank) {
  EXPECT_THAT(NamesOf({{"train", 0, 70}, {"train", 1, 71}, {"val", 0, 70}}),
              ElementsAre(Named{"train", 0, 70}, Named{"train", 1, 71}, Named{"val", 0, 70}));
  EXPECT_THAT(NamesOf({}), ElementsAre());
}

// A series that ends and one that goes on must not be the same one twice in a text: a scrape would fail.
TEST(WrapMetrics, LetALoaderThatIsOverMakeRoomForItsSuccessor) {
  EXPECT_THAT(NamesOf({{"train", {}, 70, true}, {"train", {}, 70, true}, {"train", {}, 71}}),
              ElementsAre(Named{"train", {}, 71}));
  EXPECT_THAT(NamesOf({{"train", {}, 70}, {"train", {}, 71, true}}), ElementsAre(Named{"train", {}, 70}));
  EXPECT_THAT(NamesOf({{"train", {}, 70, true}, {"train", {}, 71, true}}),
              ElementsAre(Named{"train", {}, 71}));
  EXPECT_THAT(NamesOf({{"train", 0, 70, true}, {"train", 1, 71}}),
              ElementsAre(Named{"train", 0, 70}, Named{"train", 1, 71}));
}

TEST(WrapMetrics, NumberThoseThatLiveAtTheSameTime) {
  EXPECT_THAT(NamesOf({{"train", {}, 70}, {"train", {}, 70}, {"train", {}, 71}}),
              ElementsAre(Named{"train", {}, 70}, Named{"train #2", {}, 70}, Named{"train #3", {}, 71}));
}

TEST(WrapMetrics, KeepTheWorkersOfEachLoader) {
  std::vector<MeasuredLoader> loaders = {{"train", 0, 70}, {"val", 0, 70}};
  loaders[0].workers = exporters::WorkerSeries{{{OpId{1}, 0, 40}}, 8};
  const auto metrics = MetricsOf(loaders);
  EXPECT_EQ(metrics[0].workers->all, loaders[0].workers->all);
  EXPECT_EQ(metrics[0].workers->most, 8u);
  EXPECT_FALSE(metrics[1].workers);
}

}  // namespace
}  // namespace sluice::app
