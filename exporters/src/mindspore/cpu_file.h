// minddata_cpu_utilization_R.json of MindSpore 1 and 2: when its profiler looked, and how much of a core
// each op and the whole process used since the look before. An immutable function.
//
// What the file says of the machine (device_info) is not read: MindSpore 2.0 counts its samples twice there.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/exporters/mindspore_profile.h"

namespace sluice::exporters {

// Cores in use (1: one core all the time) in the time before each look; nullopt: not told, or impossible.
using CoreSamples = std::vector<std::optional<double>>;

struct CpuFile {
  int cpus = 0;                               // of the machine
  std::vector<std::int64_t> times{};          // ms, rising; at least one
  std::map<std::int64_t, CoreSamples> ops{};  // by the op's id; as long as `times`
  CoreSamples process{};
  std::vector<std::optional<Bytes>> resident{};  // empty, or as long as `times`
  std::optional<Bytes> memory{};                 // of the machine
  std::size_t impossible = 0;                    // samples that say more cores than there are
};

[[nodiscard]] Result<CpuFile> ParseCpuFile(const ProfileFile& text);

}  // namespace sluice::exporters
