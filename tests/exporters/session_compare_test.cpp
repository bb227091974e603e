#include "sluice/exporters/session_compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "exporters/session_folder.h"
#include "session/settled_part.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;
using testing::Not;

class SessionCompareTest : public SessionFolderTest {
 protected:
  SessionComparison Compare(const std::string& a, const std::string& b) {
    const auto one = SessionReader::Open(In(a));
    const auto other = SessionReader::Open(In(b));
    EXPECT_TRUE(one && other);
    auto comparison = CompareSessions(*one, *other);
    EXPECT_TRUE(comparison) << comparison.error().message;
    return std::move(*comparison);
  }
  // Each tenth of a second by chance up to a third more or less.
  static std::function<double(Nanos)> Noisy(double rate, unsigned seed) {
    return [rate, random = std::mt19937(seed)](Nanos) mutable {
      return rate * std::uniform_real_distribution<double>(0.67, 1.33)(random);
    };
  }
};

constexpr std::chrono::seconds kMinute{60};

TEST_F(SessionCompareTest, SaysHowMuchMoreASecondRunMakes) {
  WriteRun(In("a"), kMinute, Noisy(1000, 1));
  WriteRun(In("b"), kMinute, Noisy(1200, 2));
  const SessionComparison comparison = Compare("a", "b");
  const RateRatio ratio = comparison.Worst().value();
  EXPECT_NEAR(ratio.value, 1.2, 0.03);
  ASSERT_TRUE(ratio.low && ratio.high);
  EXPECT_LT(*ratio.low, ratio.value);
  EXPECT_GT(*ratio.high, ratio.value);
  EXPECT_FALSE(ratio.within_noise());
  EXPECT_THAT(ComparisonText(comparison, {}), HasSubstr("more rows per second than A"));
}

// The interval's promise: of many pairs of equal runs about 95 % are told to be equal.
TEST_F(SessionCompareTest, SeldomTellsEqualRunsApart) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1000, 100);
  const auto rate = [&] {
    std::vector<double> windows(16);
    double mean = 0, squares = 0;
    for (double& window : windows) mean += (window = noise(random)) / 16;
    for (const double window : windows) squares += (window - mean) * (window - mean);
    return SettledRate{Rate{mean}, Rate{std::sqrt(squares / 15 / 16)}, 16};
  };
  int apart = 0;
  for (int i = 0; i < 2000; ++i) apart += RatioOf(rate(), rate())->within_noise() ? 0 : 1;
  EXPECT_LT(apart, 2000 * 0.07);
  EXPECT_GT(apart, 2000 * 0.02) << "an interval that is too wide says nothing";
}

TEST_F(SessionCompareTest, ComparesWhatCameAfterTheLastChange) {
  const LoggedDecision change{example::Widen(1, 20, 1, 2, "decode is busy"), Fate::kKept, Rate{9}};
  LoggedDecision advice{example::Widen(2, 55, 2, 4, "only said"), Fate::kAdvised, std::nullopt};
  advice.decision.advice = true;
  const auto rising = [](Nanos t) { return t < std::chrono::seconds(20) ? 100.0 : 1000.0; };
  WriteRun(In("a"), kMinute, [](Nanos) { return 1000.0; });
  WriteRun(In("b"), kMinute, rising, {change, advice});
  const SessionComparison comparison = Compare("a", "b");
  EXPECT_NEAR(comparison.Worst()->value, 1.0, 0.01);
  EXPECT_EQ(comparison.pipelines[0].b.changes, 1);
  EXPECT_EQ(comparison.pipelines[0].b.from, Nanos(std::chrono::seconds(20)));
}

TEST_F(SessionCompareTest, ComparesTheLastThirdOfARunThatWasChangedToItsEnd) {
  const LoggedDecision change{example::Widen(1, 59, 1, 2, "late"), Fate::kTrial, std::nullopt};
  WriteRun(In("a"), kMinute, [](Nanos) { return 1000.0; }, {change});
  const SessionComparison comparison = Compare("a", "a");
  EXPECT_NEAR(Seconds(comparison.pipelines[0].a.from), 40, 0.3);
}

TEST_F(SessionCompareTest, SaysThatShortRunsTellNoNoise) {
  WriteRun(In("a"), std::chrono::seconds(1), [](Nanos) { return 100.0; });
  const SessionComparison comparison = Compare("a", "a");
  EXPECT_FALSE(comparison.Worst()->low);
  EXPECT_THAT(ComparisonText(comparison, {}), HasSubstr("too short"));
}

