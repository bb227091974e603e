#include "sluice/exporters/metric_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ranges>

namespace sluice::exporters {
namespace {

constexpr std::array<std::string_view, 5> kTypeNames = {"counter", "gauge", "histogram", "info", "stateset"};
constexpr std::array<std::string_view, 8> kSectionNames = {"Run",      "Ops",
                                                           "Workers",  "Connectors",
                                                           "Consumer", "Knobs and decisions",
                                                           "Verdict",  "Budget and process"};

std::string Quoted(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace

std::string_view TypeName(MetricType type) {
  return kTypeNames.at(static_cast<std::size_t>(type));
}

std::string_view SectionName(MetricSection section) {
  return kSectionNames.at(static_cast<std::size_t>(section));
}

std::vector<std::string_view> LabelsOf(const Metric& metric) {
  std::vector<std::string_view> labels;
  for (const auto part : std::views::split(metric.labels, ',')) labels.emplace_back(part.begin(), part.end());
  return labels;
}

std::string MetricsJson() {
  auto metrics = nlohmann::ordered_json::array();
  for (const Metric& metric : kMetrics) {
    metrics.push_back({{"name", metric.name},
                       {"type", TypeName(metric.type)},
                       {"unit", metric.unit},
                       {"labels", LabelsOf(metric)},
                       {"help", metric.help},
                       {"section", SectionName(metric.section)}});
  }
  return nlohmann::ordered_json{{"metrics", std::move(metrics)}}.dump(2) + "\n";
}

std::string MetricsTable(MetricSection section) {
  std::string rows;
  for (const Metric& metric : kMetrics) {
    if (metric.section != section) continue;
    rows += fmt::format("| `{}` | {} | {} | {} | {} |\n", metric.name, TypeName(metric.type), metric.unit,
                        Quoted(LabelsOf(metric)), metric.help);
  }
  return rows;
}

}  // namespace sluice::exporters
