#include "sluice/ui/compare_view.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sluice/ui/palette.h"
#include "sluice/ui/view_json.h"
#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

ComparedRun MadeRun(double rate) {
  ComparedRun run{.scene = MadeScene(), .rate = Rate{rate}, .rates = Curve(), .length = 60s, .changes = 1};
  run.scene.watched = Watched::kRecorded;
  run.scene.from = kStart + 40s;
  run.rates.Add({0s, 60s}, rate);
  return run;
}

// B makes 80 rows/s for A's 70, which is more than noise.
ComparedPair MadePair() {
  return {.name = "jpeg",
          .sentence = "B makes 14% more rows per second than A.",
          .ratio = 80.0 / 70,
          .low = 80.0 / 70 / 1.05,
          .high = 80.0 / 70 * 1.05,
          .a = MadeRun(70),
          .b = MadeRun(80)};
}

CompareRow RowOf(const ComparedPair& pair, const std::string& about, const std::string& what) {
  for (const CompareRow& row : CompareRows(pair)) {
    if (row.about == about && row.what == what) return row;
  }
  ADD_FAILURE() << "no " << what << " of " << about;
  return {};
}

TEST(CompareRows, SayInWordsHowMuchMoreItIs) {
  const CompareRow row = RowOf(MadePair(), "consumer", "rows/s");
  EXPECT_EQ(row.a, "70/s");
  EXPECT_EQ(row.b, "80/s");
  EXPECT_EQ(row.change, "14% more");
  EXPECT_EQ(row.judged, Judged::kBetter);
  ComparedPair other = MadePair();
  other.b.rate = Rate{35};
  EXPECT_EQ(RowOf(other, "consumer", "rows/s").change, "50% less");
  EXPECT_EQ(RowOf(other, "consumer", "rows/s").judged, Judged::kWorse);
  other.b.rate = Rate{280};
  EXPECT_EQ(RowOf(other, "consumer", "rows/s").change, "4.0 times");
  other.a.rate = Rate{0};
  EXPECT_EQ(RowOf(other, "consumer", "rows/s").change, "more, from none");
  other.in_batches = true;
  EXPECT_EQ(RowOf(other, "consumer", "batches/s").b, "280/s");
}

TEST(CompareRows, CallRatesTheSameWithinTheirNoise) {
  ComparedPair pair = MadePair();
  pair.low = 0.9;
  pair.high = 80.0 / 70 * 1.3;
  EXPECT_EQ(RowOf(pair, "consumer", "rows/s").change, "the same within noise");
  EXPECT_EQ(RowOf(pair, "consumer", "rows/s").judged, Judged::kSame);
  pair.b.scene.ops[1].items = Rate{75};
  EXPECT_EQ(RowOf(pair, "decode", "items/s").judged, Judged::kSame) << "ops flow with the consumer";
  pair.low = pair.high = std::nullopt;
  EXPECT_EQ(RowOf(pair, "consumer", "rows/s").change, "14% more");
  EXPECT_EQ(RowOf(pair, "consumer", "rows/s").judged, Judged::kUnknown) << "nobody knows the noise";
}

TEST(CompareRows, JudgeEachFigureByWhatItIs) {
  ComparedPair pair = MadePair();
  pair.b.scene.consumer.starved = Fraction{0.62};
  EXPECT_EQ(RowOf(pair, "consumer", "waiting").change, "100% more");
  EXPECT_EQ(RowOf(pair, "consumer", "waiting").judged, Judged::kWorse);
  pair.b.scene.consumer.starved = Fraction{0.30};
  EXPECT_EQ(RowOf(pair, "consumer", "waiting").judged, Judged::kSame) << "a point is too little to tell";
  pair.b.scene.ops[1].items = Rate{140};
  EXPECT_EQ(RowOf(pair, "decode", "items/s").judged, Judged::kBetter);
  pair.b.scene.ops[1].busy = Fraction{0.5};
  EXPECT_EQ(RowOf(pair, "decode", "busy").judged, Judged::kNeutral);
  pair.b.scene.ops[1].p50 = 40ms;
  EXPECT_EQ(RowOf(pair, "decode", "p50").judged, Judged::kWorse);
  pair.b.scene.ops[1].p50 = 10ms;
  EXPECT_EQ(RowOf(pair, "decode", "p50").judged, Judged::kBetter);
  pair.b.scene.ops[1].p50 = 22ms;
  EXPECT_EQ(RowOf(pair, "decode", "p50").change, "about the same");
  pair.b.scene.now.ops[1].workers = 6;
  EXPECT_EQ(RowOf(pair, "decode", "workers").change, "4 more");
  EXPECT_EQ(RowOf(pair, "decode", "workers").judged, Judged::kNeutral);
  pair.b.changes = 0;
  EXPECT_EQ(RowOf(pair, "tuner", "changes").change, "1 fewer");
}

