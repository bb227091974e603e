// ProcessTree: a command and everything that has come from it, measured from outside.
//
// A process belongs to the tree when its parent does, or, where the parent has gone, when it carries the
// tree's mark in its environment. What it used is kept as last seen when it ends, in sums: a run may start
// workers for weeks. What lived between two samples is not seen at all, only in what its parent is charged
// for (`waited`).
//
// One thread. Reads /proc; `root` is prefixed to it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sluice/base/process_use.h"
#include "sluice/base/time_log.h"
#include "sluice/base/units.h"
#include "sluice/probes/proc_files.h"

namespace sluice::wrap {

// Who had the cores, by time.
class CoresLog {
 public:
  void Add(MonoTime at, Nanos own, Nanos busy, Nanos idle);
  // nullopt: not known for at least most of the time from `from` to `to`.
  [[nodiscard]] std::optional<CoresUse> Between(MonoTime from, MonoTime to) const;

 private:
  TimeLog own_, busy_, idle_;
};

// nullopt: the kernel does not say.
struct TreeUse {
  int processes = 0;                       // seen at all
  int most_processes = 0;                  // at once
  Nanos user{0}, system{0};                // of the processes seen
  Nanos waited_user{0}, waited_system{0};  // the command's own with those of the children that it waited for
  // Of processes that nobody in the tree can wait for: their parents have gone.
  Nanos orphan_user{0}, orphan_system{0};
  std::optional<Nanos> runnable;   // all threads: waiting for a core
  std::optional<Nanos> scheduled;  // the same threads: on one
  Bytes peak_rss{0};
  std::optional<Bytes> peak_pss;
  std::optional<Bytes> read, written, storage_read, storage_written;
  std::int64_t major_faults = 0;
  std::optional<MainThreadUse> busiest;  // of the process with the most CPU time
  // By pid: of those alive, and of the hundred of the others that were longest on a core.
  std::map<int, MainThreadUse> main_threads;
  std::map<int, std::uint64_t> started;  // of all, by pid: in clock ticks since boot; of one pid the first
  int pythons = 0;                       // processes that run Python, by their name
  std::optional<StrayPython> stray;      // the first of them
  CoresLog cores;
};

class ProcessTree {
 public:
  // `mark`: "NAME=value", unique to this tree. `python_path`: a folder that PYTHONPATH has in all of it;
  // empty: none.
  ProcessTree(int command, std::string mark, std::string root = "", std::string python_path = "");

  void Sample(MonoTime at);
  // The same processes' PSS. Costly: the kernel walks all their pages.
  void SamplePss();

  [[nodiscard]] TreeUse Use() const;
  [[nodiscard]] std::vector<int> Pids() const;  // alive at the last sample

 private:
  struct Io {
    Bytes read{0}, written{0}, storage_read{0}, storage_written{0};
  };
  struct Process {
    int pid = 0;
    probes::ProcStat stat;
    MonoTime first{0}, last{0};
    std::map<int, probes::SchedStat> threads;  // alive
    probes::SchedStat ended;                   // threads that are not
    std::optional<probes::SchedStat> first_main, main;
    std::optional<Io> io;
    std::string judged;  // the name under which it was looked at for `stray`
    bool stray = false;
    std::optional<int> other_user;         // that it runs as
    Nanos below_user{0}, below_system{0};  // of processes below it that have ended
  };
  struct Sums {
    TreeUse use;
    Nanos most{-1};  // the CPU time of `use.busiest`
  };
  using Found = std::map<int, probes::ProcStat>;  // by pid

  [[nodiscard]] Found FindProcesses();
  [[nodiscard]] bool Belongs(int pid, const probes::ProcStat& stat, const Found& found) const;
  [[nodiscard]] bool CarriesMark(int pid) const;
  // 0: none.
  [[nodiscard]] int LivingAncestor(const Process& process, const Found& found) const;
  void NoteEnded(const Found& found);
  void NoteCores(MonoTime at);
  void Look(int pid, const probes::ProcStat& stat, MonoTime at);
  void SampleThreads(Process& process) const;
  void SampleIo(Process& process) const;
  void JudgePython(Process& process) const;
  void LookForUser(Process& process) const;
  void AddTo(Sums& sums, const Process& process) const;
  void AddUse(TreeUse& use, const Process& process) const;
  // The time of an orphan, with that of those below it that have ended.
  void AddOrphan(TreeUse& use, const Process& process) const;
  [[nodiscard]] bool IsOrphan(const Process& process) const;
  [[nodiscard]] static Nanos UserWithBelow(const Process& process);
  [[nodiscard]] static Nanos SystemWithBelow(const Process& process);
  static void AddThreads(TreeUse& use, const Process& process);
  [[nodiscard]] static MainThreadUse MainThreadOf(const Process& process);

  const int command_;
  const std::string mark_, root_, python_path_;
  std::map<int, Process> alive_;
  Sums ended_;
  std::set<int> strangers_;  // looked at, not ours
  MonoTime strangers_since_{0};
  int most_ = 0;
  Nanos ended_cpu_{0};                             // of processes that no living one was charged for
  std::optional<probes::CpuTimes> cpus_at_first_;  // since boot: of many cores more than a Nanos holds
  CoresLog cores_;
  Bytes peak_rss_{0};
  std::optional<Bytes> peak_pss_;
};

}  // namespace sluice::wrap
