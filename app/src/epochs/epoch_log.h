// EpochLog: how long each epoch of one loader took. Fed with snapshots a fraction of a second apart; a turn
// lies in the middle between the two that it was seen between.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::app {

struct EpochTimes {
  std::uint64_t epoch = 0;  // from 0
  double batches = 0;       // handed out
  Nanos active{0};          // the loop used batches or waited for them, the start of workers included
  Nanos waits{0};           // of that
  bool whole = false;       // it began and ended while it was watched
  bool trial = false;       // in part of it the script's own setting was tried
};

struct EpochNet {
  Nanos first{0}, last{0};  // one epoch; the last: the mean of the newest ones that were no trial
  std::size_t count = 0;    // epochs in all
};

// nullopt: fewer than two whole epochs, or epochs that cannot be compared.
[[nodiscard]] std::optional<EpochNet> EpochsOf(const std::vector<EpochTimes>& epochs);

// One thread.
class EpochLog {
 public:
  // `trial`: the script's own setting is being tried.
  void Add(const Snapshot& seen, bool trial = false);
  // The run is over, and so is the epoch that it was in.
  void End();
  // All that have ended, at most the first and the newest 1000.
  [[nodiscard]] const std::vector<EpochTimes>& epochs() const { return epochs_; }

 private:
  struct Totals {
    double batches = 0;
    Nanos active{0}, waits{0};
  };
  [[nodiscard]] static Totals TotalsOf(const ConsumerReading& consumer);
  void Close(const Totals& at);

  std::vector<EpochTimes> epochs_;
  std::optional<std::uint64_t> epoch_;
  bool from_start_ = false, trial_ = false;
  Totals begun_, last_;
};

}  // namespace sluice::app
