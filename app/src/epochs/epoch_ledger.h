// EpochLedger: what whole epochs have cost under each setting of a wrapped loader, start-up included: the
// measure of every change. Pure: no clock, no I/O.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sluice/base/units.h"

namespace sluice::app {

struct EpochSetting {
  std::int64_t workers = 0;
  std::int64_t capacity = 0;
  friend auto operator<=>(const EpochSetting&, const EpochSetting&) = default;
};

// Seconds per item, so that epochs of different lengths can be compared.
struct EpochCost {
  double seconds = 0;  // of the consumer, from the first request to the last item
  double cpu = 0;      // of the trainer and its workers; 0: not measured
};

// Why a setting is not worth it, and what to have instead.
struct EpochFinding {
  EpochSetting better;
  EpochCost is, was;       // under the present setting, under `better`
  bool longer = false;     // else it takes more of the cores than it saves of the time
  bool estimated = false;  // `was`: no whole epoch has shown it
};

// One thread.
class EpochLedger {
 public:
  // After so many epochs, more workers or batches ahead must have shown what they save.
  static constexpr double kEpochsToGain = 2;

  // The script's own setting is never too dear: a run must not take longer than without us.
  void SetOwn(std::optional<EpochSetting> own) { own_ = own; }
  // An epoch that had one setting from its start to its end. `warming_up`: the run's first one, which counts
  // only while there is no other of its setting.
  void Add(EpochSetting setting, EpochCost cost, bool warming_up);
  // The same, told by this part of an epoch, less than all of it; any whole one replaces it.
  void Estimate(EpochSetting setting, EpochCost cost, Fraction part);

  // The better one of those known, where `now` is not worth it; nullopt when it is, or is not known.
  [[nodiscard]] std::optional<EpochFinding> Worse(EpochSetting now) const;
  // As if `now` had had one epoch of such a cost.
  [[nodiscard]] std::optional<EpochFinding> WorseAt(EpochSetting now, EpochCost cost) const;
  // Whether `is` is more than `was` by more than two epochs of one setting differ; both in seconds per item.
  [[nodiscard]] bool Longer(double is, double was) const;
  // The shortest whole epochs; nullopt: none has been seen.
  [[nodiscard]] std::optional<EpochSetting> Best() const;
  [[nodiscard]] std::optional<EpochCost> Of(EpochSetting setting) const;
  // Whole epochs of it; 0 where all that is known is an estimate, or the run's first one.
  [[nodiscard]] double Epochs(EpochSetting setting) const;

 private:
  struct Account {
    double epochs = 0;  // below one: an estimate
    EpochCost sum;
    double squares = 0;  // of the seconds
    bool warm = true;
    [[nodiscard]] EpochCost mean() const { return {sum.seconds / epochs, sum.cpu / epochs}; }
  };
  [[nodiscard]] double Noise() const;
  [[nodiscard]] std::optional<EpochFinding> Judge(EpochSetting now, const Account& present) const;

  std::map<EpochSetting, Account> accounts_;
  std::optional<EpochSetting> own_;
};

}  // namespace sluice::app
