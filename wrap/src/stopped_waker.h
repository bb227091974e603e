// A stopped process cannot see that its command goes on again. StoppedWaker is a helper process that looks on
// its behalf, and continues it then.
#pragma once
#include <sys/types.h>

namespace sluice::wrap {

// Whether the text of a /proc/PID/stat says that the process is stopped. Async-signal-safe.
[[nodiscard]] bool SaysStopped(const char* stat);

// Returns the helper's pid, -1 where it could not be made. It ends by itself when `sleeper`, our process, is
// gone.
[[nodiscard]] pid_t StartStoppedWaker(pid_t stopped);
void EndStoppedWaker(pid_t helper);

}  // namespace sluice::wrap
