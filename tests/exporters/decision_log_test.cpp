#include "sluice/exporters/decision_log.h"

#include <gmock/gmock.h>

#include "comma_locale.h"
#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const std::vector<Knob> kKnobs = {{{KnobKind::kWorkers, 2}, "decode.workers"}};

LoggedDecision Measured() {
  return {example::Widen(7, 3.2, 1, 2, "decode is busy 99%"), Fate::kKept, Rate{11.1}};
}

TEST(DecisionLog, GivesADecisionTheFateThatALaterOneReports) {
  const DecisionLog log = example::Decisions();
  ASSERT_EQ(log.entries().size(), 3U);
  EXPECT_EQ(log.entries()[0].fate, Fate::kKept);
  EXPECT_EQ(log.entries()[0].measured, Rate{11.1});
  EXPECT_EQ(log.entries()[1].fate, Fate::kRolledBack);
  EXPECT_EQ(log.entries()[2].fate, Fate::kKept) << "a user's change is not on trial";
}

TEST(DecisionLog, TakesOutcomesFromADecisionThatChangesNothing) {
  DecisionLog log;
  log.Add(example::Widen(1, 1, 1, 2, ""));
  EXPECT_EQ(log.entries()[0].fate, Fate::kTrial);
  Decision nothing;
  nothing.outcomes = {{1, Fate::kKept, Rate{9}}, {99, Fate::kKept, {}}};
  log.Add(nothing);
  ASSERT_EQ(log.entries().size(), 1U);
  EXPECT_EQ(log.entries()[0].fate, Fate::kKept);
}

TEST(DecisionLog, HoldsADecisionOnceHoweverOftenItIsAdded) {
  DecisionLog log;
  log.Add(example::Widen(1, 1, 1, 2, ""));
  log.Apply({1, Fate::kRolledBack, Rate{3}});
  log.Add(example::Widen(1, 1, 1, 2, ""));
  ASSERT_EQ(log.entries().size(), 1U);
  EXPECT_EQ(log.entries()[0].fate, Fate::kRolledBack);
  log.Put(Measured());
  log.Put(Measured());
  EXPECT_EQ(log.entries().size(), 2U);
}

TEST(DecisionLog, KnowsWhatNobodyHasJudgedYet) {
  DecisionLog log;
  EXPECT_EQ(log.OnTrial(), nullptr);
  Decision grow;
  grow.id = 1;
  grow.changes = {{{KnobKind::kWorkers, 0}, 4, 5}};
  log.Add(grow);
  ASSERT_NE(log.OnTrial(), nullptr);
  EXPECT_EQ(log.OnTrial()->changes, grow.changes);
  Decision undo;
  undo.id = 2;
  undo.changes = {{{KnobKind::kWorkers, 0}, 5, 4}};
  undo.outcomes = {{1, Fate::kRolledBack, Rate{3}}};
  log.Add(undo);
  EXPECT_EQ(log.OnTrial(), nullptr) << "what is taken back stays so";
  grow.id = 3;
  log.Add(grow);
  log.Apply({3, Fate::kKept, Rate{5}});
  EXPECT_EQ(log.OnTrial(), nullptr);
}

TEST(DecisionLog, StartsAdviceAsAdvised) {
  Decision advice = example::Widen(1, 1, 1, 2, "");
  advice.advice = true;
  DecisionLog log;
  log.Add(advice);
  EXPECT_EQ(log.entries()[0].fate, Fate::kAdvised);
}

TEST(DecisionLine, TellsTimeChangeReasonAndBothGains) {
  const CommaLocale commas;
  EXPECT_EQ(DecisionLine(Measured(), example::kStart, kKnobs),
            "3.2s  decode.workers 1 → 2  kept  predicted +95%  measured +88%  because decode is busy 99%");
  TextStyle ascii;
  ascii.unicode = false;
  EXPECT_THAT(DecisionLine(Measured(), example::kStart, kKnobs, ascii), HasSubstr("1 -> 2"));
}

TEST(DecisionLine, ShowsAMissingGainAsADashAndAnUnknownKnobByNumber) {
  LoggedDecision entry = Measured();
  entry.measured.reset();
  entry.decision.before = {};
  const std::string line = DecisionLine(entry, example::kStart, {});
  EXPECT_THAT(line, HasSubstr("op 2 workers 1 → 2"));
  EXPECT_THAT(line, HasSubstr("predicted –  measured –"));
}

TEST(DecisionLine, SaysOfADecisionWithoutAChangeThatItHasNone) {
  LoggedDecision entry = Measured();
  entry.decision.changes.clear();
  EXPECT_THAT(DecisionLine(entry, example::kStart, kKnobs), HasSubstr("  no change  kept  "));
}

TEST(DecisionLine, StaysOneLineWhateverTheReasonHolds) {
  LoggedDecision entry = Measured();
  entry.decision.because = "two\nlines \x1b[31m and \xff";
  const std::string line = DecisionLine(entry, example::kStart, kKnobs);
  EXPECT_EQ(line.find_first_of("\n\x1b"), std::string::npos);
}

