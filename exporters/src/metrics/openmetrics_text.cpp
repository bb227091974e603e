#include "metrics/openmetrics_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

#include "sluice/base/check.h"
#include "sluice/exporters/metric_catalogue.h"

namespace sluice::exporters {
namespace {

using Sample = prometheus::ClientMetric;

// What a label's value and a HELP text share.
void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || c == '"') {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// A bound always has a point or an exponent, so that it is the same label everywhere.
std::string Bound(double value) {
  const std::string number = Number(value);
  return number.find_first_of(".eI") == std::string::npos ? number + ".0" : number;
}

void AppendLabels(std::string& out, const Sample& sample, std::string_view le) {
  std::string labels;
  for (const Sample::Label& label : sample.label) {
    labels += fmt::format("{}{}=\"", labels.empty() ? "" : ",", label.name);
    AppendEscaped(labels, label.value);
    labels += '"';
  }
  if (!le.empty()) labels += fmt::format("{}le=\"{}\"", labels.empty() ? "" : ",", le);
  if (!labels.empty()) out += "{" + labels + "}";
}

void AppendSample(std::string& out, std::string_view name, const Sample& sample, double value,
                  std::string_view le = "") {
  out += name;
  AppendLabels(out, sample, le);
  out += " " + Number(value) + "\n";
}

void AppendHistogram(std::string& out, const std::string& name, const Sample& sample) {
  const Sample::Histogram& histogram = sample.histogram;
  for (const Sample::Bucket& bucket : histogram.bucket) {
    AppendSample(out, name + "_bucket", sample, static_cast<double>(bucket.cumulative_count),
                 Bound(bucket.upper_bound));
  }
  AppendSample(out, name + "_count", sample, static_cast<double>(histogram.sample_count));
  AppendSample(out, name + "_sum", sample, histogram.sample_sum);
}

// Of a counter without _total, of an info without _info.
std::string_view FamilyName(const Metric& metric) {
  const std::string_view suffix = metric.type == MetricType::kCounter ? "_total"
                                  : metric.type == MetricType::kInfo  ? "_info"
                                                                      : "";
  return metric.name.substr(0, metric.name.size() - suffix.size());
}

void AppendHead(std::string& out, const Metric& metric) {
  const std::string_view name = FamilyName(metric);
  fmt::format_to(std::back_inserter(out), "# TYPE {} {}\n", name, TypeName(metric.type));
  if (!metric.unit.empty()) fmt::format_to(std::back_inserter(out), "# UNIT {} {}\n", name, metric.unit);
  fmt::format_to(std::back_inserter(out), "# HELP {} ", name);
  AppendEscaped(out, metric.help);
  out += '\n';
}

void AppendFamily(std::string& out, const prometheus::MetricFamily& family) {
  const Metric* metric = FindMetric(family.name);
  SLUICE_CHECK(metric != nullptr);
  AppendHead(out, *metric);
  for (const Sample& sample : family.metric) {
    if (metric->type == MetricType::kHistogram) {
      AppendHistogram(out, family.name, sample);
    } else {
      const bool counter = metric->type == MetricType::kCounter;
      AppendSample(out, family.name, sample, counter ? sample.counter.value : sample.gauge.value);
    }
  }
}

}  // namespace

std::string OpenMetricsText(const std::vector<prometheus::MetricFamily>& families) {
  std::string out;
  for (const prometheus::MetricFamily& family : families) AppendFamily(out, family);
  return out + "# EOF\n";
}

}  // namespace sluice::exporters
