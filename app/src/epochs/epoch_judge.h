// EpochJudge: holds the controller of a wrapped loader to what counts for its user: the time of whole epochs,
// start-up of workers included, and the CPU time. It bounds how many workers may be started, says when a
// setting has to be undone, and puts the script's own one back for an epoch where no whole epoch has shown
// what that takes. docs/wrapping.md, "Whole epochs are the measure". Pure: no clock, no I/O.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "epochs/epoch_ledger.h"
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/loader_report.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

// One thread.
class EpochJudge {
 public:
  // At every look, before anything else. `workers`: as SegmentReader::Workers gives them.
  void Look(const Snapshot& seen, const std::optional<probes::EndedEpoch>& ended,
            const probes::EpochOutlook& outlook, const std::vector<WorkerReading>& workers = {});
  // Narrows what the controller may do with the knobs of what was looked at last.
  void Bound(Snapshot& seen) const;
  // What has to be changed, once: a setting undone, or the script's own one tried; no changes: nothing.
  [[nodiscard]] Decision Decide();
  // The script's own setting is in force to be measured, or about to be.
  [[nodiscard]] bool Trying() const { return tried_against_.has_value(); }
  // Per item, from whole epochs other than the run's first one; nullopt: there was none of that setting.
  [[nodiscard]] std::optional<double> SecondsUnder(EpochSetting setting) const;
  // Seconds per item that the script's own setting would take at least, by what rows and steps took in the
  // newest epoch; nullopt: no epoch has ended. Where workers last, those count that the script itself has
  // started; where rows become cheaper in them, as of a cache that each fills for itself, fewer workers would
  // have filled theirs sooner: rows count as costing nothing.
  [[nodiscard]] std::optional<double> OwnByPresentCosts() const;
  // How much longer the run's first epoch took to its first item than the newest one.
  [[nodiscard]] Nanos LongerFirstStart() const;
  // What to begin with the next time, where that is not what is in force now.
  [[nodiscard]] std::optional<EpochSetting> Instead() const;
  // The last ones that were undone; nullopt: none, or there are as many by now.
  [[nodiscard]] std::optional<exporters::TriedWorkers> TriedInVain() const;
  // Of the run's CPU time, what one more worker's start takes in every epoch, where nothing else speaks
  // against that worker; nullopt: it may be started, or would not help.
  [[nodiscard]] std::optional<Fraction> TooDearStart() const;

 private:
  // What is left of a knob's by what was refused; nullopt: no bound.
  struct Range {
    std::optional<std::int64_t> most, least;
    void Close(std::int64_t refused, std::int64_t better);
    void Narrow(Knob& knob) const;
  };

  // What some workers have fetched.
  struct Fetched {
    double items = 0;
    Nanos busy{0};
  };
  void Turn(const Snapshot& seen, const std::vector<WorkerReading>& workers);
  // The first so many of them.
  [[nodiscard]] Fetched FetchedBy(const std::vector<WorkerReading>& workers, std::int64_t first) const;
  void NoteWait(const Snapshot& seen);
  void NoteStarts(const Snapshot& seen);
  void NoteEnded(const probes::EndedEpoch& ended);
  void NoteLost(double items);
  void EstimateOwn(const Snapshot& seen);
  [[nodiscard]] std::optional<double> FetchSeconds() const;
  [[nodiscard]] double InOwnWorkers() const;
  [[nodiscard]] const Snapshot& last() const;
  [[nodiscard]] EpochCost CostOf(const probes::EndedEpoch& ended) const;
  [[nodiscard]] double StartSeconds() const;
  [[nodiscard]] double WaitShare() const;
  [[nodiscard]] double Waited() const;
  [[nodiscard]] bool ComesNext() const;
  [[nodiscard]] double SecondsLeft() const;
  [[nodiscard]] double BearingCpu() const;
  [[nodiscard]] double Affordable() const;
  [[nodiscard]] std::int64_t MoreThanOwn() const;
  [[nodiscard]] double Worth(double left, double waited) const;
  [[nodiscard]] std::int64_t Room() const;
  [[nodiscard]] double EpochsToTry(EpochSetting now) const;
  [[nodiscard]] bool TrialIsDue() const;
  void BoundCapacity(Knob& knob) const;
  void Compare(const probes::EndedEpoch& ended);
  [[nodiscard]] Decision Change(EpochSetting to, std::string because);
  [[nodiscard]] Decision Undo();
  void TryOwn(EpochSetting instead_of);

  EpochLedger ledger_;
  std::optional<Snapshot> last_;     // the newest look
  Snapshot begun_;                   // the first look at the present epoch
  std::optional<Snapshot> alive_;    // the first one in it with all its workers
  std::optional<Snapshot> flowing_;  // the same with an item
  std::optional<Snapshot> before_;   // the first look at the epoch before
  Fetched own_begun_, own_before_;   // until these looks, by the script's own workers ...
  Fetched all_begun_, all_before_;   // ... and by all
  probes::EpochOutlook outlook_;
  std::uint64_t ended_ = 0;
  std::optional<probes::EndedEpoch> last_ended_;
  std::uint64_t most_taken_ = 0;  // items of one epoch
  double dearest_fetch_ = 0;  // seconds per item, of all epochs but the first, which may fill a common cache
  Nanos first_start_{0};      // of the run's first epoch, to its first item
  std::int64_t most_workers_ = 0;
  std::uint64_t starts_before_ = 0;  // workers started until the epoch before the last had ended
  bool starts_every_epoch_ = true, starts_are_known_ = false;
  double waited_ = 0, active_ = 0;  // seconds of the consumer, start-up left out; they fade with each epoch
  double trainer_cpu_ = 0;          // seconds until its first look: what a start may take at most
  double more_starts_ = 0;          // of workers, than the script has asked for
  double lost_ = 0;                 // seconds by what was undone
  double quiet_until_ = 0;          // seconds of the consumer: nothing else is tried before
  std::optional<EpochSetting> own_;
  std::optional<EpochSetting> target_;  // of a decision that is not yet in force
  std::optional<EpochFinding> finding_;
  std::optional<exporters::TriedWorkers> in_vain_;
  std::optional<EpochSetting> tried_against_;   // in force before the script's own was tried
  std::optional<EpochCost> estimated_against_;  // of that, where only an estimate speaks for the script's own
  std::optional<EpochSetting> go_back_;         // to it
  std::uint64_t decided_in_ = 0;                // the epoch: what it takes says nothing of a setting
  std::uint64_t trial_ends_ = 0;                // with this epoch, whatever has been seen
  Range workers_, capacity_;
  std::int64_t asked_ = 0;
};

}  // namespace sluice::app
