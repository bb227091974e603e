#include "sluice/wrap/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "process_files.h"
#include "sluice/base/check.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/process_memory.h"

namespace sluice::wrap {
namespace {

constexpr int kDeepestTree = 128;
constexpr std::chrono::seconds kForgetStrangers{5};  // their pids may be used again
constexpr std::size_t kMostMainThreads = 100;        // of processes that have ended

std::vector<int> NumbersIn(const std::string& folder) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return numbers;
  while (const dirent* entry = readdir(entries.get())) {
    const auto number = probes::ParseInteger(entry->d_name);
    if (number && *number > 0) numbers.push_back(static_cast<int>(*number));
  }
  std::ranges::sort(numbers);
  return numbers;
}

Bytes FromPages(std::int64_t pages) {
  static const std::int64_t size = sysconf(_SC_PAGE_SIZE);
  return Bytes{pages * size};
}

probes::SchedStat& operator+=(probes::SchedStat& sum, const probes::SchedStat& more) {
  sum.on_cpu = Sum(sum.on_cpu, more.on_cpu);
  sum.runnable = Sum(sum.runnable, more.runnable);
  return sum;
}

template <typename T>
void Add(T& sum, T more) {
  sum = Sum(sum, more);
}
// What nobody has said stays missing.
template <typename T>
void Add(std::optional<T>& sum, T more) {
  sum = Sum(sum.value_or(T{0}), more);
}

// From one to the other, generation by generation.
void TakeChildren(std::map<int, probes::ProcStat>& unclear, std::map<int, probes::ProcStat>& found) {
  std::size_t before = 0;
  do {
    before = unclear.size();
    std::erase_if(unclear, [&](const auto& entry) {
      const bool ours = found.contains(entry.second.parent);
      if (ours) found.insert(entry);
      return ours;
    });
  } while (unclear.size() != before);
}

bool IsIn(const std::map<int, probes::ProcStat>& found, int pid, const probes::ProcStat& stat) {
  const auto now = found.find(pid);
  return now != found.end() && now->second.start_ticks == stat.start_ticks;
}

bool IsPython(const std::string& name) {
  return name.starts_with("python") || name.starts_with("pypy");
}

// Whether the folder is in the PYTHONPATH of an environment as /proc shows it.
bool LooksIn(std::string_view environment, const std::string& folder) {
  constexpr std::string_view kVariable = "PYTHONPATH=";
  for (std::size_t begin = 0; begin < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', begin), environment.size());
    const std::string_view entry = environment.substr(begin, end - begin);
    if (entry.starts_with(kVariable)) return entry.find(folder) != std::string_view::npos;
    begin = end + 1;
  }
  return false;
}

Nanos CpuOf(const probes::ProcStat& stat) {
  return probes::FromTicks(stat.utime_ticks + stat.stime_ticks);
}

// With that of the children it has waited for.
Nanos ChargedTo(const probes::ProcStat& stat) {
  return Sum(CpuOf(stat), probes::FromTicks(stat.waited_utime_ticks + stat.waited_stime_ticks));
}

}  // namespace

void CoresLog::Add(MonoTime at, Nanos own, Nanos busy, Nanos idle) {
  own_.Add(at, own);
  busy_.Add(at, busy);
  idle_.Add(at, idle);
}

std::optional<CoresUse> CoresLog::Between(MonoTime from, MonoTime to) const {
  const auto own = own_.Growth(from, to);
  const auto busy = busy_.Growth(from, to);
  const auto idle = idle_.Growth(from, to);
  if (!own || !busy || !idle) return std::nullopt;
  return CoresUse{std::max(0.0, *own), std::max(0.0, *busy - *own), *idle};
}

ProcessTree::ProcessTree(int command, std::string mark, std::string root, std::string python_path)
    : command_(command),
      mark_(std::move(mark)),
      root_(std::move(root)),
      python_path_(std::move(python_path)) {}

void ProcessTree::Sample(MonoTime at) {
  if (at - strangers_since_ > kForgetStrangers) {
    strangers_.clear();
    strangers_since_ = at;
  }
  const Found found = FindProcesses();
  NoteEnded(found);
  Bytes rss{0};
  for (const auto& [pid, stat] : found) {
    Look(pid, stat, at);
    Add(rss, FromPages(stat.resident_pages));
  }
  NoteCores(at);
  most_ = std::max(most_, static_cast<int>(alive_.size()));
  peak_rss_ = std::max(peak_rss_, rss);
}

// Parents mostly have smaller pids than their children, but not where pids begin anew.
ProcessTree::Found ProcessTree::FindProcesses() {
  Found found, unclear;
  for (const int pid : NumbersIn(root_ + "/proc")) {
    if (strangers_.contains(pid)) continue;
    const auto stat = probes::ReadProcStat(pid, root_);
    if (stat) (Belongs(pid, *stat, found) ? found : unclear).emplace(pid, *stat);
  }
  TakeChildren(unclear, found);
  for (auto next = unclear.begin(); next != unclear.end();) {
    const auto seen = next++;
    if (CarriesMark(seen->first)) found.insert(unclear.extract(seen));
  }
  TakeChildren(unclear, found);
  for (const auto& [pid, stat] : unclear) strangers_.insert(pid);
  return found;
}

