// MetricBuilder: collects families in the order they are first named. One thread.
#pragma once
#include <prometheus/metric_family.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::exporters {

class MetricBuilder {
 public:
  using Labels = std::vector<std::pair<const char*, std::string>>;

  // Before the labels of each sample that follows.
  void SetCommonLabels(Labels labels) { common_ = std::move(labels); }
  // A family without a sample is left out. `name` has no prefix.
  void Counter(const char* name, const char* help, const Labels& labels, std::optional<double> value);
  void Gauge(const char* name, const char* help, const Labels& labels, std::optional<double> value);
  // `sum` is in seconds.
  void Histogram(const char* name, const char* help, const Labels& labels, const LatencyHistogram& histogram,
                 double sum);

  [[nodiscard]] const std::vector<prometheus::MetricFamily>& families() const { return families_; }

 private:
  prometheus::ClientMetric& Sample(const char* name, const char* help, prometheus::MetricType type,
                                   const Labels& labels);
  Labels common_;
  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace sluice::exporters
