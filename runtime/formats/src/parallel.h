// ForEach: runs independent pieces of work on several threads, the caller's among them.
#pragma once
#include <cstdint>
#include <functional>

#include "sluice/base/error.h"

namespace sluice::formats::internal {

// Cores that this process may run on.
[[nodiscard]] int UsableCores();

// Calls work(i) once for each i of [0, count), on `threads` threads, in no particular order. The first
// Error ends it: no new piece is begun, and that Error is returned. `done` is called from the calling
// thread with the number of finished pieces, now and then.
[[nodiscard]] Result<void> ForEach(std::uint64_t count, int threads,
                                   const std::function<Result<void>(std::uint64_t)>& work,
                                   const std::function<void(std::uint64_t)>& done);

}  // namespace sluice::formats::internal
