// Pauses: tells the steps of a slow consumer from its pauses. Between two batches of a slow consumer nothing
// may move for seconds, and those seconds are part of the run's pace; while it validates or writes a
// checkpoint they are not. One thread.
#pragma once
#include <deque>
#include <optional>

#include "observe/interval.h"

namespace sluice::autotune {

class Pauses {
 public:
  // Intervals in the order of time. Still ones are kept back until something moves: where the standstill was
  // as long as this consumer takes anyway, `interval` becomes longer by it, else it is forgotten.
  void Fold(Interval& interval);

 private:
  void Note(const Interval& interval);
  [[nodiscard]] double Longest() const;  // seconds of standstill that are no pause

  std::optional<Interval> still_;
  std::optional<MonoTime> taken_;  // when the consumer took an item last
  std::deque<double> steps_;       // seconds per item, of the last few
};

}  // namespace sluice::autotune
