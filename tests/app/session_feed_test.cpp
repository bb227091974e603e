#include "ui/session_feed.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "app/scripted.h"
#include "sluice/exporters/whole_session.h"

namespace sluice::app {
namespace {

// Two ranks of one run; the first, which takes twice as much, is shown where nobody asks for one.
class SessionFeedTest : public testing::Test {
 protected:
  SessionFeedTest() {
    std::vector<exporters::WholePipeline> ranks;
    for (const int rank : {0, 1}) {
      ScriptedPlant plant;
      plant.rate = 20.0 * (2 - rank);
      exporters::WholePipeline pipeline{.info = {.name = "train", .rank = rank, .pid = 70 + rank}};
      for (int i = 0; i < 30; ++i) pipeline.states.push_back({plant.Sense(), {}});
      pipeline.info.started = pipeline.states.front().now.at;
      ranks.push_back(std::move(pipeline));
    }
    const auto written = exporters::WriteWholeSession(file_, {.verb = "wrap"}, ranks, {});
    EXPECT_TRUE(written) << written.error().message;
  }
  ~SessionFeedTest() override { std::filesystem::remove(file_); }

  const std::string file_ =
      std::filesystem::temp_directory_path() / ("session_feed_" + std::to_string(getpid()) + ".sluice");
};

TEST_F(SessionFeedTest, ShowsAnotherRankInstead) {
  auto first = SessionFeed::Open(file_, "");
  ASSERT_TRUE(first) << first.error().message;
  const auto scene = (*first)->At({});
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->ranks.size(), 2U);
  EXPECT_TRUE(scene->ranks[0].shown);
  const auto second = (*first)->OpenRank(1);
  ASSERT_TRUE(second && *second);
  const auto other = (*second)->At({});
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->ranks[1].shown);
  EXPECT_NEAR(2 * other->consumer.items->per_second, scene->consumer.items->per_second, 1);
  EXPECT_EQ(*(*first)->OpenRank(2), nullptr) << "there is none";
}

}  // namespace
}  // namespace sluice::app
