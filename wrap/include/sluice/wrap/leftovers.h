// What killed processes of wrapped runs leave in shared memory, and its removal.
//
// Named semaphores of multiprocessing, whose names say who made them (python/sluice/_semaphores.py), and
// tensors of PyTorch, "torch_PID_...". A file goes only when it is this user's, its maker was a process of a
// wrapped run in this PID namespace, that process has ended, and no living process maps the file.
//
// Functions without state. They read /proc and /dev/shm under `root`.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace sluice::wrap {

struct Leftovers {
  int semaphores = 0;
  int tensors = 0;
};

// By pid: when it started at the earliest, in clock ticks since boot as in /proc/PID/stat.
using Makers = std::map<int, std::uint64_t>;

// Removes the semaphores of all wrapped runs, and the tensors of `makers`, the processes of one run: these
// only when all of them have ended, since a tensor on its way from one to another is mapped by none.
Leftovers RemoveLeftovers(const Makers& makers = {}, const std::string& root = "");

// The same with the makers that the segments of dead processes name; removes these segments once their
// workers have ended too.
Leftovers RemoveWhatDeadRunsLeft();

}  // namespace sluice::wrap