bool ProcessTree::Belongs(int pid, const probes::ProcStat& stat, const Found& found) const {
  if (pid == command_ || found.contains(stat.parent)) return true;
  const auto known = alive_.find(pid);
  return known != alive_.end() && known->second.stat.start_ticks == stat.start_ticks;
}

bool ProcessTree::CarriesMark(int pid) const {
  const auto environment = probes::ReadSmallFile(fmt::format("{}/proc/{}/environ", root_, pid));
  return environment && !mark_.empty() && HasVariable(*environment, mark_);
}

void ProcessTree::NoteEnded(const Found& found) {
  std::vector<int> gone;
  for (auto& [pid, process] : alive_) {
    if (IsIn(found, pid, process.stat)) continue;
    gone.push_back(pid);
    const auto ancestor = alive_.find(LivingAncestor(process, found));
    if (ancestor == alive_.end()) {
      Add(ended_cpu_, ChargedTo(process.stat));
      AddOrphan(ended_.use, process);
      continue;
    }
    process.io.reset();
    Add(ancestor->second.below_user, UserWithBelow(process));
    Add(ancestor->second.below_system, SystemWithBelow(process));
  }
  for (const int pid : gone) {
    AddTo(ended_, alive_.at(pid));
    alive_.erase(pid);
  }
  auto& main_threads = ended_.use.main_threads;
  while (main_threads.size() > kMostMainThreads) {
    main_threads.erase(
        std::ranges::min_element(main_threads, {}, [](const auto& entry) { return entry.second.on_cpu; }));
  }
}

void ProcessTree::NoteCores(MonoTime at) {
  const auto cpus = probes::ReadCpuTimes(0, root_);
  if (!cpus) return;
  Nanos own = ended_cpu_;
  for (const auto& [pid, process] : alive_) Add(own, ChargedTo(process.stat));
  if (!cpus_at_first_) cpus_at_first_ = *cpus;
  const auto since_first = [](std::uint64_t now, std::uint64_t first) {
    return probes::FromTicks(std::max(now, first) - first);
  };
  cores_.Add(at, own, since_first(cpus->busy_ticks, cpus_at_first_->busy_ticks),
             since_first(cpus->idle_ticks, cpus_at_first_->idle_ticks));
}

// A parent that waits is charged for what its child has read and written, and so on upwards.
int ProcessTree::LivingAncestor(const Process& process, const Found& found) const {
  auto ancestor = alive_.find(process.stat.parent);
  for (int depth = 0; depth < kDeepestTree && ancestor != alive_.end(); ++depth) {
    if (IsIn(found, ancestor->first, ancestor->second.stat)) return ancestor->first;
    ancestor = alive_.find(ancestor->second.stat.parent);
  }
  return 0;
}

void ProcessTree::Look(int pid, const probes::ProcStat& stat, MonoTime at) {
  const auto [entry, fresh] = alive_.try_emplace(pid);
  Process& process = entry->second;
  if (fresh) process.first = at;
  process.pid = pid;
  process.stat = stat;
  process.last = at;
  SampleThreads(process);
  SampleIo(process);
  JudgePython(process);
  LookForUser(process);
}

void ProcessTree::SampleThreads(Process& process) const {
  const std::string folder = fmt::format("{}/proc/{}/task", root_, process.pid);
  std::map<int, probes::SchedStat> now;
  for (const int tid : NumbersIn(folder)) {
    const auto text = probes::ReadSmallFile(fmt::format("{}/{}/schedstat", folder, tid));
    const auto stat = text ? probes::ParseSchedStat(*text) : std::nullopt;
    if (stat) now.emplace(tid, *stat);
  }
  for (const auto& [tid, last] : process.threads) {
    if (!now.contains(tid)) process.ended += last;
  }
  process.threads = std::move(now);
  const auto main = process.threads.find(process.pid);
  if (main == process.threads.end()) return;
  process.main = main->second;
  if (!process.first_main) process.first_main = process.main;
}

void ProcessTree::SampleIo(Process& process) const {
  const auto text = probes::ReadSmallFile(fmt::format("{}/proc/{}/io", root_, process.pid));
  if (const auto io = text ? ParseProcessIo(*text) : std::nullopt) {
    process.io = Io{io->read, io->written, io->storage_read, io->storage_written};
  }
}

// Once per program that the process runs: its environment is that of its start. One that has ended shows
// none.
void ProcessTree::JudgePython(Process& process) const {
  if (process.judged == process.stat.name || process.stat.resident_pages == 0) return;
  process.judged = process.stat.name;
  process.stray = false;
  if (!IsPython(process.stat.name) || python_path_.empty()) return;
  const auto environment = probes::ReadSmallFile(fmt::format("{}/proc/{}/environ", root_, process.pid));
  process.stray = environment && !LooksIn(*environment, python_path_);
}

