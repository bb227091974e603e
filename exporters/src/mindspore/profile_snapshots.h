// Snapshots from what the files of a profile say. An immutable function.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindspore/cpu_file.h"
#include "mindspore/pipeline_file.h"
#include "mindspore/trace_file.h"
#include "sluice/exporters/mindspore_profile.h"

namespace sluice::exporters {

struct ProfileParts {
  std::optional<PipelineFile> pipeline{};  // with samples, where it is there
  std::optional<CpuFile> cpu{};
  std::optional<TraceFile> trace{};
};

// Fills in everything but the rank, and adds notes. REQUIRES: a pipeline or a trace.
void MakeSnapshots(const ProfileParts& parts, std::optional<std::uint32_t> batch_size,
                   MindSporeProfile& profile);

}  // namespace sluice::exporters
