#include "sluice/exporters/sim_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace sluice::exporters {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Two workers instead of one, and that was right.
SimReport OneMove() {
  SimReport report{.scenario = "slow", .summary = "one slow op", .controller = "one"};
  report.seconds = 20;
  report.items = 3900;
  report.final_share = 0.997;
  report.oracle_final_share = 1;
  report.ops = {"list", "work"};
  report.knobs = {{.id = {KnobKind::kWorkers, 1}, .name = "work.workers", .value = 1}};
  report.optima = {{.rate = {200}, .limit = Limit::kConsumer, .workers = {1, 2}, .cores = 2}};
  report.settings = {{"work.workers", 1, 2, 3}};
  report.scores = {
      {"final_share", "of the optimum, at the end", 3, 0.997, 1.0},
      {"shift_seconds", "until a change was met", 1, std::nullopt, std::nullopt},
      {"t95_seconds", "until 95 % were reached", 1, std::numeric_limits<double>::infinity(), 0.2}};
  StoryEntry move{.at = 200ms, .kind = StoryKind::kDecision};
  move.measured = {
      .rate = {100}, .starved = Fraction{0.5}, .cores = 1.5, .buffered = 2_KiB, .optimum = {200}};
  move.decision.id = 1;
  move.decision.changes = {{{KnobKind::kWorkers, 1}, 1, 2}};
  move.decision.because = "work is busy";
  move.decision.before = {100};
  move.decision.predicted = {200};
  StoryEntry kept{.at = 2s, .kind = StoryKind::kOutcome};
  kept.outcome = {1, Fate::kKept, Rate{199.5}};
  StoryEntry verdict{.at = 3s, .kind = StoryKind::kVerdict};
  verdict.decision.verdict = {.limit = Limit::kOp, .op = 1, .sentence = "work is slow", .confidence = {0.9}};
  StoryEntry event{.at = 4s, .kind = StoryKind::kEvent};
  event.optimum = {.from = 4s, .rate = {50}, .limit = Limit::kSerialOp, .op = "work", .workers = {1, 1}};
  report.story = {move, kept, verdict, event};
  report.ticks = {
      {.at = 200ms, .items = 20, .core_seconds = 0.2, .workers = 2, .limit = Limit::kOp, .op = "work"}};
  return report;
}

constexpr const char* kTrace =
    "     0.2s  #1 work.workers 1 -> 2\n"
    "            measured 100 items/s, 0.50 of the optimum; consumer starved 50%; 1.50 cores; 2.00 KiB "
    "buffered\n"
    "            because work is busy\n"
    "            predicted 200 items/s (+100%)\n"
    "     2.0s  #1 kept, 199.5 items/s measured\n"
    "     3.0s  verdict: op work: work is slow\n"
    "     4.0s  event: the optimum is now 50 items/s, limited by the serial op work\n";

TEST(TraceText, TellsWhatWasMeasuredChangedAndWhyPredictedAndWhatBecameOfIt) {
  TextStyle style;
  style.unicode = false;
  EXPECT_EQ(TraceText(OneMove(), style), kTrace);
}

TEST(TraceText, SaysSoWhereNothingHappened) {
  EXPECT_THAT(TraceText({}, {}), HasSubstr("nothing was changed and nothing was said"));
}

TEST(SummaryText, PutsTheRunBesideTheOptimumAndTheOracle) {
  EXPECT_EQ(SummaryText(OneMove()),
            "slow, controller one, seed 1\n"
            "one slow op\n"
            "  optimum from 0 s: 200 items/s, limited by the consumer, 2.00 cores\n"
            "  this run: 3900 items in 20 s, 195 items/s; 0.997 of the optimum at the end (the oracle's run: "
            "1.000)\n"
            "\n"
            "  setting        start     end  oracle\n"
            "  work.workers       1       2       3\n"
            "\n"
            "  final_share              0.997  of the optimum, at the end\n"
            "  shift_seconds                -  until a change was met\n"
            "  t95_seconds              never  until 95 % were reached\n");
}

TEST(SimJson, HasStorySettingsScoresAndTicks) {
  const auto json = nlohmann::json::parse(SimJson(OneMove()));
  EXPECT_EQ(json["format"], "sluice-simulation");
  EXPECT_EQ(json["format_version"], kSimFormatVersion);
  EXPECT_EQ(json["controller"], "one");
  EXPECT_EQ(json["items"], 3900);
  ASSERT_EQ(json["story"].size(), 4u);
  EXPECT_EQ(json["story"][0]["decision"]["changes"][0]["knob"], "work.workers");
  EXPECT_EQ(json["story"][1]["outcome"]["fate"], "kept");
  EXPECT_EQ(json["story"][2]["verdict"]["op"], "work");
  EXPECT_EQ(json["story"][3]["event"]["limit"], "serial_op");
  EXPECT_EQ(json["scores"]["final_share"], 0.997);
  EXPECT_TRUE(json["scores"]["shift_seconds"].is_null());
  EXPECT_TRUE(json["scores"]["t95_seconds"].is_null());
  EXPECT_EQ(json["oracle_scores"]["t95_seconds"], 0.2);
  EXPECT_EQ(json["optimum"][0]["limit"], "consumer");
  EXPECT_TRUE(json["optimum"][0]["op"].is_null());
  EXPECT_EQ(json["settings"][0]["oracle"], 3);
  EXPECT_EQ(json["ticks"][0]["op"], "work");
}

TEST(Beliefs, AreATableThatAnyReaderOfCsvTakes) {
  const Beliefs beliefs{
      .columns = {"demand", "a \"b\", c.cpu"},
      .rows = {{.at = 200ms, .decision = 0, .values = {std::numeric_limits<double>::infinity(), 0.0012}},
               {.at = 400ms, .decision = 1, .values = {std::numeric_limits<double>::quiet_NaN(), 1e7}}}};
  EXPECT_EQ(BeliefsCsv(beliefs),
            "seconds,decision,demand,\"a \"\"b\"\", c.cpu\"\n"
            "0.2,0,inf,0.0012\n"
            "0.4,1,,1e+07\n");
}

}  // namespace
}  // namespace sluice::exporters
