#include "metrics/metric_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

// Decimal, because a power of two in seconds prints with sixteen digits.
constexpr std::array kBounds = {1e-6, 1e-5,   1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3,
                                1e-2, 2.5e-2, 5e-2, 0.1,    0.25, 0.5,  1.0};

// How many items took at most `bound` seconds, taking those of the bucket that it cuts as spread evenly.
std::uint64_t CountBelow(const LatencyHistogram& histogram, double bound) {
  std::uint64_t count = 0;
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    const double from = std::ldexp(1e-9, static_cast<int>(b));
    const double share = std::clamp((bound - from) / from, 0.0, 1.0);
    count += static_cast<std::uint64_t>(share * static_cast<double>(histogram[b]));
  }
  return count;
}

prometheus::MetricType TypeInText(MetricType type) {
  if (type == MetricType::kCounter) return prometheus::MetricType::Counter;
  return type == MetricType::kHistogram ? prometheus::MetricType::Histogram : prometheus::MetricType::Gauge;
}

}  // namespace

prometheus::ClientMetric& MetricBuilder::Sample(const Metric& metric, const Labels& labels) {
  auto family = std::ranges::find(families_, metric.name, &prometheus::MetricFamily::name);
  if (family == families_.end()) {
    family = families_.insert(
        family, {std::string(metric.name), std::string(metric.help), TypeInText(metric.type), {}});
  }
  prometheus::ClientMetric sample;
  for (const auto& [key, value] : common_) sample.label.push_back({std::string(key), ValidUtf8(value)});
  for (const auto& [key, value] : labels) sample.label.push_back({std::string(key), ValidUtf8(value)});
  family->metric.push_back(std::move(sample));
  return family->metric.back();
}

void MetricBuilder::Counter(MetricRef<MetricType::kCounter> name, const Labels& labels,
                            std::optional<double> value) {
  if (value) Sample(name.metric(), labels).counter.value = *value;
}

void MetricBuilder::Gauge(MetricRef<MetricType::kGauge> name, const Labels& labels,
                          std::optional<double> value) {
  if (value) Sample(name.metric(), labels).gauge.value = *value;
}

void MetricBuilder::Info(MetricRef<MetricType::kInfo> name, const Labels& labels) {
  Sample(name.metric(), labels).gauge.value = 1;
}

void MetricBuilder::StateSet(MetricRef<MetricType::kStateSet> name, std::span<const std::string_view> states,
                             std::string_view current) {
  const Metric& metric = name.metric();
  for (const std::string_view state : states) {
    Sample(metric, {{metric.name, std::string(state)}}).gauge.value = state == current ? 1 : 0;
  }
}

void MetricBuilder::Histogram(MetricRef<MetricType::kHistogram> name, const Labels& labels,
                              const LatencyHistogram& histogram, double sum) {
  auto& out = Sample(name.metric(), labels).histogram;
  for (const double bound : kBounds) out.bucket.push_back({CountBelow(histogram, bound), bound});
  out.sample_count = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  out.bucket.push_back({out.sample_count, std::numeric_limits<double>::infinity()});
  out.sample_sum = sum;
}

}  // namespace sluice::exporters
