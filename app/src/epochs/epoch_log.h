// EpochLog: how long each epoch of one loader took. Fed with snapshots a fraction of a second apart; a turn
// lies in the middle between the two that it was seen between.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/loader_report.h"

namespace sluice::app {

// One thread.
class EpochLog {
 public:
  // `trial`: the script's own setting is being tried.
  void Add(const Snapshot& seen, bool trial = false);
  // The run is over, and so is the epoch that it was in.
  void End();
  // All that have ended, at most the first and the newest 1000.
  [[nodiscard]] const std::vector<exporters::EpochTimes>& epochs() const { return epochs_; }

 private:
  struct Totals {
    double batches = 0;
    Nanos active{0}, waits{0};
  };
  [[nodiscard]] static Totals TotalsOf(const ConsumerReading& consumer);
  void Close(const Totals& at);

  std::vector<exporters::EpochTimes> epochs_;
  std::optional<std::uint64_t> epoch_;
  bool from_start_ = false, trial_ = false;
  Totals begun_, last_;
};

}  // namespace sluice::app
