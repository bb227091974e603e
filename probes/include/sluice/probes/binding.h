// Binding: threads to CPUs and memory to NUMA nodes, and what the kernel has made of it. Nothing is believed
// that was not read back.
//
// Thin calls of the kernel; any thread. Errors say what was refused, why, and what to do about it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sluice/base/cpu_set.h"
#include "sluice/base/error.h"
#include "sluice/base/placement.h"

namespace sluice::probes {

// What a thread may use, as the kernel says; 0: the calling one.
[[nodiscard]] Result<CpuSet> ReadAffinity(int tid);
// Fails where the kernel refuses, and where afterwards the thread may run elsewhere: the kernel leaves out
// CPUs that the control group does not allow without a word. REQUIRES: `cpus` is not empty.
[[nodiscard]] Result<void> BindThread(int tid, const CpuSet& cpus);

// Where the pages of [memory, memory + size) that nobody has touched yet will lie. Both multiples of a page.
[[nodiscard]] Result<void> BindMemory(void* memory, std::size_t size, const Placement& placement);
// Of the calling thread, for all that it and what it starts from now on touches first and nobody has bound.
[[nodiscard]] Result<void> BindOwnMemory(const Placement& placement);

// The node of each page of this process, -1 where none has been touched. nullopt: the kernel does not say.
[[nodiscard]] std::optional<std::vector<int>> NodesOfPages(std::span<void* const> pages);
// Moves the pages of a process from nodes to a node. How many could not be moved. Root, or the same user as
// the process (and CAP_SYS_NICE for pages that it shares).
[[nodiscard]] Result<std::uint64_t> MovePages(int pid, const Placement& from, int to);

}  // namespace sluice::probes