TEST(CompareRows, DoNotJudgeTimesOfAnOpThatIsHardlyEverBusy) {
  ComparedPair pair = MadePair();
  for (ComparedRun* run : {&pair.a, &pair.b}) run->scene.ops[1].busy = Fraction{0.01};
  pair.b.scene.ops[1].p50 = 40ms;
  EXPECT_EQ(RowOf(pair, "decode", "p50").judged, Judged::kNeutral);
  pair.b.scene.ops[1].busy = Fraction{0.5};
  EXPECT_EQ(RowOf(pair, "decode", "p50").judged, Judged::kWorse);
}

TEST(CompareRows, HaveADashForWhatIsNotKnown) {
  ComparedPair pair = MadePair();
  const CompareRow p99 = RowOf(pair, "decode", "p99");
  EXPECT_EQ(p99.a, "\u2013");
  EXPECT_EQ(p99.change, "\u2013");
  EXPECT_EQ(p99.judged, Judged::kUnknown);
  EXPECT_FALSE(p99.value_a);
  pair.b.scene.ops[1].p99 = 40ms;
  EXPECT_EQ(RowOf(pair, "decode", "p99").change, "\u2013") << "one of the two is not enough";
  std::swap(pair.a, pair.b);
  EXPECT_EQ(RowOf(pair, "decode", "p99").change, "\u2013") << "whichever it is";
}

TEST(CompareRows, NameKnobsThatDifferAndOpsThatOneHas) {
  ComparedPair pair = MadePair();
  const auto about = [&](const std::string& what) {
    return std::ranges::count(CompareRows(pair), what, &CompareRow::about);
  };
  EXPECT_EQ(about("knobs"), 0);
  pair.b.scene.now.knobs[0].value = 5;
  EXPECT_EQ(RowOf(pair, "knobs", "decode.workers").change, "3 more");
  pair.b.scene.now.knobs[0].name = "decode2.workers";
  EXPECT_EQ(RowOf(pair, "knobs", "decode.workers").change, "only in A");
  EXPECT_EQ(RowOf(pair, "knobs", "decode2.workers").change, "only in B");
  EXPECT_EQ(RowOf(pair, "knobs", "decode2.workers").a, "\u2013");
  Graph graph = *MadeGraph();
  graph.ops[1].name = "decode2";
  pair.b.scene.now.graph = std::make_shared<const Graph>(graph);
  EXPECT_EQ(about("decode"), 1);
  EXPECT_EQ(RowOf(pair, "decode", "op").change, "only in A");
  EXPECT_EQ(RowOf(pair, "decode2", "op").change, "only in B");
}

TEST(CompareRows, CanBeCopied) {
  const std::string text = CompareText(CompareRows(MadePair()));
  EXPECT_THAT(text,
              StartsWith("of\tfigure\tA\tB\tchange\tB is\nconsumer\trows/s\t70/s\t80/s\t14% more\tbetter\n"));
}

