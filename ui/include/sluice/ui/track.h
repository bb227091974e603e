// Track: how a pipeline went over time, as curves of bounded length. Values; one thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::ui {

// A stretch of time since the run's start.
struct TimeRange {
  Nanos from{0}, to{0};
  [[nodiscard]] Nanos length() const { return to - from; }
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// What a value was over a stretch of time: its least, its greatest, and its mean.
struct CurvePiece {
  TimeRange over{};
  double least = 0, greatest = 0, mean = 0;
};

// A curve of at most `most` pieces: where more come, neighbours are put together two by two, so that the
// whole past stays, and no peak is lost. It keeps coarser ones of itself, each of half as many pieces.
class Curve {
 public:
  // REQUIRES: an even number.
  explicit Curve(std::size_t most = 4096) : most_(most), levels_(1) {}

  // The value over `over`, which begins where the last one ended or later. Not a number: it is left out.
  void Add(TimeRange over, double value);
  [[nodiscard]] const std::vector<CurvePiece>& pieces() const { return levels_.front(); }
  // Those that lie in `range` or reach into it, of the coarsest curve that has at least so many there; of
  // this one, where that has fewer.
  [[nodiscard]] std::span<const CurvePiece> In(TimeRange range, std::size_t least) const;
  [[nodiscard]] std::optional<double> last() const;

 private:
  void Raise();

  std::size_t most_;
  std::size_t together_ = 1;                     // values in a piece
  std::size_t in_last_ = 0;                      // of the last piece
  std::vector<std::vector<CurvePiece>> levels_;  // the finest first
};

// One for each column of pixels; nullopt: nothing is known of it.
struct Column {
  double least = 0, greatest = 0;
  friend bool operator==(const Column&, const Column&) = default;
};
// Least and greatest value in each of `columns` equal parts of `range`, so that what is drawn has as many
// strokes as there are pixels, and a peak that is narrower than a pixel is still seen.
[[nodiscard]] std::vector<std::optional<Column>> Decimate(const Curve& curve, TimeRange range,
                                                          std::size_t columns);

struct Track {
  TimeRange all{};            // from the first look to the last one
  Curve rows{};               // per second, that the consumer took
  Curve starved{};            // of the consumer, 0..1
  Curve cores{};              // that the process kept busy
  Curve buffered{};           // bytes between source and consumer
  std::vector<Curve> busy{};  // of each op, 0..1
  std::vector<Curve> fill{};  // of each connector, depth over capacity, 0..1
};

// Keeps within `all`; nothing is shown that is shorter than a millisecond.
[[nodiscard]] TimeRange Zoomed(TimeRange shown, TimeRange all, Nanos around, double factor);
[[nodiscard]] TimeRange Moved(TimeRange shown, TimeRange all, Nanos by);

}  // namespace sluice::ui
