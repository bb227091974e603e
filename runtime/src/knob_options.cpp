#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sluice/base/text.h"
#include "sluice/runtime/scenario.h"
#include "sluice/toml/toml_fields.h"
#include "validate.h"

namespace sluice::runtime {
namespace {

constexpr std::string_view kPlacement = ".placement";
constexpr std::string_view kCpus = ".cpus";

// One knob of a description that counts something: references into its op.
struct KnobRef {
  OpSpec& op;
  bool workers;
  [[nodiscard]] int& value() const { return workers ? op.workers : op.capacity; }
  [[nodiscard]] int& min() const { return workers ? op.min_workers : op.min_capacity; }
  [[nodiscard]] int& max() const { return workers ? op.max_workers : op.max_capacity; }
  [[nodiscard]] bool& pinned() const { return workers ? op.pin_workers : op.pin_capacity; }
};

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<OpSpec*> FindOp(PipelineDescription& pipeline, std::string_view knob) {
  const auto dot = knob.rfind('.');
  if (dot == std::string_view::npos) {
    return Fail(fmt::format("'{}' is not a knob; write OP.workers, OP.capacity or OP.placement", knob));
  }
  const std::string_view op = knob.substr(0, dot);
  const std::vector<std::string> names = OpNames(pipeline);
  const auto found = std::ranges::find(names, op);
  if (found == names.end())
    return Fail(fmt::format("'{}': unknown op '{}'{}", knob, op, toml::Suggest(op, names)));
  return &pipeline.ops[static_cast<std::size_t>(found - names.begin())];
}

Result<KnobRef> FindKnob(PipelineDescription& pipeline, std::string_view knob) {
  const auto op = FindOp(pipeline, knob);
  if (!op) return std::unexpected(op.error());
  const std::string_view kind = knob.substr(knob.rfind('.') + 1);
  const std::vector<std::string> kinds = {"workers", "capacity", "placement"};
  if (kind != kinds[0] && kind != kinds[1]) {
    return Fail(kind == kinds[2]
                    ? fmt::format("'{}' has no bounds", knob)
                    : fmt::format("'{}': unknown knob '{}'{}", knob, kind, toml::Suggest(kind, kinds)));
  }
  return KnobRef{**op, kind == kinds[0]};
}

// The part before '=' and the one behind it.
Result<std::pair<std::string_view, std::string_view>> Split(std::string_view text, std::string_view example) {
  const auto equals = text.find('=');
  if (equals != std::string_view::npos) return std::pair(text.substr(0, equals), text.substr(equals + 1));
  return Fail(fmt::format("'{}' has no '='; write for example {}", text, example));
}

Result<void> CheckSerial(const KnobRef& knob, int value, std::string_view text) {
  if (!knob.workers || value <= 1 || !IsSerial(knob.op)) return {};
  return Fail(fmt::format("'{}': the op is serial, it has 1 worker", text));
}

// Refuses what the knob cannot be, whatever its bounds are.
Result<void> CheckLimit(const KnobRef& knob, int value, std::string_view text) {
  const int limit = knob.workers ? kMaxWorkers : kMaxCapacity;
  if (value >= 1 && value <= limit) return {};
  return Fail(fmt::format("'{}': {} is outside 1..{}", text, value, limit));
}

Result<std::pair<int, int>> ParseBounds(std::string_view text, std::string_view range) {
  const auto dots = range.find("..");
  const auto low = Number(range.substr(0, dots));
  const auto high = dots == std::string_view::npos ? low : Number(range.substr(dots + 2));
  if (!low || !high) return Fail(fmt::format("'{}': '{}' is no range; write for example 1..8", text, range));
  if (*low > *high) return Fail(fmt::format("'{}': {} is more than {}", text, *low, *high));
  return std::pair(*low, *high);
}

Result<void> SetPlacement(PipelineDescription& pipeline,
                          const std::pair<std::string_view, std::string_view>& assignment) {
  const auto op = FindOp(pipeline, assignment.first);
  if (!op) return std::unexpected(op.error());
  const auto placement = ParsePlacement(assignment.second);
  if (!placement) return Fail(fmt::format("{}: {}", assignment.first, placement.error().message));
  (*op)->placement = *placement;
  return {};
}

Result<void> SetCpus(PipelineDescription& pipeline,
                     const std::pair<std::string_view, std::string_view>& assignment) {
  const auto op = FindOp(pipeline, assignment.first);
  if (!op) return std::unexpected(op.error());
  const auto cpus = ParseCpuList(assignment.second);
  if (!cpus || cpus->empty())
    return Fail(fmt::format("{}: '{}': write CPUs, such as 4 or 0-3,8", assignment.first, assignment.second));
  (*op)->cpus = *cpus;
  return {};
}

}  // namespace

Result<void> SetKnob(PipelineDescription& pipeline, std::string_view assignment) {
  const auto parts = Split(assignment, "decode.workers=4");
  if (!parts) return std::unexpected(parts.error());
  if (parts->first.ends_with(kPlacement)) return SetPlacement(pipeline, *parts);
  if (parts->first.ends_with(kCpus)) return SetCpus(pipeline, *parts);
  const auto knob = FindKnob(pipeline, parts->first);
  if (!knob) return std::unexpected(knob.error());
  const auto value = Number(parts->second);
  if (!value) return Fail(fmt::format("'{}': '{}' is not a whole number", assignment, parts->second));
  if (auto possible = CheckSerial(*knob, *value, assignment); !possible) return possible;
  if (auto possible = CheckLimit(*knob, *value, assignment); !possible) return possible;
  if (*value < knob->min() || *value > knob->max()) {
    return Fail(fmt::format("'{}': {} is outside the bounds {}..{} (--bound {}={}..{} widens them)",
                            assignment, *value, knob->min(), knob->max(), parts->first,
                            std::min(*value, knob->min()), std::max(*value, knob->max())));
  }
  knob->value() = *value;
  return {};
}

Result<void> PinKnob(PipelineDescription& pipeline, std::string_view knob) {
  if (knob.ends_with(kPlacement)) {
    const auto op = FindOp(pipeline, knob);
    if (!op) return std::unexpected(op.error());
    (*op)->pin_placement = true;
    return {};
  }
  const auto found = FindKnob(pipeline, knob);
  if (!found) return std::unexpected(found.error());
  found->pinned() = true;
  return {};
}

Result<void> BoundKnob(PipelineDescription& pipeline, std::string_view bound) {
  const auto parts = Split(bound, "decode.workers=1..8");
  if (!parts) return std::unexpected(parts.error());
  const auto knob = FindKnob(pipeline, parts->first);
  if (!knob) return std::unexpected(knob.error());
  const auto range = ParseBounds(bound, parts->second);
  if (!range) return std::unexpected(range.error());
  const auto [low, high] = *range;
  if (auto possible = CheckSerial(*knob, low, bound); !possible) return possible;
  if (auto possible = CheckLimit(*knob, low, bound); !possible) return possible;
  if (auto possible = CheckLimit(*knob, high, bound); !possible) return possible;
  knob->min() = low;
  knob->max() = high;
  knob->value() = std::clamp(knob->value(), low, high);
  return {};
}

}  // namespace sluice::runtime
