// MetricBuilder: fills an exposition, sample by sample. One thread.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/metric_catalogue.h"

namespace sluice::exporters {

class MetricBuilder {
 public:
  using Label = std::pair<std::string_view, std::string_view>;
  // Labels that several samples share: their text is made once.
  enum class Labels : std::uint32_t { kCommon = 0 };

  // Before the labels of each sample that follows; these are of `process`, or of the whole run.
  void SetCommonLabels(std::span<const Label> labels, std::optional<MetricProcess> process = {});
  // The common ones and these.
  [[nodiscard]] Labels With(std::initializer_list<Label> labels);

  // A family without a sample is left out.
  void Counter(MetricRef<MetricType::kCounter> name, Labels labels, std::optional<double> value);
  void Gauge(MetricRef<MetricType::kGauge> name, Labels labels, std::optional<double> value);
  void Info(MetricRef<MetricType::kInfo> name, Labels labels);
  // A sample for each of `states`: 1 for `current`, 0 for every other.
  void StateSet(MetricRef<MetricType::kStateSet> name, std::span<const std::string_view> states,
                std::string_view current);
  // `sum` is in seconds.
  void Histogram(MetricRef<MetricType::kHistogram> name, Labels labels, const LatencyHistogram& histogram,
                 const HistogramBounds& bounds, double sum, const Exemplars& exemplars = {});

  [[nodiscard]] Exposition Take() { return std::move(made_); }

 private:
  [[nodiscard]] std::uint32_t Keep(std::string labels);
  [[nodiscard]] std::uint32_t PlaceOf(const MetricProcess& process);
  [[nodiscard]] std::uint32_t PlaceOf(Labels labels) const;
  void Add(std::size_t family, Labels labels, double value);

  std::uint32_t common_ = 0;
  std::optional<std::uint32_t> process_;
  Exposition made_{.labels = {LabelSet{}}, .processes = {}, .families = {}};
};

}  // namespace sluice::exporters
