#include "sluice/exporters/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <ranges>
#include <string_view>

namespace sluice::exporters {
namespace {

constexpr std::size_t kFigure = 20;              // bytes that are enough for most, with what is around them
constexpr double kWholeUpTo = 9007199254740992;  // from there on not every whole number is a double

void AppendNumber(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto [end, error] = std::to_chars(digits.begin(), digits.end(), value);
  out.append(digits.begin(), end);
}

// Counts are most of what there is, and whole numbers are soon written.
void AppendNumber(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else if (value >= 0 && value < kWholeUpTo && value == std::floor(value)) {
    AppendNumber(out, static_cast<std::uint64_t>(value));
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

using BoundsText = std::array<std::string, std::tuple_size_v<HistogramBounds>>;

// "0.25"; in OpenMetrics each has a point or an exponent: "1.0".
BoundsText TextOf(const HistogramBounds& of, MetricsFormat format) {
  BoundsText bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    AppendNumber(bounds.at(i), of.at(i));
    const bool whole = bounds.at(i).find_first_of(".e") == std::string::npos;
    if (whole && format == MetricsFormat::kOpenMetrics) bounds.at(i) += ".0";
  }
  return bounds;
}

// Of one exposition, or of one process in it, in one format.
class Writer {
 public:
  Writer(const Exposition& from, MetricsFormat format, std::optional<std::uint32_t> process)
      : from_(from),
        process_(process),
        open_(format == MetricsFormat::kOpenMetrics),
        item_bounds_(TextOf(kItemBounds, format)),
        step_bounds_(TextOf(kStepBounds, format)) {}
  [[nodiscard]] std::string Write();

 private:
  [[nodiscard]] bool Tells(std::uint32_t labels) const;
  void AddFamily(const Metric& metric, const MetricFamily& family);
  void AddHead(const Metric& metric);
  void AddHistogram(std::string_view name, const HistogramSample& histogram);
  void AddBucket(std::string_view name, const std::string& labels, std::string_view le, std::uint64_t count,
                 const std::optional<Exemplar>& exemplar);
  void AddSample(std::string_view name, std::string_view suffix, const std::string& labels,
                 std::string_view le, auto value);

  const Exposition& from_;
  const std::optional<std::uint32_t> process_;
  const bool open_;
  const BoundsText item_bounds_, step_bounds_;
  std::string out_;
};

void Writer::AddSample(std::string_view name, std::string_view suffix, const std::string& labels,
                       std::string_view le, auto value) {
  out_.append(name).append(suffix);
  if (!labels.empty() || !le.empty()) {
    out_.append("{").append(labels);
    if (!le.empty()) out_.append(labels.empty() ? "le=\"" : ",le=\"").append(le).append("\"");
    out_ += '}';
  }
  out_ += ' ';
  AppendNumber(out_, value);
  out_ += '\n';
}

void Writer::AddBucket(std::string_view name, const std::string& labels, std::string_view le,
                       std::uint64_t count, const std::optional<Exemplar>& exemplar) {
  AddSample(name, "_bucket", labels, le, count);
  if (!open_ || !exemplar) return;
  out_.pop_back();  // the line's end
  fmt::format_to(std::back_inserter(out_), " # {{item=\"{}\"}} {} {:.3f}\n", exemplar->item,
                 exemplar->seconds, static_cast<double>(exemplar->wall.count()) / 1e9);
}

void Writer::AddHistogram(std::string_view name, const HistogramSample& histogram) {
  const std::string& labels = from_.labels.at(histogram.labels).text;
  const BoundsText& bounds = histogram.bounds == &kStepBounds ? step_bounds_ : item_bounds_;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    AddBucket(name, labels, bounds.at(i), histogram.up_to.at(i), histogram.exemplars.at(i));
  AddBucket(name, labels, "+Inf", histogram.count, histogram.exemplars.back());
  AddSample(name, "_count", labels, "", histogram.count);
  AddSample(name, "_sum", labels, "", histogram.sum);
}

// In OpenMetrics a counter's family has no _total, an info's no _info.
std::string_view OpenMetricsName(const Metric& metric) {
  const std::string_view suffix = metric.type == MetricType::kCounter ? "_total"
                                  : metric.type == MetricType::kInfo  ? "_info"
                                                                      : "";
  return metric.name.substr(0, metric.name.size() - suffix.size());
}

MetricType TypeInText(MetricType type) {
  return type == MetricType::kInfo || type == MetricType::kStateSet ? MetricType::kGauge : type;
}

void Writer::AddHead(const Metric& metric) {
  const std::string_view name = open_ ? OpenMetricsName(metric) : metric.name;
  const auto line = [&](std::string_view what, std::string_view says) {
    out_.append("# ").append(what).append(" ").append(name).append(" ").append(says).append("\n");
  };
  line("HELP", metric.help);
  line("TYPE", TypeName(open_ ? metric.type : TypeInText(metric.type)));
  if (open_ && !metric.unit.empty()) line("UNIT", metric.unit);
}

bool Writer::Tells(std::uint32_t labels) const {
  const auto& of = from_.labels.at(labels).process;
  return !process_ || !of || of == process_;
}

void Writer::AddFamily(const Metric& metric, const MetricFamily& family) {
  const auto tells = [this](const auto& sample) { return Tells(sample.labels); };
  if (std::ranges::none_of(family.samples, tells) && std::ranges::none_of(family.histograms, tells)) return;
  AddHead(metric);
  for (const MetricSample& sample : family.samples | std::views::filter(tells))
    AddSample(metric.name, "", from_.labels.at(sample.labels).text, "", sample.value);
  for (const HistogramSample& histogram : family.histograms | std::views::filter(tells))
    AddHistogram(metric.name, histogram);
}

// About as long as the text becomes. Growing by and by would copy it several times.
std::size_t LengthOf(const Exposition& from) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    const std::size_t fixed = kMetrics.at(i).name.size() + kFigure;
    for (const MetricSample& sample : from.families.at(i).samples)
      length += fixed + from.labels.at(sample.labels).text.size();
    for (const HistogramSample& histogram : from.families.at(i).histograms)
      length += (std::tuple_size_v<HistogramBounds> + 3) *
                (fixed + kFigure + from.labels.at(histogram.labels).text.size());
  }
  return length + kMetrics.size() * 256;  // the heads
}

std::string Writer::Write() {
  out_.reserve(LengthOf(from_));
  for (std::size_t i = 0; i < kMetrics.size(); ++i) AddFamily(kMetrics.at(i), from_.families.at(i));
  if (open_) out_ += "# EOF\n";
  return std::move(out_);
}

}  // namespace

std::string MetricsText(const Exposition& exposition, MetricsFormat format,
                        std::optional<std::uint32_t> process) {
  return Writer(exposition, format, process).Write();
}

}  // namespace sluice::exporters
