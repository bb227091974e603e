// A whole /proc and /sys of any bytes (see canned_root.h) through the readers: the budget of the machine,
// pressure, the process tree of a wrapped command, its threads, what killed runs have left, and the sampler
// with a run of process 100. Figures are possible ones, and totals do not fall.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "canned_root.h"
#include "epochs/queue_log.h"
#include "input.h"
#include "loaders/crowd.h"
#include "probes/segment_fixture.h"
#include "sluice/base/check.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/probes/process_memory.h"
#include "sluice/probes/psi.h"
#include "sluice/probes/sampler.h"
#include "sluice/probes/worker_threads.h"
#include "sluice/wrap/leftovers.h"
#include "sluice/wrap/process_tree.h"
#include "snapshot_checks.h"

namespace {

using namespace sluice;  // NOLINT

constexpr int kPid = 100, kChild = 101;
constexpr MonoTime kNow = std::chrono::seconds(1000);

fuzz::CannedRoot& Root() {
  static fuzz::CannedRoot root({"proc", "proc/self", "proc/pressure", "proc/100", "proc/100/task/100",
                                "proc/100/task/102", "proc/101", "proc/101/task/101", "proc/103", "dev/shm",
                                "sys/devices/system/cpu", "sys/fs/cgroup", "sys/fs/cgroup/job",
                                "sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu/job", "sys/fs/cgroup/cpuset",
                                "sys/fs/cgroup/memory", "sys/fs/cgroup/memory/job"});
  return root;
}

void CheckBudget(const std::string& root) {
  for (const int pid : {0, kPid}) {
    const probes::MachineBudget budget = probes::ReadMachineBudget(pid, root);
    SLUICE_CHECK(budget.affinity_cpus >= 1 && std::isfinite(budget.cores) && budget.cores > 0);
    SLUICE_CHECK(budget.cores <= budget.affinity_cpus);
    SLUICE_CHECK(budget.memory_available >= Bytes{0} && budget.memory_limit.value_or(Bytes{0}) >= Bytes{0});
    SLUICE_CHECK(budget.throttled.value_or(Nanos(0)) >= Nanos(0));
    SLUICE_CHECK(!budget.limits.cores.empty() && budget.limits.cores.front().cores == budget.cores);
    SLUICE_CHECK(std::ranges::is_sorted(budget.limits.cores, {}, &CoreBound::cores));
    for (const MemoryBound& bound : budget.limits.memory)
      SLUICE_CHECK(bound.limit >= Bytes{0} && bound.left.value_or(Bytes{0}) >= Bytes{0});
    SLUICE_CHECK(budget.limits.steal.value_or(Nanos(0)) >= Nanos(0));
  }
  for (const probes::Resource resource :
       {probes::Resource::kCpu, probes::Resource::kMemory, probes::Resource::kIo}) {
    static_cast<void>(probes::ReadPressure(resource, root));
    static_cast<void>(probes::ReadGroupPressure(resource, kPid, root));
  }
}

void CheckProcess(const std::string& root) {
  if (const auto worker = probes::ReadWorkerThreads(kPid, root)) {
    SLUICE_CHECK(worker->threads >= 0 && std::min(worker->user, worker->system) >= Nanos(0));
    static_cast<void>(app::FindCrowd({*worker, *worker}, 2, false));
  }
  static_cast<void>(probes::ReadThreadedLibraries(kPid, root));
  app::QueueLog queue;
  for (int look = 0; look < 2; ++look) queue.Look(kNow + std::chrono::seconds(look), kPid, root);
  const auto queued = queue.Queued(kNow, kNow + std::chrono::seconds(1));
  SLUICE_CHECK(!queued || (queued->value >= 0 && queued->value <= 1));
}

void CheckUse(const wrap::TreeUse& use) {
  SLUICE_CHECK(std::min({use.user, use.system, use.waited_user, use.waited_system}) >= Nanos(0));
  SLUICE_CHECK(std::min(use.orphan_user, use.orphan_system) >= Nanos(0));
  SLUICE_CHECK(std::min(use.runnable.value_or(Nanos(0)), use.scheduled.value_or(Nanos(0))) >= Nanos(0));
  SLUICE_CHECK(use.peak_rss >= Bytes{0} && use.peak_pss.value_or(Bytes{0}) >= Bytes{0});
  for (const auto& amount : {use.read, use.written, use.storage_read, use.storage_written})
    SLUICE_CHECK(amount.value_or(Bytes{0}) >= Bytes{0});
  SLUICE_CHECK(use.most_processes <= use.processes && use.major_faults >= 0);
}

// What a run of process 100 has in its segment: a worker in it, and one in its child.
probes::SegmentWriter& Segment() {
  static probes::SegmentWriter writer(probes::PrivateSegment(), probes::SmallGraph(), probes::SmallKnobs(),
                                      Budget{});
  static const bool made = [] {
    writer.header().pid = kPid;
    writer.header().start_ticks = 500;
    for (const int pid : {0, kChild}) {
      probes::segment::WorkerSlot& slot = writer.AddWorker(OpId{1});
      slot.pid = pid;
      slot.tid = pid == 0 ? kPid : pid;
      slot.busy_ns = 1'000'000'000;
      slot.helped_ns = 1'000;
    }
    return true;
  }();
  static_cast<void>(made);
  return writer;
}

}  // namespace

// The same tree, then one of the second half of the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kLater = "=== later\n";
  const std::string_view text = fuzz::Text(data, size);
  const std::size_t border = std::min(text.find(kLater), text.size());
  const std::string& root = Root().path();
  Segment();
  probes::Sampler sampler(*probes::SegmentReader::Over(Segment().bytes()),
                          {.root = root, .cores = {}, .memory = {}});
  wrap::ProcessTree tree(kPid, "SLUICE_WRAPPED_BY=100-500", root, "/inject");
  std::optional<Snapshot> before;
  for (const std::string_view part : {text.substr(0, border), text.substr(border)}) {
    Root().Fill(part);
    CheckBudget(root);
    CheckProcess(root);
    const MonoTime at = kNow + (before ? std::chrono::seconds(1) : std::chrono::seconds(0));
    tree.Sample(at);
    tree.SamplePss();
    const Snapshot seen = sampler.Sample(at, at);
    fuzz::CheckSnapshot(seen);
    if (before) fuzz::CheckLater(seen, *before);
    before = seen;
  }
  CheckUse(tree.Use());
  static_cast<void>(tree.Use().cores.Between(kNow, kNow + std::chrono::seconds(1)));
  const wrap::Leftovers removed = wrap::RemoveLeftovers({{kPid, 0}, {kChild, 0}}, root);
  SLUICE_CHECK(removed.semaphores >= 0 && removed.tensors >= 0);
  return 0;
}
