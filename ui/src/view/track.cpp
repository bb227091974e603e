#include "sluice/ui/track.h"

#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr Nanos kShortestShown = std::chrono::milliseconds(1);
constexpr std::size_t kPiecesPerColumn = 2;  // a peak is drawn half a pixel too wide at most

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
    levels_.front().back() = Together(levels_.front().back(), piece);
    ++in_last_;
    return Raise();
  }
  if (levels_.front().size() == most_) {
    levels_.erase(levels_.begin());
    together_ *= 2;
  }
  levels_.front().push_back(piece);
  in_last_ = 1;
  Raise();
}

// The last piece of each coarser curve, of the last ones below it.
void Curve::Raise() {
  for (std::size_t level = 1; levels_[level - 1].size() > 1; ++level) {
    if (levels_.size() == level) levels_.emplace_back();
    const std::vector<CurvePiece>& below = levels_[level - 1];
    const std::size_t first = (below.size() - 1) / 2 * 2;
    levels_[level].resize(first / 2 + 1);
    levels_[level].back() =
        first + 1 < below.size() ? Together(below[first], below[first + 1]) : below[first];
  }
}

std::span<const CurvePiece> Curve::In(TimeRange range, std::size_t least) const {
  const std::vector<CurvePiece>& finest = levels_.front();
  const auto from =
      std::ranges::upper_bound(finest, range.from, {}, [](const CurvePiece& p) { return p.over.to; });
  const auto to =
      std::ranges::lower_bound(finest, range.to, {}, [](const CurvePiece& p) { return p.over.from; });
  if (from >= to) return {};
  // A piece of each coarser curve is made of two below it, from the first one on.
  auto first = static_cast<std::size_t>(from - finest.begin());
  auto last = static_cast<std::size_t>(to - finest.begin()) - 1;
  std::size_t level = 0;
  while (level + 1 < levels_.size() && last / 2 - first / 2 + 1 >= least) {
    first /= 2;
    last /= 2;
    ++level;
  }
  return {levels_[level].begin() + static_cast<std::ptrdiff_t>(first), last - first + 1};
}

std::optional<double> Curve::last() const {
  return pieces().empty() ? std::nullopt : std::optional(pieces().back().mean);
}

std::vector<std::optional<Column>> Decimate(const Curve& curve, TimeRange range, std::size_t columns) {
  std::vector<std::optional<Column>> seen(columns);
  if (columns == 0 || range.length() <= Nanos(0)) return seen;
  const double per_nano = static_cast<double>(columns) / static_cast<double>(range.length().count());
  const auto last = static_cast<std::ptrdiff_t>(columns) - 1;
  const auto column_of = [&](Nanos at) {
    const double column = static_cast<double>((at - range.from).count()) * per_nano;
    return std::clamp(static_cast<std::ptrdiff_t>(column), std::ptrdiff_t{0}, last);
  };
  // Pieces come in the order of time, so a column is complete when the next one begins.
  std::ptrdiff_t open = -1;
  Column column;
  const auto put = [&] {
    if (open >= 0) seen[static_cast<std::size_t>(open)] = column;
  };
  for (const CurvePiece& piece : curve.In(range, kPiecesPerColumn * columns)) {
    const std::ptrdiff_t until = column_of(piece.over.to - Nanos(1));
    for (std::ptrdiff_t i = column_of(piece.over.from); i <= until; ++i) {
      if (i == open) {
        column = {std::min(column.least, piece.least), std::max(column.greatest, piece.greatest)};
      } else {
        put();
        open = i;
        column = {piece.least, piece.greatest};
      }
    }
  }
  put();
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
