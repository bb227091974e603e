#include "metrics/metric_builder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

// How many items took at most each bound, taking those of the bucket that it cuts as spread evenly.
decltype(HistogramSample::up_to) CountUpTo(const LatencyHistogram& histogram, const HistogramBounds& bounds) {
  decltype(HistogramSample::up_to) counts{};
  std::uint64_t below = 0;  // in the buckets before
  std::size_t b = 0;
  double from = 1e-9;  // where bucket `b` begins
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double bound = bounds.at(i);
    for (; b < histogram.size() && 2 * from <= bound; from *= 2) below += histogram.at(b++);
    const double share = std::max((bound - from) / from, 0.0);
    counts.at(i) = below;
    if (b < histogram.size())
      counts.at(i) += static_cast<std::uint64_t>(share * static_cast<double>(histogram.at(b)));
  }
  return counts;
}

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

void AppendLabels(std::string& out, std::span<const MetricBuilder::Label> labels) {
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out.append(name).append("=\"");
    AppendEscaped(out, ValidUtf8(value));
    out += '"';
  }
}

}  // namespace

std::uint32_t MetricBuilder::Keep(std::string labels) {
  made_.labels.push_back({std::move(labels), process_});
  return static_cast<std::uint32_t>(made_.labels.size() - 1);
}

std::uint32_t MetricBuilder::PlaceOf(Labels labels) const {
  return labels == Labels::kCommon ? common_ : static_cast<std::uint32_t>(labels);
}

std::uint32_t MetricBuilder::PlaceOf(const MetricProcess& process) {
  const auto found = std::ranges::find(made_.processes, process);
  const auto place = static_cast<std::uint32_t>(found - made_.processes.begin());
  if (found == made_.processes.end()) made_.processes.push_back(process);
  return place;
}

void MetricBuilder::SetCommonLabels(std::span<const Label> labels, std::optional<MetricProcess> process) {
  process_ = process ? std::optional(PlaceOf(*process)) : std::nullopt;
  std::string text;
  AppendLabels(text, labels);
  common_ = Keep(std::move(text));
}

MetricBuilder::Labels MetricBuilder::With(std::initializer_list<Label> labels) {
  std::string text = made_.labels.at(common_).text;
  AppendLabels(text, {labels.begin(), labels.size()});
  return Labels{Keep(std::move(text))};
}

void MetricBuilder::Add(std::size_t family, Labels labels, double value) {
  made_.families.at(family).samples.push_back({PlaceOf(labels), value});
}

void MetricBuilder::Counter(MetricRef<MetricType::kCounter> name, Labels labels,
                            std::optional<double> value) {
  if (value) Add(name.place(), labels, *value);
}

void MetricBuilder::Gauge(MetricRef<MetricType::kGauge> name, Labels labels, std::optional<double> value) {
  if (value) Add(name.place(), labels, *value);
}

void MetricBuilder::Info(MetricRef<MetricType::kInfo> name, Labels labels) {
  Add(name.place(), labels, 1);
}

void MetricBuilder::StateSet(MetricRef<MetricType::kStateSet> name, std::span<const std::string_view> states,
                             std::string_view current) {
  for (const std::string_view state : states)
    Add(name.place(), With({{name.metric().name, state}}), state == current ? 1 : 0);
}

void MetricBuilder::Histogram(MetricRef<MetricType::kHistogram> name, Labels labels,
                              const LatencyHistogram& histogram, const HistogramBounds& bounds, double sum,
                              const Exemplars& exemplars) {
  made_.families.at(name.place())
      .histograms.push_back({.labels = PlaceOf(labels),
                             .bounds = &bounds,
                             .up_to = CountUpTo(histogram, bounds),
                             .count = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}),
                             .sum = sum,
                             .exemplars = exemplars});
}

}  // namespace sluice::exporters
