// A made-up profile as MindSpore's profiler writes one, for the tests: images are read, decoded by Map(2),
// which is the limit, and put into batches; the profiler looks every 100 ms, and a batch is taken every 50
// ms.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "sluice/exporters/mindspore_profile.h"

namespace sluice::exporters::example {

inline constexpr int kLooks = 41;
inline constexpr int kBatches = 80;
inline constexpr std::int64_t kFirstLook = 5'000'000;  // ms of uptime

template <typename T>
std::string List(T value, int count) {
  return fmt::format("[{}]", fmt::join(std::vector<T>(static_cast<std::size_t>(count), value), ","));
}

inline std::string ProfiledOpJson(int id, const std::string& type, int workers, const std::string& children,
                                  const std::string& metrics) {
  return fmt::format(R"({{"children":[{}],"metrics":{},"num_workers":{},"op_id":{},"op_type":"{}"}})",
                     children, metrics, workers, id, type);
}

inline std::string QueueJson(int depth, int capacity = 16, int looks = kLooks) {
  return fmt::format(R"({{"output_queue":{{"length":{},"size":{}}}}})", capacity, List(depth, looks));
}

// As MindSpore 2 does, from the consumer's end.
inline std::string PipelineJson(const std::string& root = "EpochCtrlOp", int looks = kLooks) {
  return fmt::format(R"({{"op_info":[{},{},{},{}],"sampling_interval":100}})",
                     ProfiledOpJson(0, root, 1, "1", "null"),
                     ProfiledOpJson(1, "BatchOp", 4, "2", QueueJson(0, 16, looks)),
                     ProfiledOpJson(2, "MapOp", 8, "3", QueueJson(1, 16, looks)),
                     ProfiledOpJson(3, "ImageFolderOp", 8, "", QueueJson(15, 16, looks)));
}

inline std::string OpCpuJson(int id, int percent) {
  return fmt::format(R"({{"metrics":{{"sys_utilization":{},"user_utilization":{}}},"op_id":{}}})",
                     List(0, kLooks), List(percent, kLooks), id);
}

// Map(2) uses 7.2 cores with 8 workers; the process 10 of 16.
inline std::string CpuJson(int map_percent = 720) {
  std::vector<std::int64_t> times;
  times.reserve(kLooks);
  for (int i = 0; i < kLooks; ++i) times.push_back(kFirstLook + 100L * i);
  return fmt::format(
      R"({{"cpu_processor_num":16,"op_info":[{},{},{},{}],"process_info":{{"sys_utilization":{},"user_utilization":{}}},)"
      R"("process_memory_info":{{"rss_mbytes":{}}},"sampling_interval":100,)"
      R"("system_memory_info":{{"total_sys_memory_mbytes":{}}},"time_stamp":[{}]}})",
      OpCpuJson(0, 0), OpCpuJson(1, 40), OpCpuJson(2, map_percent), OpCpuJson(3, 80), List(100, kLooks - 1),
      List(900, kLooks - 1), List(2048.5, kLooks), List(65536.0, kLooks), fmt::join(times, ","));
}

// A batch each 50 ms: 40 to get it, 10 to push it or, of an iterator, for the step.
inline std::string TraceText(bool device, int batches = kBatches, int depth = 0) {
  std::string text;
  std::int64_t at = kFirstLook;
  for (int batch = 1; batch <= batches; ++batch) {
    at += 50;
    text += fmt::format("0 1 {0} {1} {2}\n0 2 {0} {3} {2}\n0 0 {0} 40 {2}\n1 16 {0} {4} {2}\n", batch,
                        device ? 10 : 0, at, device ? 50 : 40, depth);
  }
  return text;
}

inline MindSporeFiles Profile(int rank = 0) {
  return {.rank = rank,
          .pipeline = ProfileFile{fmt::format("pipeline_profiling_{}.json", rank), PipelineJson()},
          .cpu = ProfileFile{fmt::format("minddata_cpu_utilization_{}.json", rank), CpuJson()},
          .device_queue = {},
          .iterator = ProfileFile{fmt::format("dataset_iterator_profiling_{}.txt", rank), TraceText(false)},
          .unread = {}};
}

}  // namespace sluice::exporters::example
