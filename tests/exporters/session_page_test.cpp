#include "sluice/exporters/session_page.h"

#include <gmock/gmock.h>

#include <limits>

#include "exporters/session_folder.h"
#include "session/svg_chart.h"
#include "session/timeline.h"

namespace sluice::exporters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SessionPageTest : public SessionFolderTest {
 protected:
  std::string PageOf(const std::string& name) {
    const auto session = SessionReader::Open(In(name));
    EXPECT_TRUE(session);
    const auto page = SessionPage(*session);
    EXPECT_TRUE(page);
    return *page;
  }
};

// Of elements that are closed by a tag of their own; false: one is not, or another one is.
bool IsBalanced(std::string_view page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    const std::string_view tag = page.substr(at + 1, end - at - 1);
    if (tag.starts_with('!') || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.emplace_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST_F(SessionPageTest, TellsVerdictCurvesOpsDecisionsAndSettings) {
  const LoggedDecision change{example::Widen(7, 20, 1, 2, "decode is <busy> & \"late\""), Fate::kKept,
                              Rate{9}};
  WriteRun(In("run"), std::chrono::seconds(60), [](Nanos) { return 800.0; }, {change});
  const std::string page = PageOf("run");
  EXPECT_TRUE(IsBalanced(page));
  EXPECT_THAT(page, HasSubstr("<h1>jpeg &quot;train&quot;</h1>"));
  EXPECT_THAT(page, HasSubstr("2027-01-15 08:00:00 UTC")) << "when it began";
  EXPECT_THAT(page, HasSubstr("decode limits the run: the consumer is starved 62% of its time"));
  EXPECT_THAT(page, HasSubstr("aria-label=\"rows per second\""));
  EXPECT_THAT(page, HasSubstr("items waiting in decode-&gt;augment"));
  EXPECT_THAT(page, HasSubstr("decode is &lt;busy&gt; &amp; &quot;late&quot;"));
  EXPECT_THAT(page, HasSubstr("<title>7: decode.workers 1 → 2 (kept)</title>"));
  EXPECT_THAT(
      page,
      HasSubstr("<td class=\"left\">augment.workers</td><td>1</td><td>1</td><td>1..16</td><td>held</td>"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_EQ(page, PageOf("run")) << "the same session gives the same page";
}

TEST_F(SessionPageTest, TakesNothingFromElsewhere) {
  WriteRun(In("run"), std::chrono::seconds(5), [](Nanos) { return 800.0; });
  const std::string page = PageOf("run");
  for (const char* foreign : {"http:", "https:", "src=", "href=", "<script", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
}

TEST_F(SessionPageTest, IsAPageWhereAlmostNothingWasRecorded) {
  WriteRun(In("run"), Nanos(0), [](Nanos) { return 0.0; });
  const std::string page = PageOf("run");
  EXPECT_TRUE(IsBalanced(page));
  EXPECT_THAT(page, HasSubstr("Nothing was changed."));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf")));
}

TEST_F(SessionPageTest, CurvesShowWhatHappenedWhen) {
  const auto stepping = [](Nanos t) { return t < std::chrono::seconds(30) ? 160.0 : 1600.0; };
  WriteRun(In("run"), std::chrono::seconds(60), stepping);
  const auto session = SessionReader::Open(In("run"));
  ASSERT_TRUE(session);
  const auto timeline = MeasureTimeline(*session, 0, 60);
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->rate.size(), 60u);
  EXPECT_NEAR(timeline->rate[10].value.value(), 160, 10);
  EXPECT_NEAR(timeline->rate[50].value.value(), 1600, 10);
  EXPECT_EQ(timeline->rate.back().until, timeline->length);
  EXPECT_NEAR(timeline->starved[5].value.value(), 0.62, 0.01);
  ASSERT_EQ(timeline->connectors.size(), 5u);
  EXPECT_NEAR(timeline->connectors[0].curve[5].value.value(), 16, 0.1);
  EXPECT_TRUE(timeline->knobs.empty()) << "none has changed";
}

TEST(SvgChart, DrawsALineWithGaps) {
  const Chart chart{.title = "a < b",
                    .curve = {{std::chrono::seconds(0), 0.0},
                              {std::chrono::seconds(5), 4.0},
                              {std::chrono::seconds(7), std::nullopt},
                              {std::chrono::seconds(10), 2.0}},
                    .length = std::chrono::seconds(10)};
  const std::string svg = ChartSvg(chart, {{std::chrono::seconds(5), "3", "3: \"more\""}});
  EXPECT_THAT(svg, HasSubstr("d=\"M64.0 140.0L476.0 30.0M888.0 85.0\""));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"a &lt; b\""));
  EXPECT_THAT(svg, HasSubstr("<title>3: &quot;more&quot;</title><line class=\"mark\" x1=\"476.0\""));
}

TEST(SvgChart, DrawsStepsForWhatHoldsUntilItChanges) {
  const Chart chart{.title = "decode.workers",
                    .curve = {{Nanos(0), 1.0}, {std::chrono::seconds(5), 2.0}},
                    .length = std::chrono::seconds(10),
                    .steps = true};
  EXPECT_THAT(ChartSvg(chart, {}), HasSubstr("d=\"M64.0 85.0L476.0 85.0L476.0 30.0\""));
}

TEST(SvgChart, HasRoundTicks) {
  EXPECT_THAT(RoundTicks(10, 4), ElementsAre(0, 5, 10));
  EXPECT_THAT(RoundTicks(3, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(RoundTicks(1230, 4), ElementsAre(0, 500, 1000, 1500));
  EXPECT_THAT(RoundTicks(0, 4), ElementsAre(0, 1));
  EXPECT_THAT(RoundTicks(std::numeric_limits<double>::quiet_NaN(), 4), ElementsAre(0, 1));
}

}  // namespace
}  // namespace sluice::exporters
