#include "sluice/probes/sampler.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "live/cpu_attribution.h"
#include "live/place_times.h"
#include "live/throttle_log.h"
#include "sluice/base/clock.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/machine_losses.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr Nanos kBudgetAge = std::chrono::seconds(1);

std::vector<std::optional<SchedStat>> ReadSched(int pid, const std::vector<WorkerThread>& threads,
                                                const std::string& root) {
  std::vector<std::optional<SchedStat>> sched(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].tid <= 0) continue;
    const int process = threads[i].pid > 0 ? threads[i].pid : pid;
    const auto text =
        ReadSmallFile(fmt::format("{}/proc/{}/task/{}/schedstat", root, process, threads[i].tid));
    if (text) sched[i] = ParseSchedStat(*text);
  }
  return sched;
}

// The process's CPU clock counts nanoseconds, its stat file ticks of 10 ms.
std::optional<Nanos> ReadProcessCpu(int pid, const std::string& root) {
  clockid_t clock = 0;
  if (root.empty() && clock_getcpuclockid(pid, &clock) == 0) return ReadClock(clock);
  const auto stat = ReadProcStat(pid, root);
  if (!stat) return std::nullopt;
  return FromTicks(stat->utime_ticks + stat->stime_ticks);
}

// CPU time of the processes that workers live in, also of those that have ended. One thread.
class WorkerProcesses {
 public:
  void Update(int pid, const std::vector<WorkerThread>& threads, const std::string& root) {
    for (const WorkerThread& thread : threads) {
      if (thread.pid <= 0 || thread.pid == pid || thread.retired) continue;
      if (const auto cpu = ReadProcessCpu(thread.pid, root)) Note(thread.pid, *cpu);
    }
  }
  [[nodiscard]] Nanos cpu() const { return cpu_; }

 private:
  // Less than before: the kernel has given the number to a new process.
  void Note(int pid, Nanos cpu) {
    Nanos& before = seen_[pid];
    cpu_ = Sum(cpu_, cpu < before ? cpu : cpu - before);
    before = cpu;
  }

  std::map<int, Nanos> seen_;
  Nanos cpu_{0};
};

std::optional<Bytes> ReadRss(int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/statm", root, pid));
  return text ? ParseResident(*text, sysconf(_SC_PAGESIZE)) : std::nullopt;
}

}  // namespace

struct Sampler::Impl {
  Impl(SegmentReader source, SamplerOptions chosen)
      : reader(std::move(source)),
        options(std::move(chosen)),
        pid(static_cast<int>(reader.identity().pid)),
        cpu(reader.Read(MonoTime{0}, Nanos{0}).ops.size()),
        places(options.root) {}

  void RenewMachine(MonoTime now);
  void ReadProcess(Snapshot& now);
  void FillOps(Snapshot& now);
  void FillBudget(Budget& budget, Bytes buffered);

  const SegmentReader reader;
  const SamplerOptions options;
  const int pid;
  CpuAttribution cpu;
  PlaceTimes places;
  std::optional<MachineBudget> machine;
  std::shared_ptr<const MachineLimits> limits;
  MonoTime machine_at{0};
  ThrottleLog throttled;
  MachineLosses losses;
  std::optional<Bytes> memory;  // that buffers may hold; as it was last
  WorkerProcesses processes;
  Nanos own_cpu{0};
  std::optional<std::uint64_t> idle_at_first;  // ticks
};

void Sampler::Impl::RenewMachine(MonoTime now) {
  if (machine && now - machine_at < kBudgetAge) return;
  machine = ReadMachineBudget(pid, options.root);
  machine_at = now;
  throttled.Look(now, machine->limits.quotas);
  losses.Narrow(now, *machine);
  limits = std::make_shared<const MachineLimits>(machine->limits);
}

void Sampler::Impl::ReadProcess(Snapshot& now) {
  RenewMachine(now.at);
  own_cpu = std::max(own_cpu, ReadProcessCpu(pid, options.root).value_or(Nanos(0)));
  now.rss = ReadRss(pid, options.root);
  const auto cpus = ReadCpuTimes(pid, options.root);
  if (!cpus) return;
  if (!idle_at_first) idle_at_first = cpus->idle_ticks;
  now.idle = FromTicks(std::max(cpus->idle_ticks, *idle_at_first) - *idle_at_first);
}

void Sampler::Impl::FillOps(Snapshot& now) {
  for (std::size_t i = 0; i < now.ops.size(); ++i) {
    const auto seen = cpu.Report(OpId{static_cast<std::uint32_t>(i)}, now.ops[i].busy);
    if (!seen) continue;
    now.ops[i].on_cpu = seen->on_cpu;
    now.ops[i].runnable = seen->runnable;
  }
}

void Sampler::Impl::FillBudget(Budget& budget, Bytes buffered) {
  if (machine) budget.cores = machine->cores;
  if (options.cores) budget.cores = machine ? std::min(*options.cores, machine->cores) : *options.cores;
  if (options.memory) {
    budget.memory = *options.memory;
  } else if (budget.memory.count == 0 && machine) {
    budget.memory = {machine->memory_available.count / 4};
  }
  const auto left = machine ? MemoryLeft(machine->limits) : std::nullopt;
  if (!left || budget.memory.count == 0) return;
  memory = MemoryThatFits(budget.memory, memory.value_or(budget.memory), buffered, *left);
  budget.memory = *memory;
}

Sampler::Sampler(SegmentReader reader, SamplerOptions options)
    : impl_(std::make_unique<Impl>(std::move(reader), std::move(options))) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

Snapshot Sampler::Sample(MonoTime now, Nanos wall) {
  // Threads first: what they were busy is then not more than what the snapshot says.
  const auto threads = impl_->reader.Threads(now);
  const int pid = impl_->pid;
  const bool alive = ProcessAlive(pid, impl_->reader.identity().start_ticks, impl_->options.root);
  const auto sched = alive ? ReadSched(pid, threads, impl_->options.root)
                           : std::vector<std::optional<SchedStat>>(threads.size());
  impl_->cpu.Update(threads, sched);
  Snapshot snapshot = impl_->reader.Read(now, wall);
  impl_->places.Look(pid, threads, sched, snapshot);
  if (alive) {
    impl_->ReadProcess(snapshot);
    impl_->processes.Update(pid, threads, impl_->options.root);
  }
  impl_->FillOps(snapshot);
  impl_->FillBudget(snapshot.budget, snapshot.buffered);
  snapshot.process_cpu = Sum(impl_->own_cpu, impl_->processes.cpu());
  snapshot.threads_cpu = impl_->cpu.threads_cpu();
  if (const auto& machine = impl_->machine) snapshot.throttled = machine->throttled;
  snapshot.machine = impl_->limits;
  return snapshot;
}

const SegmentReader& Sampler::reader() const {
  return impl_->reader;
}

}  // namespace sluice::probes
