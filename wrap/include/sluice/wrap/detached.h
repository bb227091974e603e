// Detached: a process that stays beside this one when this one becomes the command (`--exec`). It is no child
// of the command, which may wait for any child, and has a session of its own, so that no terminal signals it.
#pragma once
#include <sys/types.h>

#include <functional>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"
#include "sluice/base/units.h"

namespace sluice::wrap {

// Waits for the end of a process that is not a child. One thread.
class ProcessWatch {
 public:
  explicit ProcessWatch(pid_t pid);
  // Returns whether it has ended, after `longest` at the latest.
  [[nodiscard]] bool EndsWithin(Nanos longest) const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  std::uint64_t start_ticks_ = 0;
  Fd pidfd_;  // a kernel before 5.3 has none
};

// In the detached process `prepare` runs first (its standard error is still ours), then `stay`, without any
// of our files, until it returns. Comes back once `prepare` is through. REQUIRES: no other threads.
[[nodiscard]] Result<void> StartDetached(const std::function<void()>& prepare,
                                         const std::function<void(const ProcessWatch&)>& stay);

}  // namespace sluice::wrap
