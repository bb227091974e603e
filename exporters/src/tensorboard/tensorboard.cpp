#include "sluice/exporters/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sluice/exporters/interval.h"
#include "sluice/exporters/view_rows.h"
#include "text/utf8.h"
#include "wire/wire.h"

namespace sluice::exporters {
namespace {

// Numbers of fields: tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto, tensor.proto,
// tensor_shape.proto.
namespace event {
constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
}
namespace summary {
constexpr std::uint32_t kValue = 1;
constexpr std::uint32_t kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;  // of a value
constexpr std::uint32_t kPluginData = 1, kPluginName = 1;                        // of its metadata
}  // namespace summary
namespace tensor {
constexpr std::uint32_t kType = 1, kShape = 2, kStrings = 8;
constexpr std::uint64_t kString = 7;                // DT_STRING
constexpr std::uint32_t kDimension = 2, kSize = 1;  // of the shape
}  // namespace tensor

constexpr std::uint32_t kMaskDelta = 0xA282EAD8U;

std::string MaskedCrc(std::string_view bytes) {
  const std::uint32_t crc = Crc32c(bytes);
  return LittleEndian(((crc >> 15) | (crc << 17)) + kMaskDelta, 4);
}

std::string Record(const WireMessage& message) {
  const std::string length = LittleEndian(message.bytes().size(), 8);
  return length + MaskedCrc(length) + std::string(message.bytes()) + MaskedCrc(message.bytes());
}

WireMessage EventAt(Nanos wall) {
  WireMessage message;
  message.Double(event::kWallTime, static_cast<double>(wall.count()) / 1e9);
  return message;
}

WireMessage EventOf(const Snapshot& now) {
  WireMessage message = EventAt(now.wall);
  message.Whole(event::kStep, now.consumer.items);
  return message;
}

// Gathers the values of one event. What is not known is left out.
class Scalars {
 public:
  void Add(const std::string& tag, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return;
    WireMessage one;
    one.Bytes(summary::kTag, ValidUtf8("sluice/" + tag));
    one.Float(summary::kSimpleValue, static_cast<float>(*value));
    values_.Message(summary::kValue, one);
  }
  void Add(const std::string& tag, const std::optional<Rate>& rate) {
    if (rate) Add(tag, rate->per_second);
  }
  void Add(const std::string& tag, const std::optional<Fraction>& share) {
    if (share) Add(tag, share->value);
  }
  [[nodiscard]] const WireMessage& values() const { return values_; }

 private:
  WireMessage values_;
};

WireMessage TextValue(const std::string& tag, const std::string& text) {
  const WireMessage dimension = WireMessage().Whole(tensor::kSize, 1);
  const WireMessage shape = WireMessage().Message(tensor::kDimension, dimension);
  const WireMessage content = WireMessage()
                                  .Whole(tensor::kType, tensor::kString)
                                  .Message(tensor::kShape, shape)
                                  .Bytes(tensor::kStrings, ValidUtf8(text));
  const WireMessage plugin = WireMessage().Bytes(summary::kPluginName, "text");
  return WireMessage()
      .Bytes(summary::kTag, tag)
      .Message(summary::kTensor, content)
      .Message(summary::kMetadata, WireMessage().Message(summary::kPluginData, plugin));
}

}  // namespace

std::string TensorBoardHeader(Nanos wall) {
  return Record(EventAt(wall).Bytes(event::kFileVersion, "brain.Event:2"));
}

std::string TensorBoardScalars(const Snapshot& from, const Snapshot& to) {
  Scalars scalars;
  const ConsumerInterval consumer = MeasureConsumer(from, to);
  scalars.Add("rows_per_second", consumer.rows);
  scalars.Add("items_per_second", consumer.items);
  scalars.Add("starved_fraction", consumer.starved);
  scalars.Add("cores_used", CoresUsed(from, to));
  for (const OpRow& row : OpRows(from, to)) {
    scalars.Add("op/" + row.info.name + "/workers", static_cast<double>(row.total.workers));
    scalars.Add("op/" + row.info.name + "/busy_fraction", row.seen.busy);
    scalars.Add("op/" + row.info.name + "/starved_fraction", row.seen.starved);
  }
  for (const ConnectorRow& row : ConnectorRows(from, to)) {
    scalars.Add("connector/" + row.name + "/depth_items", row.seen.mean_depth);
    scalars.Add("connector/" + row.name + "/capacity_items", static_cast<double>(row.total.capacity));
  }
  return Record(EventOf(to).Message(event::kSummary, scalars.values()));
}

std::string TensorBoardDecision(const LoggedDecision& entry, const Snapshot& now, MonoTime run_start) {
  const std::string text = DecisionLine(entry, run_start, now.knobs);
  const WireMessage value = TextValue("sluice/decisions", text);
  return Record(EventOf(now).Message(event::kSummary, WireMessage().Message(summary::kValue, value)));
}

std::string TensorBoardFileName(Nanos wall, const std::string& run_id) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
  return fmt::format("events.out.tfevents.{}.sluice.{}", seconds, TensorBoardFolderName(run_id));
}

std::string TensorBoardFolderName(const std::string& pipeline) {
  std::string name;
  for (const char c : pipeline) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    const char kept = plain ? c : '_';
    if (kept != '_' || (!name.empty() && name.back() != '_')) name += kept;
  }
  while (name.ends_with('_')) name.pop_back();
  const bool dots = std::ranges::all_of(name, [](char c) { return c == '.'; });
  return dots ? "pipeline" : name.substr(0, 100);
}

}  // namespace sluice::exporters
