// TreeWatch: samples a process tree on a thread of its own, so rarely that it costs next to nothing: every
// quarter of a second, and less often where looking takes long.
//
// Made and stopped by one thread.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/wrap/gpu_probe.h"
#include "sluice/wrap/process_tree.h"

namespace sluice::wrap {

class TreeWatch {
 public:
  // Throws std::system_error where there can be no further thread.
  TreeWatch(pid_t command, std::string mark, std::string python_path = "");
  ~TreeWatch();  // stops
  TreeWatch(const TreeWatch&) = delete;
  TreeWatch& operator=(const TreeWatch&) = delete;

  void Stop();

  // After Stop().
  [[nodiscard]] TreeUse tree() const { return tree_.Use(); }
  [[nodiscard]] std::vector<GpuUse> gpus() const;

 private:
  void Main();
  void Sample(MonoTime now);
  [[nodiscard]] bool StoppedWithin(Nanos time);

  ProcessTree tree_;                // the thread's, until it has joined
  std::unique_ptr<GpuProbe> gpus_;  // the same
  MonoTime next_pss_{0}, next_gpus_{0};
  Mutex mutex_;
  CondVar wake_;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace sluice::wrap
