// LoaderReport: what the report of a wrapped run says of one loader, as values. Whatever is in one of the
// structs comes from the same two snapshots. They are told after they have been checked (loader_check.h).
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/knob.h"
#include "sluice/base/process_use.h"
#include "sluice/base/units.h"

namespace sluice::exporters {

// As PyTorch's DataLoader knows it, but for `capacity`: finished batches that may wait.
struct LoaderSetting {
  std::int64_t workers = 0;
  std::int64_t capacity = 1;
  friend bool operator==(const LoaderSetting&, const LoaderSetting&) = default;
};

// One stretch of the run.
struct WindowValues {
  MonoTime from{0}, to{0};
  Nanos active{0};  // the loop used batches or waited for them
  std::uint64_t batches = 0;
  double rate = 0;                       // batches per second of active time
  std::optional<Fraction> waits;         // of the active time: the loop waits for a batch
  std::optional<LoaderSetting> setting;  // nullopt: it changed meanwhile
  bool of_loader = false;                // else of a measured loop without one
  bool from_start = false;               // the start of the very first workers lies in it
  std::optional<double> cores;  // in use, mean: by the trainer and its workers; by all of the run once known
  std::optional<CoresUse> machine;  // who had the cores
  std::optional<Fraction>
      fetch_busy;  // of the workers' time once they work, as are the next two; without workers: of the loop's
  std::optional<Fraction> fetch_off;               // busy, but neither on a core nor ready to run
  std::optional<Fraction> fetch_queued;            // busy, ready to run, and no core to run on
  std::optional<Fraction> trainer_queued;          // of all time: its main thread had no core to run on
  std::optional<Fraction> sampler_busy, pin_busy;  // of one thread's time
  std::uint64_t epochs = 0;                        // that began in it
  Nanos start_up{0};  // what workers that started took, one after the other in each epoch
};

// Why the loop waits, or that it does not.
enum class Finding : std::uint8_t {
  kUnknown,        // too little was seen with one setting
  kLoop,           // it hardly waits
  kNoWorkers,      // it fetches its batches by itself
  kStartUp,        // workers start
  kCores,          // all cores are in use
  kOtherWork,      // workers queue for cores that others use
  kBursts,         // the same, and nobody but this run uses them: at times it wants more than there are
  kSampler,        // the sampler, one call after the other
  kPin,            // the pin thread
  kFetchComputes,  // workers are busy, most of it on a core
  kFetchSleeps,    // workers are busy, most of it off the cores
  kMemory,         // the byte budget has no room for more
  kUneven,         // workers are often idle, and still some batches come late
  kSource,         // no DataLoader: whatever the measured loop reads from
};

struct AdviceValues {
  LoaderSetting setting;
  double predicted = 0;  // batches per second
};

// A step inside of fetches and its share of their time, over the whole run.
struct CostValues {
  std::string step;  // "RandomCrop", "collate", "dataset[i]"
  Fraction share;
  Nanos each{0};
  bool per_row = true;  // else per batch
};

struct EpochTimes {
  std::uint64_t epoch = 0;  // from 0
  double batches = 0;       // handed out
  Nanos active{0};          // the loop used batches or waited for them, the start of workers included
  Nanos waits{0};           // of that
  bool whole = false;       // it began and ended while it was watched
  bool trial = false;       // in part of it the script's own setting was tried
  bool changed = false;     // the settings changed in its course
};

struct EpochNet {
  Nanos first{0}, last{0};  // one epoch; the last: the mean of the newest ones that were no trial
  std::size_t count = 0;    // epochs in all
};

// More workers, and why they are there no longer.
struct TriedWorkers {
  std::int64_t workers = 0;
  bool longer = false;  // epochs were no shorter; else they took more CPU time than they saved of the time
  bool started_anew = false;  // in every epoch
};

// Seconds per batch, start-up included, by whole epochs other than the run's first one.
struct WholeEpochs {
  double own = 0;  // under the script's own setting
  double now = 0;  // under the last one
};

struct LoaderValues {
  std::uint64_t batches = 0;
  double cores = 1;                            // of the machine, as far as they may be used
  std::string throttled{};                     // by a quota at the end of the run, in words; empty: it is not
  std::optional<Bytes> memory;                 // that trainers and workers may take
  Bytes worker_memory{0};                      // of one worker by itself; 0: unknown
  std::optional<std::uint64_t> epoch_batches;  // of the longest epoch seen
  std::optional<WindowValues> first, last;     // before the first change; since the last one
  LoaderSetting start, end;
  bool short_of_memory = false;  // the controller wanted more than the byte budget holds
  Finding finding = Finding::kUnknown;
  std::optional<AdviceValues> advice;
  std::optional<CostValues> cost;
  std::optional<TriedWorkers> tried_in_vain;
  std::optional<Fraction> dear_start;  // of the run's CPU time, of one more worker: why there are no more
  std::vector<EpochTimes> epochs;
  std::optional<WholeEpochs> whole_epochs;
  // Seconds per batch under the script's own setting, at least, by what rows and steps took in the newest
  // epoch.
  std::optional<double> own_by_costs;
  std::optional<double> own_at_first;  // the same by the first window, also where that compares with no other
  Nanos longer_first_start{0};         // of the first epoch, until its first batch, than of the newest one
  Nanos active{0};                     // of the whole run
};

// Threads of libraries inside the loader's workers, more than there are cores.
struct CrowdedThreads {
  std::size_t workers = 0;
  std::int64_t threads = 0;  // in all of them
  double cores = 1;
  std::set<std::string> libraries{};    // that bring threads: "OpenMP", "OpenBLAS"
  std::optional<Fraction> in_kernel{};  // of their CPU time, where that is where they fight
  bool limited = false;                 // --tune-threads was given
};

struct LoaderReport {
  std::string program{};  // "train.py: train_loader (Photos)"
  std::optional<int> rank{};
  int pid = 0;
  LoaderValues values{};
  std::vector<Knob> start{}, end{};  // knobs
  std::optional<CrowdedThreads> threads{};
  // What an earlier run had found and this one began with; empty: that was what the script says already.
  std::optional<std::vector<KnobChange>> started_from{};
  std::vector<std::string> notes{};  // what the measured process itself has to say
  bool advising = false;
};

// "loop", "start-up", ...: what docs/verdicts.md calls it.
[[nodiscard]] std::string_view FindingName(Finding finding);
[[nodiscard]] std::vector<Finding> AllFindings();

// prefetch_factor as the script would have to say it; at least 1.
[[nodiscard]] std::int64_t PrefetchFactor(const LoaderSetting& setting);
// nullopt: fewer than two whole epochs, or epochs that cannot be compared.
[[nodiscard]] std::optional<EpochNet> EpochsOf(const std::vector<EpochTimes>& epochs);
// Of the busy time of workers that was no queueing for a core, the share on none; nullopt: not measured.
[[nodiscard]] std::optional<Fraction> OffTheCores(const WindowValues& window);
// Share of the cores from which on all of them count as used.
inline constexpr double kAllCores = 0.9;
// Whether other work keeps cores from the run; false where that was not measured.
[[nodiscard]] bool OthersHaveCores(const WindowValues& window);
// Whether a loop would wait for most of what it waits now also were its workers never idle; false where that
// was not measured.
[[nodiscard]] bool WorkersFallShort(const WindowValues& window);

}  // namespace sluice::exporters
