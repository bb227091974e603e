// pipeline_profiling_R.json of MindSpore 1 and 2: the ops of a pipeline with their workers, and how many
// rows lay in the queue behind each whenever its profiler looked. An immutable function.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/mindspore_profile.h"

namespace sluice::exporters {

struct ProfiledQueue {
  std::int64_t capacity = 0;
  std::vector<std::int64_t> depths{};  // as many in all queues of a pipeline
};

struct ProfiledOp {
  std::int64_t id = 0;
  std::string type{};                 // "MapOp"
  int workers = 0;                    // when the pipeline started
  std::vector<std::size_t> inputs{};  // their places in PipelineFile::ops
  // nullopt: it has none, and runs in the threads of the op behind it, or it sends batches to a device.
  std::optional<ProfiledQueue> queue{};
};

struct PipelineFile {
  std::chrono::milliseconds interval{0};  // between two looks; 0: not told
  std::vector<ProfiledOp> ops{};          // inputs before those that take from them; not empty
  [[nodiscard]] std::size_t samples() const;
};

// An op that sends batches to a device ("DeviceQueueOp" up to 1.x, "DataQueueOp"): it is the consumer.
[[nodiscard]] bool SendsToDevice(const ProfiledOp& op);

[[nodiscard]] Result<PipelineFile> ParsePipelineFile(const ProfileFile& file);

}  // namespace sluice::exporters