TEST(Headlines, SayItInAWordAndASentence) {
  Comparison comparison{.a = "a", .b = "b", .pairs = {MadePair()}};
  EXPECT_EQ(Headlines(comparison)[0].word, "MORE");
  EXPECT_EQ(Headlines(comparison)[0].sentence, MadePair().sentence);
  EXPECT_EQ(Headlines(comparison)[0].name, "") << "the header has it";
  ComparedPair& pair = comparison.pairs[0];
  pair.b.rate = Rate{20};
  EXPECT_EQ(Headlines(comparison)[0].word, "LESS");
  pair.b.rate = Rate{71};
  EXPECT_EQ(Headlines(comparison)[0].word, "WITHIN NOISE");
  pair.high.reset();
  EXPECT_EQ(Headlines(comparison)[0].word, "NOT SURE");
  pair.ratio.reset();
  EXPECT_EQ(Headlines(comparison)[0].word, "NO RATIO");
}

TEST(Headlines, NameEachOfSeveralPipelinesAndThoseOfOneRunOnly) {
  const Comparison comparison{
      .a = "a", .b = "b", .pairs = {MadePair(), MadePair()}, .only_a = {"old", "older"}, .only_b = {"new"}};
  const std::vector<Headline> lines = Headlines(comparison);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].name, "jpeg");
  EXPECT_EQ(lines[1].pair, 1u);
  EXPECT_EQ(lines[2].word, "ONLY IN A");
  EXPECT_EQ(lines[2].sentence, "old; older");
  EXPECT_FALSE(lines[2].pair);
  EXPECT_EQ(lines[3].sentence, "new");
}

TEST(Judged, IsToldByGlyphAndWordAndInAColourThatCanBeRead) {
  std::set<std::string> glyphs;
  for (int i = 0; i < static_cast<int>(Judged::kCount); ++i) {
    const auto judged = static_cast<Judged>(i);
    EXPECT_TRUE(glyphs.insert(JudgedGlyph(judged)).second) << JudgedGlyph(judged);
    for (int theme = 0; theme < static_cast<int>(Theme::kCount); ++theme) {
      for (const Paint ground : {Paint::kPanel, Paint::kBackground})
        EXPECT_GE(Contrast(ColourOf(static_cast<Theme>(theme), JudgedPaint(judged)),
                           ColourOf(static_cast<Theme>(theme), ground)),
                  4.5);
    }
  }
  EXPECT_STREQ(JudgedWord(Judged::kBetter), "better");
  EXPECT_STREQ(JudgedWord(Judged::kWorse), "worse");
  EXPECT_NE(JudgedPaint(Judged::kBetter), JudgedPaint(Judged::kWorse));
}

class ComparePage : public testing::Test {
 protected:
  static CompareView LaidOut(float scale) {
    return LayOutCompare({.a = "a.sluice", .b = "b.sluice", .pairs = {MadePair()}}, 0, {}, 1280 * scale,
                         800 * scale, scale);
  }
};

TEST_F(ComparePage, HasNoPanelOverAnotherAndNoneOutside) {
  for (const float scale : {1.0F, 2.0F}) {
    const CompareView view = LaidOut(scale);
    const Box below[] = {view.header, view.lines, view.box_a, view.table};
    for (std::size_t i = 1; i < std::size(below); ++i) EXPECT_GE(below[i].y, below[i - 1].bottom()) << i;
    EXPECT_GE(view.box_b.x, view.box_a.right());
    EXPECT_GE(view.curves.x, view.table.right());
    EXPECT_LE(view.curves.right(), 1280 * scale);
    EXPECT_LE(view.curves.bottom(), 800 * scale);
    EXPECT_LE(view.timeline.lanes.back().box.bottom(), view.curves.bottom());
  }
}

TEST_F(ComparePage, TellsBothVerdictsAndWhichIsWhich) {
  const CompareView view = LaidOut(1);
  EXPECT_THAT(view.title, testing::AllOf(HasSubstr("A  a.sluice"), HasSubstr("B  b.sluice")));
  EXPECT_EQ(view.strip_a.word, "A: INPUT-BOUND");
  EXPECT_EQ(view.strip_b.word, "B: INPUT-BOUND");
}

