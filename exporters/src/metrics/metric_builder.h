// MetricBuilder: collects families in the order they are first named. One thread.
#pragma once
#include <prometheus/metric_family.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/metric_catalogue.h"

namespace sluice::exporters {

class MetricBuilder {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  // Before the labels of each sample that follows.
  void SetCommonLabels(Labels labels) { common_ = std::move(labels); }
  // A family without a sample is left out.
  void Counter(MetricRef<MetricType::kCounter> name, const Labels& labels, std::optional<double> value);
  void Gauge(MetricRef<MetricType::kGauge> name, const Labels& labels, std::optional<double> value);
  void Info(MetricRef<MetricType::kInfo> name, const Labels& labels);
  // A sample for each of `states`: 1 for `current`, 0 for every other.
  void StateSet(MetricRef<MetricType::kStateSet> name, std::span<const std::string_view> states,
                std::string_view current);
  // `sum` is in seconds.
  void Histogram(MetricRef<MetricType::kHistogram> name, const Labels& labels,
                 const LatencyHistogram& histogram, double sum);

  // Infos and state sets are gauges among them: the catalogue knows better.
  [[nodiscard]] const std::vector<prometheus::MetricFamily>& families() const { return families_; }

 private:
  prometheus::ClientMetric& Sample(const Metric& metric, const Labels& labels);
  Labels common_;
  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace sluice::exporters
