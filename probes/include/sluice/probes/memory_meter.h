// MemoryMeter: what the processes of a run take of the memory, read no more often than it is cheap: the
// kernel walks a process's pages for it. Keeps the last reading of each process.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/units.h"
#include "sluice/probes/process_memory.h"

namespace sluice::probes {

// One thread.
class MemoryMeter {
 public:
  // `root` is prefixed to /proc.
  explicit MemoryMeter(std::string root = "") : root_(std::move(root)) {}

  // Looks at `processes` when it is time to, and at once at new ones where there are more than ever before:
  // one that takes another's place, as workers do in each epoch, is taken to be like it. Returns whether it
  // did.
  bool Update(MonoTime now, const std::vector<int>& processes);

  [[nodiscard]] Bytes proportional() const;  // PSS of all of them
  // The greatest private part among `processes`; nullopt: none of them was seen.
  [[nodiscard]] std::optional<Bytes> GreatestOwn(const std::vector<int>& processes) const;

 private:
  const std::string root_;
  std::map<int, ProcessMemory> seen_;
  std::size_t most_ = 0;  // processes at one look
  std::optional<MonoTime> next_;
};

}  // namespace sluice::probes