// It may change in the course of a run. One that has ended keeps what it was.
void ProcessTree::LookForUser(Process& process) const {
  if (!IsPython(process.stat.name)) return;
  const auto status = probes::ReadSmallFile(fmt::format("{}/proc/{}/status", root_, process.pid));
  auto users = status ? probes::FindLine(*status, "Uid") : std::nullopt;
  if (!users) return;
  static_cast<void>(probes::TakeWord(*users));  // the real one
  const auto effective = probes::ParseCount(probes::TakeWord(*users));
  if (effective && *effective != geteuid()) process.other_user = static_cast<int>(*effective);
}

void ProcessTree::SamplePss() {
  std::optional<Bytes> sum;
  for (const auto& [pid, process] : alive_) {
    if (const auto memory = probes::ReadProcessMemory(pid, root_)) Add(sum, memory->proportional);
  }
  if (sum) peak_pss_ = std::max(peak_pss_.value_or(Bytes{0}), *sum);
}

std::vector<int> ProcessTree::Pids() const {
  std::vector<int> pids;
  pids.reserve(alive_.size());
  for (const auto& [pid, process] : alive_) pids.push_back(pid);
  return pids;
}

TreeUse ProcessTree::Use() const {
  Sums sums = ended_;
  for (const auto& [pid, process] : alive_) {
    AddTo(sums, process);
    AddOrphan(sums.use, process);
  }
  TreeUse& use = sums.use;
  use.most_processes = most_;
  use.peak_rss = peak_rss_;
  use.peak_pss = peak_pss_;
  use.cores = cores_;
  return std::move(use);
}

// A thread is read a moment after its look began: between two looks there is at least what it had then.
MainThreadUse ProcessTree::MainThreadOf(const Process& process) {
  SLUICE_CHECK(process.main && process.first_main);
  const Nanos on_cpu = process.main->on_cpu - process.first_main->on_cpu;
  const Nanos runnable = process.main->runnable - process.first_main->runnable;
  return {process.pid, process.stat.name, std::max(process.last - process.first, Sum(on_cpu, runnable)),
          on_cpu, runnable};
}

void ProcessTree::AddTo(Sums& sums, const Process& process) const {
  TreeUse& use = sums.use;
  AddUse(use, process);
  const auto [started, fresh] = use.started.try_emplace(process.pid, process.stat.start_ticks);
  if (!fresh) started->second = std::min(started->second, process.stat.start_ticks);
  if (process.main) {
    use.main_threads[process.pid] = MainThreadOf(process);
    if (const Nanos cpu = CpuOf(process.stat); cpu > sums.most) {
      sums.most = cpu;
      use.busiest = MainThreadOf(process);
    }
  }
  if (IsPython(process.judged)) ++use.pythons;
  if ((process.stray || process.other_user) && !use.stray) {
    const auto user = process.stray ? std::nullopt : process.other_user;
    use.stray = StrayPython{process.pid, process.stat.name, user};
  }
}

void ProcessTree::AddUse(TreeUse& use, const Process& process) const {
  const probes::ProcStat& stat = process.stat;
  ++use.processes;
  Add(use.user, probes::FromTicks(stat.utime_ticks));
  Add(use.system, probes::FromTicks(stat.stime_ticks));
  use.major_faults += stat.major_faults;
  if (process.pid == command_) {
    use.waited_user = probes::FromTicks(stat.utime_ticks + stat.waited_utime_ticks);
    use.waited_system = probes::FromTicks(stat.stime_ticks + stat.waited_stime_ticks);
  }
  AddThreads(use, process);
  if (!process.io) return;
  Add(use.read, process.io->read);
  Add(use.written, process.io->written);
  Add(use.storage_read, process.io->storage_read);
  Add(use.storage_written, process.io->storage_written);
}

Nanos ProcessTree::UserWithBelow(const Process& process) {
  return Sum(probes::FromTicks(process.stat.utime_ticks), process.below_user);
}

Nanos ProcessTree::SystemWithBelow(const Process& process) {
  return Sum(probes::FromTicks(process.stat.stime_ticks), process.below_system);
}

void ProcessTree::AddOrphan(TreeUse& use, const Process& process) const {
  if (!IsOrphan(process)) return;
  Add(use.orphan_user, UserWithBelow(process));
  Add(use.orphan_system, SystemWithBelow(process));
}

bool ProcessTree::IsOrphan(const Process& process) const {
  const Process* from = &process;
  for (int depth = 0; depth < kDeepestTree; ++depth) {
    if (from->pid == command_ || from->stat.parent == command_) return false;
    const auto parent = alive_.find(from->stat.parent);
    if (parent == alive_.end()) return true;
    from = &parent->second;
  }
  return true;
}

void ProcessTree::AddThreads(TreeUse& use, const Process& process) {
  if (!process.main) return;
  probes::SchedStat sum = process.ended;
  for (const auto& [tid, stat] : process.threads) sum += stat;
  Add(use.scheduled, sum.on_cpu);
  Add(use.runnable, sum.runnable);
}

}  // namespace sluice::wrap
