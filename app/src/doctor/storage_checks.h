// What the storage of a data set slows down. Pure functions of what was read.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "doctor/doctor_words.h"
#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/probes/block_devices.h"
#include "sluice/probes/data_sample.h"
#include "sluice/probes/page_cache.h"

namespace sluice::app {

struct DataLook {
  std::string folder;  // as the user names it
  Result<probes::Storage> storage;
  probes::DataSample sample;
  probes::CachedShare cached;
};

struct FreeMemory {
  std::optional<Bytes> bytes;  // pages of files count as free; nullopt: not told
  std::string origin;
};

// Device, scheduler, read-ahead, whether it fits into memory, what of it is cached.
[[nodiscard]] std::vector<DoctorCheck> StorageChecks(const DataLook& look, const FreeMemory& memory);

}  // namespace sluice::app
