#include "session/settled_part.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::exporters {
namespace {

constexpr int kMostWindows = 16;
constexpr int kLeastWindows = 4;
constexpr std::uint64_t kItemsPerWindow = 4;

// 97.5 % quantiles of Student's t with 1, 2, ... degrees of freedom (any table of them, such as NIST/SEMATECH
// e-Handbook of Statistical Methods, 1.3.6.7.2).
constexpr std::array kStudent = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};

double Quantile95(int degrees) {
  const auto at = static_cast<std::size_t>(std::max(degrees, 1) - 1);
  return kStudent[std::min(at, kStudent.size() - 1)];
}

MonoTime FirstFlowing(const RecordedPipeline& pipeline) {
  const auto flows = [](const SessionMoment& moment) {
    return moment.consumer.items > 0 || !moment.consumer.items_known;
  };
  const auto found = std::ranges::find_if(pipeline.moments, flows);
  return found == pipeline.moments.end() ? pipeline.moments.back().at : found->at;
}

bool IsApplied(const LoggedDecision& entry) {
  return !entry.decision.advice && entry.fate != Fate::kAdvised && entry.fate != Fate::kRejected;
}

// When a change that was taken back was undone is not in the log; its trial ended before the next decision.
MonoTime SettledFrom(const DecisionLog& decisions, MonoTime first, MonoTime end) {
  MonoTime settled = first;
  for (const LoggedDecision& entry : decisions.entries()) {
    if (IsApplied(entry)) settled = std::max(settled, entry.decision.at);
  }
  return std::min(settled, std::max(first, end - (end - first) / 3));
}

double PerSecond(const SessionMoment& from, const SessionMoment& to, bool in_batches) {
  const auto counted = in_batches ? &ConsumerReading::items : &ConsumerReading::rows;
  const std::uint64_t after = to.consumer.*counted;
  return static_cast<double>(after - std::min(from.consumer.*counted, after)) / Seconds(to.at - from.at);
}

std::optional<Rate> StandardError(const std::vector<double>& rates) {
  if (rates.size() < static_cast<std::size_t>(kLeastWindows)) return std::nullopt;
  const auto n = static_cast<double>(rates.size());
  double mean = 0;
  for (const double rate : rates) mean += rate / n;
  double squares = 0;
  for (const double rate : rates) squares += (rate - mean) * (rate - mean);
  return Rate{std::sqrt(squares / (n - 1) / n)};
}

// Windows end at moments, and have some items each: one that has none would tell of the batch size.
SettledRate MeasureRate(const RecordedPipeline& pipeline, std::size_t from, bool in_batches) {
  const SessionMoment& first = pipeline.moments[from];
  const SessionMoment& last = pipeline.moments.back();
  if (last.at <= first.at || !last.consumer.items_known) return {.in_batches = in_batches};
  const std::uint64_t items = last.consumer.items - std::min(first.consumer.items, last.consumer.items);
  const auto windows = static_cast<int>(std::min<std::uint64_t>(kMostWindows, items / kItemsPerWindow));
  std::vector<double> rates;
  const SessionMoment* begin = &first;
  for (int i = 1; i <= windows; ++i) {
    const SessionMoment* end =
        &pipeline.moments[pipeline.From(first.at + (last.at - first.at) * i / windows)];
    if (end->at <= begin->at) continue;
    rates.push_back(PerSecond(*begin, *end, in_batches));
    begin = end;
  }
  return {Rate{PerSecond(first, last, in_batches)}, StandardError(rates), static_cast<int>(rates.size()),
          in_batches};
}

}  // namespace

bool CountedInBatches(const RecordedPipeline& pipeline) {
  return !pipeline.moments.back().consumer.rows_known;
}

Result<SettledPart> MeasureSettled(const SessionReader& session, std::size_t number, bool in_batches) {
  const RecordedPipeline& pipeline = session.pipelines().at(number);
  const auto decisions = session.Decisions(number);
  if (!decisions) return std::unexpected(decisions.error());
  const MonoTime end = pipeline.moments.back().at;
  const std::size_t from = pipeline.From(SettledFrom(*decisions, FirstFlowing(pipeline), end));
  const auto first = session.At(number, from);
  const auto last = session.At(number, pipeline.moments.size() - 1);
  if (!first || !last) return std::unexpected((first ? last : first).error());
  return SettledPart{.from = first->now.at - pipeline.moments.front().at,
                     .to = last->now.at - pipeline.moments.front().at,
                     .rate = MeasureRate(pipeline, from, in_batches),
                     .starved = MeasureConsumer(first->now, last->now).starved,
                     .verdict = last->verdict,
                     .ops = OpRows(first->now, last->now, last->verdict),
                     .knobs = last->now.knobs,
                     .changes = static_cast<int>(std::ranges::count_if(decisions->entries(), IsApplied))};
}

std::optional<RateRatio> RatioOf(const SettledRate& a, const SettledRate& b) {
  if (!a.mean || !b.mean || a.mean->per_second <= 0 || b.mean->per_second <= 0) return std::nullopt;
  RateRatio ratio{.value = b.mean->per_second / a.mean->per_second, .in_batches = a.in_batches};
  if (!a.error || !b.error) return ratio;
  const double relative =
      std::hypot(a.error->per_second / a.mean->per_second, b.error->per_second / b.mean->per_second);
  const double reach = std::exp(Quantile95(std::min(a.windows, b.windows) - 1) * relative);
  ratio.low = ratio.value / reach;
  ratio.high = ratio.value * reach;
  return ratio;
}

}  // namespace sluice::exporters
