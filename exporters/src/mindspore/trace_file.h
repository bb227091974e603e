// device_queue_profiling_R.txt and dataset_iterator_profiling_R.txt of MindSpore 1 and 2: how long each
// batch took and what lay in the last queue. An immutable function.
//
// A line is `type extra batch value [time]`: type 0 is a time in ms, by `extra` that of getting the batch
// (0), of pushing it (1), of both (2); type 1 a queue's depth, with its capacity as `extra`. The moment of
// the line, in ms, is not there in the oldest versions, and older iterators write depths only, as their times
// were not taken.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/mindspore_profile.h"

namespace sluice::exporters {

enum class TraceKind : std::uint8_t { kIterator, kDeviceQueue };

struct TracedBatch {
  std::int64_t at = 0;                // ms: the batch had been handed over
  std::optional<std::int64_t> get{};  // ms
  std::optional<std::int64_t> push{};
  std::optional<std::int64_t> whole{};
  std::optional<std::int64_t> depth{};  // device queue: before it was got; iterator: behind it
  std::optional<std::int64_t> capacity{};
};

struct TraceFile {
  TraceKind kind = TraceKind::kIterator;
  std::vector<TracedBatch> batches{};  // times rise or stay; not empty
  bool cut_off = false;                // its last line is not whole, and was left out
};

// ms: when the first batch was asked for.
[[nodiscard]] std::int64_t BeginOf(const TraceFile& trace);

[[nodiscard]] Result<TraceFile> ParseTraceFile(const ProfileFile& file, TraceKind kind);

}  // namespace sluice::exporters
