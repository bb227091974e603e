#include "sluice/exporters/metrics_text.h"

#include <gmock/gmock.h>

#include <limits>
#include <regex>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string OfCores(double cores, MetricsFormat format) {
  Exposition exposition{.labels = {LabelSet{}}, .processes = {}, .families = {}};
  const MetricRef<MetricType::kGauge> name = "sluice_budget_cores";
  exposition.families.at(name.place()).samples.push_back({0, cores});
  return MetricsText(exposition, format);
}

class Figure : public testing::TestWithParam<std::pair<double, const char*>> {};

TEST_P(Figure, IsTheShortestThatReadsTheSameInBothFormats) {
  const auto& [value, text] = GetParam();
  const std::string line = std::string("\nsluice_budget_cores ") + text + "\n";
  EXPECT_THAT(OfCores(value, MetricsFormat::kText), HasSubstr(line));
  EXPECT_THAT(OfCores(value, MetricsFormat::kOpenMetrics), HasSubstr(line));
}

INSTANTIATE_TEST_SUITE_P(Figures, Figure,
                         testing::Values(std::pair(0.0, "0"), std::pair(100000.0, "100000"),
                                         std::pair(0.1, "0.1"), std::pair(23.64, "23.64"),
                                         std::pair(-2.0, "-2"), std::pair(-0.5, "-0.5"),
                                         std::pair(9007199254740991.0, "9007199254740991"),
                                         std::pair(1e22, "1e+22"), std::pair(5e-324, "5e-324"),
                                         std::pair(std::numeric_limits<double>::infinity(), "+Inf"),
                                         std::pair(-std::numeric_limits<double>::infinity(), "-Inf"),
                                         std::pair(std::numeric_limits<double>::quiet_NaN(), "NaN")));

// The lines that are no comments, with the bounds of histograms as OpenMetrics has them.
std::string Samples(const std::string& text) {
  const std::string plain = std::regex_replace(text, std::regex("#[^\n]*\n"), "");
  return std::regex_replace(plain, std::regex("le=\"([0-9]+)\""), "le=\"$1.0\"");
}

TEST(MetricsText, HasTheSameSamplesInBothFormats) {
  const Snapshot now = example::At(std::chrono::seconds(12), 755, 2);
  const DecisionLog decisions = example::Decisions();
  const Verdict verdict = example::DecodeLimits();
  const PipelineMetrics pipeline{
      .loader = "train", .rank = 1, .pid = 7, .now = &now, .decisions = &decisions, .verdict = &verdict};
  const Exposition exposition = Expose({"small", "run", "0"}, {}, {&pipeline, 1});
  const std::string text = Samples(MetricsText(exposition, MetricsFormat::kText));
  EXPECT_THAT(text, HasSubstr("sluice_op_item_duration_seconds_bucket{loader=\"train\",rank=\"1\",op="));
  EXPECT_EQ(text, Samples(MetricsText(exposition, MetricsFormat::kOpenMetrics)));
}

TEST(MetricsText, NamesItemsOfATraceOnTheirBuckets) {
  const Snapshot now = example::At(std::chrono::seconds(12), 755, 2);
  std::vector<Exemplars> exemplars(now.ops.size());
  Put(exemplars[1], {.item = 7, .seconds = 0.003, .wall = std::chrono::milliseconds(1'700'000'000'500)});
  Put(exemplars[1], {.item = 8, .seconds = 0.005, .wall = std::chrono::seconds(1'700'000'001)});
  Put(exemplars[1], {.item = 9, .seconds = 60, .wall = std::chrono::seconds(1'700'000'002)});
  const DecisionLog decisions;
  const PipelineMetrics pipeline{.now = &now, .decisions = &decisions, .exemplars = &exemplars};
  const Exposition exposition = Expose({"small", "run", "0"}, {}, {&pipeline, 1});
  const std::string open = MetricsText(exposition, MetricsFormat::kOpenMetrics);
  EXPECT_THAT(open, ContainsRegex("le=\"0.005\"} [0-9]+ # [{]item=\"8\"[}] 0.005 1700000001.000\n"));
  EXPECT_THAT(open, ContainsRegex("le=\"[+]Inf\"} [0-9]+ # [{]item=\"9\"[}] 60 1700000002.000\n"));
  EXPECT_THAT(open, Not(HasSubstr("item=\"7\"")));  // another of the same bucket is newer
  EXPECT_THAT(MetricsText(exposition, MetricsFormat::kText), Not(HasSubstr(" # {")));
}

TEST(MetricsText, TellsTypesAndUnitsAsEachFormatHasThem) {
  const Exposition exposition = Expose({"small", "run", "0"}, {.tuning = Tuning::kOff, .cpu = Nanos(1)}, {});
  const std::string text = MetricsText(exposition, MetricsFormat::kText);
  EXPECT_THAT(text, HasSubstr("# TYPE sluice_run_info gauge\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE sluice_tuner_mode gauge\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE sluice_agent_cpu_seconds_total counter\n"));
  EXPECT_THAT(text, Not(HasSubstr("# UNIT")));
  EXPECT_THAT(text, Not(HasSubstr("# EOF")));
  const std::string open = MetricsText(exposition, MetricsFormat::kOpenMetrics);
  EXPECT_THAT(open, HasSubstr("# TYPE sluice_run info\n"));
  EXPECT_THAT(open, HasSubstr("# TYPE sluice_tuner_mode stateset\n"));
  EXPECT_THAT(open, HasSubstr("# UNIT sluice_agent_cpu_seconds seconds\n"));
}

}  // namespace
}  // namespace sluice::exporters
