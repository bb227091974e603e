#include "mindspore/pipeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "mindspore/profile_json.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kMostOps = 64;  // as many as a session may have
constexpr std::size_t kLongestType = 64;
constexpr std::int64_t kMostWorkers = 1 << 16;
constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();  // the writer's type
constexpr std::int64_t kLongestInterval = std::int64_t{1000} * 3600 * 24;     // ms

// An op as the file has it: its inputs by their ids.
struct NumberedOp {
  ProfiledOp op;
  std::vector<std::int64_t> children;
};

std::optional<ProfiledQueue> ReadQueue(const ProfileField& metrics) {
  if (!metrics.present() || !metrics["output_queue"].present()) return std::nullopt;
  const ProfileField queue = metrics["output_queue"];
  return ProfiledQueue{.capacity = queue["length"].Whole(1, kMostRows),
                       .depths = queue["size"].Wholes(0, kMostRows)};
}

NumberedOp ReadOp(const ProfileField& field) {
  NumberedOp read;
  read.op.id = field["op_id"].Whole(0, kMostRows);
  read.op.type = field["op_type"].Text().substr(0, kLongestType);
  read.op.workers = static_cast<int>(field["num_workers"].Whole(0, kMostWorkers));
  if (!SendsToDevice(read.op)) read.op.queue = ReadQueue(field["metrics"]);
  if (field["children"].present()) read.children = field["children"].Wholes(0, kMostRows);
  return read;
}

std::vector<NumberedOp> ReadOps(const ProfileField& field) {
  std::vector<NumberedOp> ops;
  const std::size_t count = field.size();
  if (count == 0) field.Refuse("names no op");
  if (count > kMostOps)
    field.Refuse(fmt::format("names {} ops, and more than {} cannot be kept", count, kMostOps));
  ops.reserve(std::min(count, kMostOps));
  for (std::size_t i = 0; i < std::min(count, kMostOps); ++i) ops.push_back(ReadOp(field.At(i)));
  const NumberedOp* sampled = nullptr;
  std::size_t samples = 0;  // of it
  for (const NumberedOp& one : ops) {
    const auto& queue = one.op.queue;
    if (!queue) continue;
    const std::size_t depths = queue->depths.size();
    if (sampled == nullptr) {
      sampled = &one;
      samples = depths;
    }
    if (depths != samples)
      field.Refuse(fmt::format("has {} sizes of the queue of op {} and {} of that of op {}", depths,
                               one.op.id, samples, sampled->op.id));
  }
  return ops;
}

// Puts `id` behind its inputs. False: it is not there, is there twice, or is an input of itself.
bool Place(std::int64_t id, std::map<std::int64_t, NumberedOp>& left, std::vector<ProfiledOp>& placed) {
  auto taken = left.extract(id);
  if (taken.empty()) return false;
  std::vector<std::size_t> inputs;
  for (const std::int64_t child : taken.mapped().children) {
    if (!Place(child, left, placed)) return false;
    inputs.push_back(placed.size() - 1);
  }
  taken.mapped().op.inputs = std::move(inputs);
  placed.push_back(std::move(taken.mapped().op));
  return true;
}

// MindSpore numbers from the consumer's side, writes either end first, and may have an EpochCtrl with a
// number of its own: what counts is who is whose child. It is a tree; the root is nobody's child.
std::vector<ProfiledOp> InOrder(const ProfileField& field, std::vector<NumberedOp> ops) {
  std::map<std::int64_t, NumberedOp> left;
  std::optional<std::int64_t> root;
  for (NumberedOp& one : ops) {
    const std::int64_t id = one.op.id;
    const auto takes = [&](const NumberedOp& other) {
      return std::ranges::find(other.children, id) != other.children.end();
    };
    if (std::ranges::none_of(ops, takes)) {
      if (root) field.Refuse(fmt::format("has two ends, op {} and op {}", *root, id));
      root = id;
    }
  }
  for (NumberedOp& one : ops) {
    const std::int64_t id = one.op.id;
    if (!left.emplace(id, std::move(one)).second) field.Refuse(fmt::format("names op {} twice", id));
  }
  std::vector<ProfiledOp> placed;
  if (!root || !Place(*root, left, placed) || !left.empty()) field.Refuse("is no tree: see `children`");
  return placed;
}

}  // namespace

std::size_t PipelineFile::samples() const {
  for (const ProfiledOp& op : ops) {
    if (const auto& queue = op.queue) return queue->depths.size();
  }
  return 0;
}

bool SendsToDevice(const ProfiledOp& op) {
  return op.type == "DeviceQueueOp" || op.type == "DataQueueOp" || op.type == "DeviceQueue" ||
         op.type == "DataQueue";
}

Result<PipelineFile> ParsePipelineFile(const ProfileFile& file) {
  auto json = ProfileJson::Parse(file.path, file.text);
  if (!json) return std::unexpected(json.error());
  const ProfileField root = json->root();
  PipelineFile pipeline;
  const ProfileField interval = root["sampling_interval"];
  if (interval.present()) pipeline.interval = std::chrono::milliseconds(interval.Whole(1, kLongestInterval));
  const ProfileField ops = root["op_info"];
  auto read = ReadOps(ops);
  if (!json->error()) pipeline.ops = InOrder(ops, std::move(read));
  if (pipeline.interval.count() >
      kLongestProfile / static_cast<std::int64_t>(std::max<std::size_t>(pipeline.samples(), 1)))
    interval.Refuse("makes it last more than a year");
  if (const auto& error = json->error()) return std::unexpected(*error);
  return pipeline;
}

}  // namespace sluice::exporters
