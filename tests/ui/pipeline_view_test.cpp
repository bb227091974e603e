#include "sluice/ui/pipeline_view.h"

#include <gmock/gmock.h>

#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr Box kRoom{10, 100, 1200, 260};

TEST(PlanGraph, PutsOpsInColumnsInTheOrderOfTheDatasWay) {
  const GraphPlan plan = PlanGraph(*MadeGraph());
  EXPECT_EQ(plan.ops, (std::vector<Seat>{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_EQ(plan.consumer, (Seat{3, 0}));
}

// images and labels are read side by side; one way is longer.
TEST(PlanGraph, StandsBranchesBesideEachOtherAndAJoinBehindTheLongerOne) {
  const Graph graph{.ops = {{"images", "source"}, {"labels", "source"}, {"decode", "map"}, {"zip", "zip"}},
                    .connectors = {{"images->decode", OpId{0}, OpId{2}},
                                   {"labels->zip", OpId{1}, OpId{3}},
                                   {"decode->zip", OpId{2}, OpId{3}},
                                   {"zip->consumer", OpId{3}, std::nullopt}}};
  EXPECT_EQ(PlanGraph(graph).ops, (std::vector<Seat>{{0, 0}, {0, 1}, {1, 0}, {2, 0}}));
}

TEST(PlanGraph, SurvivesConnectorsThatMakeNoSense) {
  const Graph graph{
      .ops = {{"a", "source"}, {"b", "map"}},
      .connectors = {{"back", OpId{1}, OpId{0}}, {"out", OpId{0}, OpId{9}}, {"in", OpId{7}, OpId{1}}}};
  EXPECT_EQ(PlanGraph(graph).ops.size(), 2u);
  Scene scene = MadeScene();
  scene.now.graph = std::make_shared<const Graph>(graph);
  EXPECT_TRUE(LayOutPipeline(scene, MadeTrack(), {}, kRoom, 1).edges.empty());
}

TEST(LayOutPipeline, MarksTheLimitingOpByGlyphAndWord) {
  const PipelineView view = LayOutPipeline(MadeScene(), MadeTrack(), MadeTrack().all, kRoom, 1);
  ASSERT_EQ(view.nodes.size(), 4u);
  EXPECT_EQ(view.nodes[1].mark, "\u26A0 limits the run");
  EXPECT_EQ(view.nodes[0].mark, "");
  EXPECT_EQ(view.nodes[1].workers, "2 workers \u2192 3");
}

TEST(LayOutPipeline, SplitsTheTimeOfAnOpAlongItsBar) {
  const NodeView node = LayOutPipeline(MadeScene(), MadeTrack(), MadeTrack().all, kRoom, 1).nodes[1];
  ASSERT_EQ(node.time.size(), 4u);
  EXPECT_STREQ(node.time[0].word, "on CPU");
  EXPECT_STREQ(node.time[1].word, "queues for a core");
  EXPECT_STREQ(node.time[3].word, "starved");
  for (std::size_t i = 1; i < node.time.size(); ++i)
    EXPECT_FLOAT_EQ(node.time[i].box.x, node.time[i - 1].box.right());
  EXPECT_LE(node.time.back().box.right(), node.box.right());
  EXPECT_THAT(NodeTip(MadeScene(), node), Contains(HasSubstr("18% queues for a core")));
}

TEST(LayOutPipeline, DrawsBusyWhereItIsNotKnownWhatOfItWasOnACore) {
  const NodeView node = LayOutPipeline(MadeScene(), MadeTrack(), MadeTrack().all, kRoom, 1).nodes[0];
  ASSERT_EQ(node.time.size(), 2u);
  EXPECT_STREQ(node.time[0].word, "busy");
}

TEST(LayOutPipeline, SaysWhatTheColoursOfItsBarsStandFor) {
  const PipelineView view = LayOutPipeline(MadeScene(), MadeTrack(), MadeTrack().all, kRoom, 1);
  std::vector<std::string> words;
  words.reserve(view.legend.size());
  for (const LegendView& each : view.legend) words.emplace_back(each.word);
  EXPECT_THAT(words,
              testing::ElementsAre("on CPU", "queues for a core", "off CPU", "busy", "starved", "backed up"));
}

TEST(LayOutPipeline, TheLegendIsBelowTheOpsHoweverLittleRoomThereIs) {
  for (const float high : {30.0F, 100.0F, 600.0F}) {
    const Box room{10, 20, 1200, high};
    const PipelineView view = LayOutPipeline(MadeScene(), MadeTrack(), MadeTrack().all, room, 2);
    for (const LegendView& each : view.legend) {
      for (const NodeView& node : view.nodes) EXPECT_GE(each.text.y, node.box.bottom()) << high;
      EXPECT_LE(each.text.bottom(), view.area.bottom()) << high;
    }
  }
}

TEST(LayOutPipeline, ShowsHowFullAConnectorIsNowAndOverTime) {
  const PipelineView view = LayOutPipeline(MadeScene(), MadeTrack(), MadeTrack().all, kRoom, 1);
  ASSERT_EQ(view.edges.size(), 3u);
  EXPECT_EQ(view.edges[0].label, "6/8");
  EXPECT_DOUBLE_EQ(view.edges[0].fill->value, 0.75);
  EXPECT_FLOAT_EQ(view.edges[0].filled.width, 0.75F * view.edges[0].gauge.width);
  EXPECT_FALSE(view.edges[1].history.empty());
  EXPECT_FALSE(view.edges[2].fill) << "not known is not empty";
}

TEST(LayOutPipeline, TellsExactFiguresOfWhatIsPointedAt) {
  const Scene scene = MadeScene();
  const PipelineView view = LayOutPipeline(scene, MadeTrack(), MadeTrack().all, kRoom, 1);
  EXPECT_THAT(NodeTip(scene, view.nodes.back()), Contains(HasSubstr("waits 31% of its time")));
  EXPECT_THAT(EdgeTip(scene, view.edges[0]), Contains(HasSubstr("6 of 8 items wait now")));
  EXPECT_THAT(EdgeTip(scene, view.edges[0]), Contains("6 items on average"));
}

TEST(LayOutPipeline, NeedsMoreRoomRatherThanOverlap) {
  Scene scene = MadeScene();
  Graph graph;
  for (std::uint32_t i = 0; i < 64; ++i) {
    graph.ops.push_back({"op" + std::to_string(i), "map"});
    graph.connectors.push_back({"c", OpId{i}, i < 63 ? std::optional(OpId{i + 1}) : std::nullopt});
  }
  scene.now.graph = std::make_shared<const Graph>(graph);
  const PipelineView view = LayOutPipeline(scene, MadeTrack(), MadeTrack().all, kRoom, 2);
  EXPECT_GT(view.area.width, kRoom.width);
  for (std::size_t i = 1; i < view.nodes.size(); ++i)
    EXPECT_GT(view.nodes[i].box.x, view.nodes[i - 1].box.right());
}

}  // namespace
}  // namespace sluice::ui
