#include "sluice/ui/track.h"

#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr Nanos kShortestShown = std::chrono::milliseconds(1);

CurvePiece Together(const CurvePiece& a, const CurvePiece& b) {
  const double long_a = Seconds(a.over.length()), long_b = Seconds(b.over.length());
  const double both = long_a + long_b;
  return {.over = {a.over.from, b.over.to},
          .least = std::min(a.least, b.least),
          .greatest = std::max(a.greatest, b.greatest),
          .mean = both > 0 ? (a.mean * long_a + b.mean * long_b) / both : b.mean};
}

}  // namespace

void Curve::Add(TimeRange over, double value) {
  if (!std::isfinite(value)) return;
  const CurvePiece piece{over, value, value, value};
  if (in_last_ > 0 && in_last_ < together_) {
    pieces_.back() = Together(pieces_.back(), piece);
    ++in_last_;
    return;
  }
  if (pieces_.size() == most_) PutTogether();
  pieces_.push_back(piece);
  in_last_ = 1;
}

void Curve::PutTogether() {
  std::vector<CurvePiece> halved;
  for (std::size_t i = 0; i < pieces_.size(); i += 2)
    halved.push_back(i + 1 < pieces_.size() ? Together(pieces_[i], pieces_[i + 1]) : pieces_[i]);
  pieces_ = std::move(halved);
  together_ *= 2;
}

std::optional<double> Curve::last() const {
  return pieces_.empty() ? std::nullopt : std::optional(pieces_.back().mean);
}

std::vector<std::optional<Column>> Decimate(const Curve& curve, TimeRange range, std::size_t columns) {
  std::vector<std::optional<Column>> seen(columns);
  if (columns == 0 || range.length() <= Nanos(0)) return seen;
  const double per_column = Seconds(range.length()) / static_cast<double>(columns);
  const auto column_of = [&](Nanos at) { return std::floor(Seconds(at - range.from) / per_column); };
  for (const CurvePiece& piece : curve.pieces()) {
    if (piece.over.to <= range.from || piece.over.from >= range.to) continue;
    const double last = static_cast<double>(columns - 1);
    const auto first = static_cast<std::size_t>(std::clamp(column_of(piece.over.from), 0.0, last));
    const auto until = static_cast<std::size_t>(std::clamp(column_of(piece.over.to), 0.0, last));
    for (std::size_t i = first; i <= until; ++i) {
      if (!seen[i]) seen[i] = Column{piece.least, piece.greatest};
      seen[i]->least = std::min(seen[i]->least, piece.least);
      seen[i]->greatest = std::max(seen[i]->greatest, piece.greatest);
    }
  }
  return seen;
}

TimeRange Moved(TimeRange shown, TimeRange all, Nanos by) {
  const Nanos length = std::min(shown.length(), all.length());
  const Nanos from = std::clamp(shown.from + by, all.from, all.to - length);
  return {from, from + length};
}

TimeRange Zoomed(TimeRange shown, TimeRange all, Nanos around, double factor) {
  const double before = Seconds(shown.length());
  const double length = std::clamp(before * factor, std::min(Seconds(kShortestShown), Seconds(all.length())),
                                   Seconds(all.length()));
  const double left = before > 0 ? Seconds(around - shown.from) / before : 0.5;
  const Nanos from = around - FromSeconds(left * length);
  return Moved({from, from + FromSeconds(length)}, all, Nanos(0));
}

}  // namespace sluice::ui