TEST(DecisionJson, ComesBackAsTheSameDecision) {
  const CommaLocale commas;
  const LoggedDecision entry = Measured();
  const auto back = ParseDecisionJson(DecisionJson(entry));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->decision.id, entry.decision.id);
  EXPECT_EQ(back->decision.at, entry.decision.at);
  EXPECT_EQ(back->decision.changes, entry.decision.changes);
  EXPECT_EQ(back->decision.because, entry.decision.because);
  EXPECT_EQ(back->decision.before, entry.decision.before);
  EXPECT_EQ(back->decision.predicted, entry.decision.predicted);
  EXPECT_EQ(back->fate, entry.fate);
  EXPECT_EQ(back->measured, entry.measured);
}

class LongDecision : public testing::TestWithParam<std::string> {};

TEST_P(LongDecision, FitsItsRingRecordAndStaysReadable) {
  LoggedDecision entry = Measured();
  entry.decision.id = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 200; ++i) entry.decision.because += GetParam();
  for (std::uint32_t i = 0; i < 40; ++i) {
    entry.decision.changes.push_back({{KnobKind::kCapacity, 4'000'000'000}, -9'000'000'000, 1});
  }
  const std::string json = DecisionJson(entry);
  EXPECT_LE(json.size(), kDecisionJsonBytes);
  const auto back = ParseDecisionJson(json);
  ASSERT_TRUE(back.has_value()) << json;
  EXPECT_EQ(back->decision.changes[0], entry.decision.changes[0]);
  EXPECT_FALSE(back->decision.because.empty());
}

INSTANTIATE_TEST_SUITE_P(Texts, LongDecision,
                         testing::Values("busy ", "\"\\", "\n", "日本", "\xff\xc3", "é€"));

Verdict DecodeLimits() {
  return {Limit::kOp, 2, "decode limits the run: 2 workers busy 99%; give it more", {0.912345}};
}

TEST(VerdictRecordJson, TellsWhatLimitsTheRunAndIsNoDecision) {
  const CommaLocale commas;
  const std::string json = VerdictRecordJson(DecodeLimits(), example::At(seconds(4), 0, 1));
  EXPECT_EQ(
      json,
      R"({"verdict":{"limit":"op","op":"decode",)"
      R"("sentence":"decode limits the run: 2 workers busy 99%; give it more","confidence_fraction":0.9123}})");
  EXPECT_FALSE(ParseDecisionJson(json)) << "whoever knows decisions only leaves it out";
  EXPECT_EQ(SentenceOfVerdict(json), "decode limits the run: 2 workers busy 99%; give it more");
  for (const char* none : {"", "[]", "{}", R"({"verdict":1})", R"({"verdict":{"sentence":1}})"})
    EXPECT_FALSE(SentenceOfVerdict(none)) << none;
  EXPECT_FALSE(SentenceOfVerdict(std::string(100'000, '[')));
}

TEST_P(LongDecision, AVerdictFitsAsWell) {
  Verdict verdict = DecodeLimits();
  for (int i = 0; i < 200; ++i) verdict.sentence += GetParam();
  const std::string json = VerdictRecordJson(verdict, example::At(seconds(4), 0, 1));
  EXPECT_LE(json.size(), kDecisionJsonBytes);
  EXPECT_THAT(json, HasSubstr("decode limits the run: 2 workers busy 99%"));
  EXPECT_THAT(json, HasSubstr("confidence_fraction"));
  EXPECT_EQ(VerdictRecordJson({}, {}),
            R"({"verdict":{"limit":"unknown","op":null,"sentence":"","confidence_fraction":0.0}})");
}

TEST(DecisionJson, RefusesWhatIsNoDecision) {
  for (const char* text :
       {"", "{", "[]", "null", "{}", R"({"id":0,"at_ns":1,"author":0,"fate":0,"changes":[]})",
        R"({"id":1,"at_ns":1,"author":2,"fate":0,"changes":[]})",
        R"({"id":1,"at_ns":1,"author":0,"fate":9,"changes":[]})", R"({"id":1,"at_ns":1,"author":0,"fate":0})",
        R"({"id":1,"at_ns":1,"author":0,"fate":0,"changes":[[0,1,2]]})",
        R"({"id":1,"at_ns":1,"author":0,"fate":0,"changes":[[7,1,2,3]]})",
        R"({"id":1,"at_ns":99999999999999999999,"author":0,"fate":0,"changes":[]})",
        R"({"id":1,"at_ns":18446744073709551615,"author":0,"fate":0,"changes":[]})",
        R"({"id":1.5,"at_ns":1,"author":0,"fate":0,"changes":[]})"}) {
    EXPECT_FALSE(ParseDecisionJson(text).has_value()) << text;
  }
  EXPECT_FALSE(ParseDecisionJson(std::string(100'000, '[')).has_value());
}

}  // namespace
}  // namespace sluice::exporters
