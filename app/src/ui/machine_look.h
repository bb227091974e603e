// MachineLook: what a watched process does to its machine: which threads run on which cores, what waits for
// the machine, GPUs. Looking costs, so it is done once a second at most. One thread.
#pragma once
#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sluice/base/process_place.h"
#include "sluice/base/units.h"
#include "sluice/ui/scene.h"
#include "sluice/wrap/gpu_probe.h"

namespace sluice::app {

// `now` and what the threads had on the CPU when they were last looked at, by thread: the cores that they ran
// on last, with the time since then over `passed`. A thread counts for the core where it ran last. Pure.
[[nodiscard]] std::vector<ui::CoreSeen> CoresOf(const std::vector<ProcessPlace>& now,
                                                const std::map<int, Nanos>& before, Nanos passed);

class MachineLook {
 public:
  explicit MachineLook(pid_t pid) : pid_(pid) {}
  // Returns whether it was time to look again.
  bool Take(MonoTime now);
  // nullopt: not yet.
  [[nodiscard]] const std::optional<ui::MachineSeen>& seen() const { return seen_; }

 private:
  void TakeCores(MonoTime now);
  void TakePressure();

  const pid_t pid_;
  std::unique_ptr<wrap::GpuProbe> gpus_;
  bool opened_ = false;
  MonoTime looked_{0};
  std::map<int, Nanos> on_cpu_;  // of each thread, then
  std::optional<ui::MachineSeen> seen_;
};

}  // namespace sluice::app
