// Window: what happened between two snapshots of one run, and the mean fill of connectors as a sampler
// would see it. Seconds are summed over an op's workers.
#pragma once
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::baselines {

struct OpWindow {
  double items = 0;
  double busy = 0;
  double cpu = 0;  // busy where CPU time was not measured
};

struct Window {
  double seconds = 0;
  std::vector<OpWindow> ops;
  double consumer_items = 0;
  double consumer_busy = 0;
  double process_cpu = 0;

  [[nodiscard]] double rate() const { return seconds > 0 ? consumer_items / seconds : 0; }
};

[[nodiscard]] Window Between(const Snapshot& earlier, const Snapshot& later);

// Mean depth of each connector, sampled at each snapshot, since the last Reset(). One thread.
class FillSampler {
 public:
  void Add(const Snapshot& seen);
  void Reset() { samples_ = 0, depths_.clear(); }
  // Mean depth over the capacity in force, at most 1; 0 where nothing was sampled.
  [[nodiscard]] double Fill(const Snapshot& seen, std::size_t connector) const;
  // Mean depth in items.
  [[nodiscard]] double Depth(std::size_t connector) const;

 private:
  std::vector<double> depths_;
  int samples_ = 0;
};

// Says when a period is over. The first one begins at Start(). One thread.
class Period {
 public:
  explicit Period(Nanos length) : length_(length) {}
  void Start(MonoTime now) { since_ = now; }
  // True at the first call after the end of the period; the next one begins then.
  [[nodiscard]] bool Over(MonoTime now) {
    if (now - since_ < length_) return false;
    since_ = now;
    return true;
  }

 private:
  Nanos length_;
  MonoTime since_{0};
};

}  // namespace sluice::baselines
