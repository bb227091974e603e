#include "sluice/exporters/metric_catalogue.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

namespace sluice::exporters {
namespace {

constexpr int kSections = static_cast<int>(MetricSection::kProcess) + 1;

std::string Contents(const std::string& path) {
  const std::ifstream file(path);
  return (std::ostringstream() << file.rdbuf()).str();
}

// The lines of a page's section that are rows of a table, without its head.
std::string RowsBelow(const std::string& heading) {
  std::istringstream page(Contents(SLUICE_DOCS "/metrics.md"));
  std::string rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (inside && line.starts_with("| `sluice_")) rows += line + "\n";
  }
  return rows;
}

class Page : public testing::TestWithParam<int> {};

TEST_P(Page, HasTheMetricsOfTheSectionAndNoOther) {
  const auto section = static_cast<MetricSection>(GetParam());
  EXPECT_EQ(RowsBelow(std::string(SectionName(section))), MetricsTable(section))
      << "docs/metrics.md, section " << SectionName(section) << ": should have the second of these tables";
}

INSTANTIATE_TEST_SUITE_P(Sections, Page, testing::Range(0, kSections));

TEST(MetricCatalogue, IsWhatOtherProgramsRead) {
  EXPECT_EQ(Contents(SLUICE_METRICS_JSON), MetricsJson())
      << "renew it: sluice export metrics > exporters/prometheus/metrics.json";
}

bool EndsWithUnit(const Metric& metric) {
  std::string_view name = metric.name;
  if (name.ends_with("_total")) name.remove_suffix(6);
  return metric.unit.empty() || name.ends_with("_" + std::string(metric.unit));
}

// What OpenMetrics wants of names, and what Prometheus' naming page does.
TEST(MetricCatalogue, NamesMetricsAsPrometheusWants) {
  std::set<std::string_view> names;
  for (const Metric& metric : kMetrics) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name << " is there twice";
    EXPECT_EQ(metric.name.ends_with("_total"), metric.type == MetricType::kCounter) << metric.name;
    EXPECT_EQ(metric.name.ends_with("_info"), metric.type == MetricType::kInfo) << metric.name;
    EXPECT_TRUE(EndsWithUnit(metric)) << metric.name << " " << metric.unit;
    EXPECT_TRUE(metric.help.ends_with(".")) << metric.name;
    if (metric.type != MetricType::kStateSet) continue;
    EXPECT_EQ(LabelsOf(metric), std::vector<std::string_view>{metric.name});
  }
}

TEST(MetricCatalogue, FindsAMetricByItsName) {
  const MetricRef<MetricType::kCounter> decisions = "sluice_decisions_total";
  EXPECT_EQ(decisions.metric().name, "sluice_decisions_total");
  EXPECT_EQ(&kMetrics.at(decisions.place()), &decisions.metric());
  EXPECT_THAT(LabelsOf(decisions.metric()), testing::ElementsAre("knob", "outcome"));
  EXPECT_THAT(LabelsOf(MetricRef<MetricType::kGauge>("sluice_budget_cores").metric()), testing::IsEmpty());
}

}  // namespace
}  // namespace sluice::exporters
