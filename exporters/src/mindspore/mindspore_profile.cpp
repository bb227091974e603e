#include "sluice/exporters/mindspore_profile.h"

#include <fmt/format.h>

#include <utility>

#include "mindspore/profile_snapshots.h"

namespace sluice::exporters {
namespace {

constexpr std::int64_t kNear = 60'000;  // ms between what belongs together

// What was parsed, or a note of what is wrong with it.
template <typename T>
std::optional<T> Take(Result<T> parsed, MindSporeProfile& profile) {
  if (parsed) return std::optional(std::move(*parsed));
  profile.notes.push_back("Left out: " + parsed.error().message);
  return std::nullopt;
}

std::optional<PipelineFile> TakePipeline(const MindSporeFiles& files, MindSporeProfile& profile) {
  if (!files.pipeline) {
    profile.notes.push_back(
        fmt::format("pipeline_profiling_{}.json is not there: neither the ops nor their queues are "
                    "known",
                    files.rank));
    return std::nullopt;
  }
  auto pipeline = Take(ParsePipelineFile(*files.pipeline), profile);
  if (pipeline && pipeline->samples() == 0) {
    profile.notes.push_back(
        fmt::format("Left out: {} has no sample of a queue: the run was shorter than the {} ms from one look "
                    "to the next; "
                    "mindspore.dataset.config.set_monitor_sampling_interval makes that less",
                    files.pipeline->path, pipeline->interval.count()));
    return std::nullopt;
  }
  return pipeline;
}

std::optional<CpuFile> TakeCpu(const MindSporeFiles& files, MindSporeProfile& profile) {
  if (files.cpu) return Take(ParseCpuFile(*files.cpu), profile);
  profile.notes.push_back(fmt::format(
      "minddata_cpu_utilization_{}.json is not there: CPU time and memory are not known", files.rank));
  return std::nullopt;
}

// A device queue's where both are there, as MindSpore does.
std::optional<TraceFile> TakeTrace(const MindSporeFiles& files, MindSporeProfile& profile) {
  std::optional<TraceFile> trace;
  if (files.device_queue) trace = Take(ParseTraceFile(*files.device_queue, TraceKind::kDeviceQueue), profile);
  if (trace && files.iterator)
    profile.notes.push_back(fmt::format("Left out: {}, as there is a device queue's", files.iterator->path));
  if (!trace && files.iterator) trace = Take(ParseTraceFile(*files.iterator, TraceKind::kIterator), profile);
  if (!files.device_queue && !files.iterator)
    profile.notes.push_back(
        fmt::format("Neither device_queue_profiling_{0}.txt nor dataset_iterator_profiling_{0}.txt is "
                    "there: how many batches were taken, and how long the consumer waited for "
                    "them, is not known",
                    files.rank));
  if (trace && trace->cut_off)
    profile.notes.push_back(
        "The trace of batches ends in the middle of a line: it was cut off, and that line is left out");
  return trace;
}

// Files of two runs, or of two boots of the machine.
bool Apart(const CpuFile& cpu, const TraceFile& trace) {
  return BeginOf(trace) > cpu.times.back() + kNear || trace.batches.back().at + kNear < cpu.times.front();
}

std::string AllOf(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "\n  " + note;
  return text;
}

}  // namespace

Result<MindSporeProfile> ReadMindSporeProfile(const MindSporeFiles& files,
                                              std::optional<std::uint32_t> batch_size) {
  MindSporeProfile profile{.rank = files.rank};
  for (const std::string& unread : files.unread) profile.notes.push_back("Left out: " + unread);
  ProfileParts parts{.pipeline = TakePipeline(files, profile),
                     .cpu = TakeCpu(files, profile),
                     .trace = TakeTrace(files, profile)};
  if (!parts.pipeline && !parts.trace)
    return Fail(fmt::format("nothing of rank {} can be used:{}", files.rank, AllOf(profile.notes)));
  if (parts.cpu && parts.trace && files.cpu && Apart(*parts.cpu, *parts.trace)) {
    return Fail(fmt::format(
        "the files of rank {} are of two runs: what {} and the trace of batches tell is more than a "
        "minute apart; take those of the other run away",
        files.rank, files.cpu->path));
  }
  MakeSnapshots(parts, batch_size, profile);
  return profile;
}

}  // namespace sluice::exporters
