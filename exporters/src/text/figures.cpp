#include "text/figures.h"

#include <fmt/format.h>

#include <cmath>

#include "sluice/base/text.h"

namespace sluice::exporters {

std::string PercentText(std::optional<Fraction> share) {
  return share ? FormatPercent(*share) : kMissing;
}

std::string GainText(std::optional<double> gain) {
  return gain && std::isfinite(*gain) ? FormatGain(*gain) : kMissing;
}

std::string RateText(std::optional<Rate> rate) {
  if (!rate || !std::isfinite(rate->per_second)) return kMissing;
  const double r = rate->per_second;
  if (r > 0 && r < 0.01) return "<0.01";
  return FormatCount(r < 100 ? std::round(r * 100) / 100 : r);
}

std::string DurationText(std::optional<Nanos> t) {
  return t ? FormatDuration(*t) : kMissing;
}

std::string BytesText(std::optional<Bytes> bytes) {
  return bytes ? FormatBytes(*bytes) : kMissing;
}

std::string ElapsedText(Nanos t) {
  const auto whole = t.count() / 1'000'000'000;
  if (whole < 60) return fmt::format("{:.1f}s", std::floor(Seconds(t) * 10) / 10);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string CoresText(double cores) {
  if (cores <= 0) return kMissing;
  return cores == std::floor(cores) ? fmt::format("{:.0f}", cores) : fmt::format("{:.1f}", cores);
}

std::string ItemsWord(const Snapshot& snapshot) {
  if (!snapshot.consumer.rows_known) return "batches";
  if (!snapshot.graph || snapshot.graph->ops.empty()) return "items";
  return snapshot.graph->ops.back().rows_per_item > 1 ? "batches" : "items";
}

std::string ConfidenceWord(Fraction confidence) {
  return confidence.value >= 0.8 ? "high" : confidence.value >= 0.5 ? "medium" : "low";
}

std::string VerdictText(const Verdict& verdict) {
  if (verdict.sentence.empty()) return "Not enough seen yet to say what limits the run.";
  if (verdict.limit == Limit::kUnknown) return verdict.sentence;
  return fmt::format("{} ({} confidence)", verdict.sentence, ConfidenceWord(verdict.confidence));
}

std::string_view HeldWords(HeldBecause held) {
  switch (held) {
    case HeldBecause::kRandomDraws:
      return "random draws";
    case HeldBecause::kOrder:
      return "order";
    case HeldBecause::kUnknown:
      return "unknown PyTorch";
    case HeldBecause::kWorkerId:
      return "rows depend on the worker's id";
    case HeldBecause::kFailed:
      return "an error came after a change";
    case HeldBecause::kUnfit:
      return "more workers would not do the same";
    case HeldBecause::kChanges:
      return "its data set changes meanwhile";
    case HeldBecause::kNot:
    case HeldBecause::kAdvise:
    case HeldBecause::kWatching:
      break;
  }
  return "";
}

Tone VerdictTone(const Verdict& verdict) {
  if (verdict.limit == Limit::kConsumer) return Tone::kGood;
  return verdict.limit == Limit::kUnknown ? Tone::kDim : Tone::kStrong;
}

Tone StarvedTone(std::optional<Fraction> starved) {
  if (!starved) return Tone::kDim;
  return starved->value < 0.05 ? Tone::kGood : starved->value < 0.2 ? Tone::kWarn : Tone::kBad;
}

Tone FateTone(Fate fate) {
  switch (fate) {
    case Fate::kKept:
      return Tone::kGood;
    case Fate::kRolledBack:
    case Fate::kRejected:
      return Tone::kWarn;
    case Fate::kTrial:
    case Fate::kAdvised:
      break;
  }
  return Tone::kStrong;
}

}  // namespace sluice::exporters
