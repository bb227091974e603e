#include "sluice/probes/binding.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>

namespace sluice::probes {
namespace {

// A kernel answers EINVAL to a mask that is shorter than its own.
constexpr std::size_t kMostCpus = 8192;
constexpr unsigned long kNodeMaskBits = 64;

struct FreeCpus {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuMask = std::unique_ptr<cpu_set_t, FreeCpus>;

CpuMask EmptyMask() {
  CpuMask mask(CPU_ALLOC(kMostCpus));
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMostCpus), mask.get());
  return mask;
}

int KernelMode(const Placement& placement) {
  if (placement.nodes == 0) return MPOL_DEFAULT;
  switch (placement.memory) {
    case MemoryPolicy::kLocal:
      return MPOL_DEFAULT;
    case MemoryPolicy::kBind:
      return MPOL_BIND;
    case MemoryPolicy::kInterleave:
      return MPOL_INTERLEAVE;
    case MemoryPolicy::kPreferred:
      break;
  }
  return std::popcount(placement.nodes) == 1 ? MPOL_PREFERRED : MPOL_PREFERRED_MANY;
}

// Of the policy for memory; `call` gets the mode, the mask and its length.
template <typename Call>
Result<void> SetPolicy(const Placement& placement, const Call& call) {
  const int mode = KernelMode(placement);
  const unsigned long mask = placement.nodes;
  const bool none = mode == MPOL_DEFAULT;
  if (call(mode, none ? nullptr : &mask, none ? 0 : kNodeMaskBits + 1) == 0) return {};
  const int error = errno;
  const char* const why = error == EINVAL ? "the control group (cpuset.mems) or the machine does not have it"
                          : error == EPERM
                              ? "a seccomp filter forbids it, as container runtimes do without CAP_SYS_NICE"
                              : std::strerror(error);
  return Fail(fmt::format("memory cannot be placed on {}: {}", PlacementText(placement), why));
}

}  // namespace

Result<CpuSet> ReadAffinity(int tid) {
  const CpuMask mask = EmptyMask();
  const std::size_t size = CPU_ALLOC_SIZE(kMostCpus);
  if (sched_getaffinity(tid, size, mask.get()) != 0)
    return Fail(fmt::format("thread {}: its CPUs cannot be read: {}", tid, std::strerror(errno)));
  CpuSet cpus;
  for (int cpu = 0; cpu < static_cast<int>(kMostCpus); ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, mask.get())) cpus.Add(cpu);
  }
  return cpus;
}

Result<void> BindThread(int tid, const CpuSet& cpus) {
  const CpuMask mask = EmptyMask();
  const std::size_t size = CPU_ALLOC_SIZE(kMostCpus);
  for (const int cpu : cpus.Cpus()) {
    if (cpu < static_cast<int>(kMostCpus)) CPU_SET_S(static_cast<std::size_t>(cpu), size, mask.get());
  }
  if (sched_setaffinity(tid, size, mask.get()) != 0) {
    const int error = errno;
    const char* const why = error == EINVAL  ? "the control group (cpuset.cpus) allows none of them"
                            : error == EPERM ? "it belongs to another user, or a seccomp filter forbids it"
                                             : std::strerror(error);
    return Fail(fmt::format("thread {} cannot be bound to CPUs {}: {}", tid, CpuListText(cpus), why));
  }
  const auto now = ReadAffinity(tid);
  if (!now) return std::unexpected(now.error());
  if (now->Within(cpus)) return {};
  return Fail(fmt::format("thread {} was bound to CPUs {}, and the kernel says that it may use {}", tid,
                          CpuListText(cpus), CpuListText(*now)));
}

Result<void> BindMemory(void* memory, std::size_t size, const Placement& placement) {
  return SetPolicy(placement, [&](int mode, const unsigned long* mask, unsigned long bits) {
    return syscall(SYS_mbind, memory, size, mode, mask, bits, 0);
  });
}

Result<void> BindOwnMemory(const Placement& placement) {
  return SetPolicy(placement, [](int mode, const unsigned long* mask, unsigned long bits) {
    return syscall(SYS_set_mempolicy, mode, mask, bits);
  });
}

std::optional<std::vector<int>> NodesOfPages(std::span<void* const> pages) {
  std::vector<int> nodes(pages.size(), -1);
  if (pages.empty()) return nodes;
  if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
    return std::nullopt;
  for (int& node : nodes) node = std::max(node, -1);
  return nodes;
}

Result<std::uint64_t> MovePages(int pid, const Placement& from, int to) {
  const unsigned long old_nodes = from.nodes;
  const unsigned long new_nodes = OnNode(to).nodes;
  const auto left = syscall(SYS_migrate_pages, pid, kNodeMaskBits + 1, &old_nodes, &new_nodes);
  if (left >= 0) return static_cast<std::uint64_t>(left);
  const int error = errno;
  const char* const why = error == EPERM    ? "it is another user's, or a seccomp filter forbids it"
                          : error == ESRCH  ? "it has ended"
                          : error == EINVAL ? "the control group (cpuset.mems) does not have it"
                                            : std::strerror(error);
  return Fail(fmt::format("pages of process {} cannot be moved to node {}: {}", pid, to, why));
}

}  // namespace sluice::probes
