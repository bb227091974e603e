// EpochLog: how long each epoch of one loader took. Fed with snapshots a fraction of a second apart; a turn
// lies between the two that it was seen between: where the epoch's items are known, at its last one, else in
// the middle.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/loader_report.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

// One thread.
class EpochLog {
 public:
  // `trial`: the script's own setting is being tried. `ended`: the epoch that the consumer left last.
  void Add(const Snapshot& seen, bool trial = false,
           const std::optional<probes::EndedEpoch>& ended = std::nullopt);
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
  [[nodiscard]] Totals TurnBetween(const Totals& before, const Totals& after,
                                   const std::optional<probes::EndedEpoch>& ended) const;
  void Close(const Totals& at, bool changed);

  std::vector<exporters::EpochTimes> epochs_;
  std::optional<std::uint64_t> epoch_;
  std::uint64_t ended_ = 0;  // how many had ended when this one was first seen
  bool from_start_ = false, trial_ = false;
  Totals begun_, last_;
};

}  // namespace sluice::app