TEST_F(ComparePage, HasBothRatesOverOneAxisAndWithOneScale) {
  const TimelineView view = LaidOut(1).timeline;
  ASSERT_EQ(view.lanes.size(), 2u);
  const LaneView& a = view.lanes[0];
  const LaneView& b = view.lanes[1];
  EXPECT_EQ(a.name, "A");
  EXPECT_EQ(b.name, "B");
  EXPECT_EQ(a.value, "70/s");
  EXPECT_EQ(b.value, "80/s");
  EXPECT_EQ(a.top, "100/s");
  EXPECT_EQ(a.top, b.top);
  EXPECT_EQ(a.box.x, b.box.x);
  EXPECT_GE(b.box.y, a.box.bottom());
  EXPECT_LT(b.strokes[0].top - b.box.y, a.strokes[0].top - a.box.y) << "B makes more";
  ASSERT_TRUE(a.part);
  EXPECT_FLOAT_EQ(a.part->x, view.PlaceOf(40s));
  EXPECT_FLOAT_EQ(a.part->right(), view.PlaceOf(60s));
  EXPECT_FALSE(view.ticks.empty());
}

TEST_F(ComparePage, IsAsLongAsTheLongerRun) {
  Comparison comparison{.a = "a", .b = "b", .pairs = {MadePair()}};
  comparison.pairs[0].b.length = 120s;
  const TimelineView view = LayOutCompare(comparison, 0, {}, 1280, 800, 1).timeline;
  EXPECT_EQ(view.shown, (TimeRange{0s, 120s}));
  EXPECT_FLOAT_EQ(view.lanes[0].strokes.back().x, view.plot.x + std::floor(view.plot.width / 2));
}

TEST_F(ComparePage, ShowsCurvesUpToTheMomentThatIsPlayed) {
  Comparison comparison{.a = "a", .b = "b", .pairs = {MadePair()}};
  const TimelineView all = LayOutCompare(comparison, 0, {}, 1280, 800, 1).timeline;
  const TimelineView half = LayOutCompare(comparison, 0, 30s, 1280, 800, 1).timeline;
  ASSERT_TRUE(half.cursor);
  EXPECT_FLOAT_EQ(*half.cursor, half.PlaceOf(30s));
  EXPECT_LE(half.lanes[0].strokes.back().x, *half.cursor);
  EXPECT_LT(half.lanes[0].strokes.size(), all.lanes[0].strokes.size());
  EXPECT_EQ(half.lanes[0].top, all.lanes[0].top) << "the scale does not jump";
}

TEST_F(ComparePage, HasTheChangeInItsTitle) {
  EXPECT_EQ(CompareTitle({.a = "a", .b = "b", .pairs = {MadePair()}}, 0),
            "rows/s 14% more \u2013 A a, B b \u2013 jpeg \u2013 Sluice");
}

TEST(ComparisonJson, HasNullsForWhatIsNotKnown) {
  Comparison comparison{.a = "a", .b = "b", .pairs = {MadePair()}, .only_b = {"new"}};
  comparison.pairs[0].ratio = comparison.pairs[0].low = comparison.pairs[0].high = std::nullopt;
  comparison.pairs[0].a.rate.reset();
  const auto document = nlohmann::json::parse(ComparisonJson(comparison));
  EXPECT_EQ(document["format"], "sluice-comparison");
  EXPECT_EQ(document["only_in_b"], std::vector<std::string>{"new"});
  const auto& pipeline = document["pipelines"][0];
  EXPECT_TRUE(pipeline["ratio"].is_null());
  EXPECT_EQ(pipeline["word"], "NO RATIO");
  EXPECT_EQ(pipeline["a"]["strip"]["state"], "input_bound");
  EXPECT_EQ(pipeline["a"]["from_seconds"], 40);
  const auto& rate = pipeline["rows"][0];
  EXPECT_EQ(rate["a"], "\u2013");
  EXPECT_TRUE(rate["a_value"].is_null());
  EXPECT_EQ(rate["b_value"], 80);
  EXPECT_EQ(rate["b_is"], "not_known");
}

}  // namespace
}  // namespace sluice::ui
