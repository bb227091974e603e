// How much room there is for what processes share: the file system below /dev/shm, where PyTorch's workers
// leave their batches and Sluice its segments.
#pragma once
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::probes {

inline constexpr const char* kSharedMemoryFolder = "/dev/shm";

struct SharedMemory {
  Bytes size{0};
  Bytes free{0};  // for who has no privileges
};

// Of the file system that `folder` is on. Errors name it.
[[nodiscard]] Result<SharedMemory> ReadSharedMemory(const std::string& folder = kSharedMemoryFolder);

}  // namespace sluice::probes
