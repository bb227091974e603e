// What MindSpore's profiler has written about one input pipeline ("minddata"), read as snapshots: the
// pipeline file (ops, workers, sampled queue sizes), the CPU file, and the trace of batches at the iterator
// or the device queue (docs/mindspore-profile.md). Only FindMindSporeProfiles touches the world. Immutable
// functions.
//
// A profile does not say how many items an op made, nor how long its workers waited, nor what a batch holds:
// that stays unknown in the snapshots. What a file lacks or has wrong is a note where the rest is of use, and
// an error where nothing is left.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/snapshot.h"

namespace sluice::exporters {

// A file that is there, whole.
struct ProfileFile {
  std::string path{};
  std::string text{};
};

// The files of one rank: those with its number in their names.
struct MindSporeFiles {
  int rank = 0;
  std::optional<ProfileFile> pipeline{};      // pipeline_profiling_R.json
  std::optional<ProfileFile> cpu{};           // minddata_cpu_utilization_R.json
  std::optional<ProfileFile> device_queue{};  // device_queue_profiling_R.txt
  std::optional<ProfileFile> iterator{};      // dataset_iterator_profiling_R.txt
  std::vector<std::string> unread{};          // files that are there and cannot be read, and why
};

struct MindSporeProfile {
  int rank = 0;
  // At least two, from the profile's begin to its end. The consumer is the training loop, or, where batches
  // are sent to a device, the thread that sends them.
  std::vector<Snapshot> snapshots{};
  std::size_t samples = 0;  // looks at the queues
  bool to_device = false;
  int logical_cpus = 0;              // 0: not known
  std::optional<Bytes> memory{};     // of the machine
  std::vector<std::string> notes{};  // what is missing or assumed, a sentence each
};

// `batch_size`: rows of a batch, which no file tells.
[[nodiscard]] Result<MindSporeProfile> ReadMindSporeProfile(const MindSporeFiles& files,
                                                            std::optional<std::uint32_t> batch_size = {});

// Those in `folder`, by rank; at least one. `rank`: that one only.
[[nodiscard]] Result<std::vector<MindSporeFiles>> FindMindSporeProfiles(const std::string& folder,
                                                                        std::optional<int> rank = {});

}  // namespace sluice::exporters
