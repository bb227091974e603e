// TakenHistory: when the consumer took items, thinned so that a run of any length stays small: at first at
// most one mark per 50 ms, and twice as far apart whenever the limit is reached.
//
// Marks are the moments of real items, not of a clock's ticks: between two marks the rate is exact however
// large the items are.
//
// One thread.
#pragma once
#include <cstdint>
#include <vector>

#include "sluice/exporters/run_report.h"

namespace sluice::app {

class TakenHistory {
 public:
  static constexpr std::size_t kLimit = 4096;
  // An item of so many rows was taken at `at`. REQUIRES: `at` never falls.
  void Note(MonoTime at, std::uint64_t rows);
  [[nodiscard]] const std::vector<exporters::TakenMark>& marks() const { return marks_; }

 private:
  std::vector<exporters::TakenMark> marks_;
  exporters::TakenMark total_;
  Nanos step_{std::chrono::milliseconds(50)};
};

}  // namespace sluice::app
