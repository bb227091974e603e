// EpochJudge: holds the controller of a wrapped loader to what counts for its user: the time of whole epochs,
// start-up of workers included, and the CPU time. It bounds how many workers may be started, and says when a
// setting has to be undone. docs/wrapping.md, "Whole epochs are the measure". Pure: no clock, no I/O.
#pragma once
#include <optional>
#include <string>

#include "epoch_ledger.h"
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/probes/segment_reader.h"

namespace sluice {

// One thread.
class EpochJudge {
 public:
  // At every look, before anything else.
  void Look(const Snapshot& seen, const std::optional<EndedEpoch>& ended, const EpochOutlook& outlook);
  // Narrows what the controller may do with the knobs of what was looked at last.
  void Bound(Snapshot& seen) const;
  // What has to be undone, once; no changes: nothing.
  [[nodiscard]] Decision Undo();
  // What to begin with the next time, where that is not what is in force now.
  [[nodiscard]] std::optional<EpochSetting> Instead() const;
  // Of the run's CPU time, what one more worker's start takes in every epoch, where nothing else speaks
  // against that worker; nullopt: it may be started, or would not help.
  [[nodiscard]] std::optional<Fraction> TooDearStart() const;

 private:
  void Turn(const Snapshot& seen);
  void NoteWait(const Snapshot& seen);
  void NoteStarts(const Snapshot& seen);
  void NoteEnded(const EndedEpoch& ended);
  void EstimateOwn(const Snapshot& seen);
  [[nodiscard]] EpochCost CostOf(const EndedEpoch& ended) const;
  [[nodiscard]] double StartSeconds() const;
  [[nodiscard]] double WaitShare() const;
  [[nodiscard]] double SecondsLeft() const;
  [[nodiscard]] double CpuLeft() const;
  [[nodiscard]] double Affordable() const;
  [[nodiscard]] std::int64_t MoreThanOwn() const;
  [[nodiscard]] double Worth(double waiting) const;
  [[nodiscard]] std::int64_t Room() const;

  EpochLedger ledger_;
  std::optional<Snapshot> last_;     // the newest look
  Snapshot begun_;                   // the first look at the present epoch
  std::optional<Snapshot> alive_;    // the first one in it with all its workers
  std::optional<Snapshot> flowing_;  // the same with an item
  std::optional<Snapshot> before_;   // the first look at the epoch before
  EpochOutlook outlook_;
  std::uint64_t ended_ = 0;
  std::optional<EndedEpoch> last_ended_;
  std::uint64_t starts_before_ = 0;  // workers started until the epoch before the last had ended
  bool starts_every_epoch_ = true;
  double waited_ = 0, active_ = 0;  // seconds of the consumer, start-up left out; they fade with each epoch
  double trainer_cpu_ = 0;          // seconds until its first look: what a start may take at most
  double more_starts_ = 0;          // of workers, than the script has asked for
  double lost_ = 0;                 // seconds by what was undone
  std::optional<EpochSetting> own_;
  std::optional<EpochSetting> target_;  // of an undoing that is not yet in force
  std::optional<EpochFinding> finding_;
  std::int64_t most_ = 0, least_ = 0;  // workers, by what was refused; 0: no bound
  std::int64_t asked_ = 0;
};

}  // namespace sluice