TEST_F(SessionCompareTest, HasNoRatioWhereNothingFlowed) {
  WriteRun(In("a"), std::chrono::seconds(5), [](Nanos) { return 0.0; });
  WriteRun(In("b"), std::chrono::seconds(5), [](Nanos) { return 100.0; });
  const SessionComparison comparison = Compare("a", "b");
  EXPECT_FALSE(comparison.Worst());
  EXPECT_THAT(ComparisonText(comparison, {}), HasSubstr("there is no ratio"));
  EXPECT_THAT(ComparisonSentence(comparison.pipelines[0]), HasSubstr("there is no ratio"));
}

TEST_F(SessionCompareTest, MatchesPipelinesByNameAndRank) {
  const auto write = [this](const std::string& file, const std::vector<SessionPipeline>& pipelines) {
    auto writer = SessionWriter::Create(In(file), Facts(), {});
    ASSERT_TRUE(writer);
    std::vector<SessionEntry> entries;
    for (std::uint32_t i = 0; i < pipelines.size(); ++i) {
      entries.emplace_back(PipelineEntry{i + 1, pipelines[i]});
      for (const int second : {1, 2, 9})
        entries.emplace_back(
            SnapshotEntry{i + 1, example::At(std::chrono::seconds(second), 640 * (i + 1), 2), {}});
    }
    ASSERT_TRUE((*writer)->Write(entries));
  };
  write("a", {{.name = "train", .rank = 0}, {.name = "train", .rank = 1}, {.name = "old"}});
  write("b", {{.name = "train", .rank = 1}, {.name = "train", .rank = 0}, {.name = "new"}});
  const SessionComparison comparison = Compare("a", "b");
  ASSERT_EQ(comparison.pipelines.size(), 2u);
  EXPECT_EQ(comparison.pipelines[0].rank, 0);
  EXPECT_NEAR(comparison.pipelines[0].ratio->value, 2, 0.05);
  EXPECT_EQ(comparison.pipelines[0].in_a, 0u);
  EXPECT_EQ(comparison.pipelines[0].in_b, 1u);
  EXPECT_NEAR(comparison.Worst()->value, 0.5, 0.02) << "the worst of them judges";
  EXPECT_THAT(comparison.only_a, testing::ElementsAre("old"));
  EXPECT_THAT(comparison.only_b, testing::ElementsAre("new"));
  write("c", {{.name = "else"}, {.name = "other"}});
  const auto a = SessionReader::Open(In("a"));
  const auto c = SessionReader::Open(In("c"));
  ASSERT_TRUE(a && c);
  EXPECT_THAT(CompareSessions(*a, *c).error().message, HasSubstr("have no pipeline of one name"));
}

TEST_F(SessionCompareTest, TellsWhatIsSetAndWhatOpsDoOtherwise) {
  const auto write = [this](const std::string& file, int decoders) {
    auto writer = SessionWriter::Create(In(file), Facts(), {});
    ASSERT_TRUE(writer);
    std::vector<SessionEntry> entries = {PipelineEntry{1, {.name = "jpeg-train"}}};
    for (int i = 1; i <= 300; ++i)
      entries.emplace_back(
          SnapshotEntry{1, example::At(kTick * i, 400.0 * decoders, decoders), example::DecodeLimits()});
    ASSERT_TRUE((*writer)->Write(entries));
  };
  write("a", 1);
  write("b", 2);
  const std::string text = ComparisonText(Compare("a", "b"), {});
  EXPECT_THAT(text, HasSubstr("B makes 100% more rows per second than A"));
  EXPECT_THAT(text, testing::ContainsRegex("decode.workers +1 +2\n"));
  EXPECT_THAT(text, Not(HasSubstr("read.workers"))) << "what is the same is not told";
  EXPECT_THAT(text, testing::ContainsRegex("limit +op decode +op decode"));
  EXPECT_THAT(text, testing::ContainsRegex("decode +1 → 2 "));
  for (const int width : {40, 60, 100}) {
    TextStyle narrow;
    narrow.width = width;
    narrow.unicode = false;
    for (std::stringstream lines(ComparisonText(Compare("a", "b"), narrow)); !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
    }
  }
}

}  // namespace
}  // namespace sluice::exporters
