#include "validate.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/text.h"
#include "sluice/runtime/scenario.h"
#include "sluice/toml/toml_fields.h"

namespace sluice::runtime {
namespace {

// What the telemetry segment has room for (docs/telemetry-segment.md).
constexpr std::size_t kMaxOps = 64;
constexpr std::size_t kMaxName = 47;

constexpr std::uint32_t kMaxRows = 1u << 30;
constexpr std::uint32_t kMaxBatch = 1u << 20;
constexpr Bytes kMaxAllocate = 4_GiB;

std::optional<Finding> Wrong(std::string_view field, std::string message) {
  return Finding{std::string(field), std::move(message), {}};
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::optional<Finding> CheckName(std::string_view name) {
  if (name.size() > kMaxName) {
    return Wrong("name", fmt::format("has {} characters; {} are possible", name.size(), kMaxName));
  }
  if (std::ranges::all_of(name, IsNameCharacter)) return std::nullopt;
  return Wrong("name", "may have letters, digits, '_' and '-' only");
}

std::optional<Finding> CheckBounds(std::string_view what, int value, int min, int max, int limit) {
  const auto min_name = fmt::format("min_{}", what);
  const auto max_name = fmt::format("max_{}", what);
  if (auto wrong = First({InRange(min_name, min, 1, limit), InRange(max_name, max, 1, limit)})) return wrong;
  if (min > max) return Wrong(min_name, fmt::format("{} is more than {} = {}", min, max_name, max));
  if (value >= min && value <= max) return std::nullopt;
  return Wrong(what,
               fmt::format("{} is outside {}..{} (see {} and {})", value, min, max, min_name, max_name));
}

std::optional<Finding> CheckSerial(const OpSpec& op) {
  if (!IsSerial(op)) return std::nullopt;
  if (op.workers > 1)
    return Wrong("workers", fmt::format("{}, but the op is serial: 1 is possible", op.workers));
  if (op.min_workers == 1) return std::nullopt;
  return Wrong("min_workers", fmt::format("{}, but the op is serial: 1 is possible", op.min_workers));
}

std::optional<Finding> CheckContention(const Contention& c) {
  const std::string wrong = WhatIsWrong(c);
  return wrong.empty() ? std::nullopt : Wrong("contention", wrong);
}

std::optional<Finding> CheckSpec(const SourceSpec& source) {
  const auto* cifar = std::get_if<CifarSource>(&source.from);
  const auto* images = std::get_if<ImageFolderSource>(&source.from);
  if ((cifar != nullptr && cifar->folder.empty()) || (images != nullptr && images->folder.empty())) {
    return Wrong("path", "is empty; name the folder with the data");
  }
  if (auto wrong = InRange("num_shards", source.num_shards, 1u, kMaxRows)) return wrong;
  return InRange("shard_id", source.shard_id, 0u, source.num_shards - 1);
}

std::optional<Finding> CheckSpec(const MapSpec& map) {
  if (map.function && !map.transforms.empty()) return Wrong("transforms", "are given beside a function");
  if (!map.function && map.transforms.empty() && map.one_hot == 0) {
    return Wrong("transforms", "are empty; a map needs at least one, or one_hot");
  }
  return InRange("one_hot", map.one_hot, 0u, 1u << 20);
}

std::optional<Finding> CheckSpec(const SyntheticSpec& synthetic) {
  if (synthetic.allocate < Bytes{0} || synthetic.allocate > kMaxAllocate) {
    return Wrong("allocate", fmt::format("must be between 0 B and {}", FormatBytes(kMaxAllocate)));
  }
  return First({CheckDistribution("burn", synthetic.burn.value_or(Distribution{})),
                CheckDistribution("wait", synthetic.wait.value_or(Distribution{})),
                CheckContention(synthetic.contention)});
}

std::optional<Finding> CheckSpec(const ShuffleSpec& s) {
  return InRange("buffer_size", s.buffer_size, 1u, kMaxRows);
}
std::optional<Finding> CheckSpec(const BatchSpec& b) {
  return InRange("size", b.size, 1u, kMaxBatch);
}
std::optional<Finding> CheckSpec(const RepeatSpec& r) {
  return InRange("count", r.count, 1u, kMaxRows);
}
template <typename S>
std::optional<Finding> CheckSpec(const S&) {
  return std::nullopt;
}

std::optional<Finding> CheckOp(const OpSpec& op) {
  return First({CheckName(op.name),
                CheckBounds("workers", op.workers, op.min_workers, op.max_workers, kMaxWorkers),
                CheckBounds("capacity", op.capacity, op.min_capacity, op.max_capacity, kMaxCapacity),
                CheckSerial(op), std::visit([](const auto& spec) { return CheckSpec(spec); }, op.what)});
}

// One op among the others.
std::optional<Finding> CheckPlace(const PipelineDescription& pipeline, std::size_t i) {
  const auto& ops = pipeline.ops;
  if (i == 0 && !IsSource(ops[0])) return Wrong("", "the first op must be a source");
  for (std::size_t before = 0; before < i; ++before) {
    if (ops[i].name.empty() || ops[before].name != ops[i].name) continue;
    return Wrong("name", fmt::format("'{}' is the name of an earlier op too", ops[i].name));
  }
  return std::nullopt;
}

std::optional<Finding> CheckInputs(const PipelineDescription& pipeline, std::size_t i) {
  const OpSpec& op = pipeline.ops[i];
  const std::string_view field = Joins(op) ? "inputs" : "input";
  if (IsSource(op) && !op.inputs.empty()) return Wrong("input", "a source has none");
  if (Joins(op) && op.inputs.size() < 2) return Wrong("inputs", "two or more are needed");
  if (!Joins(op) && op.inputs.size() > 1) {
    return Wrong("input", "one is possible; join several with zip or concat");
  }
  std::vector<std::string> known = OpNames(pipeline);
  known.resize(i);
  for (const std::string& input : op.inputs) {
    if (std::ranges::count(known, input) > 0) continue;
    return Wrong(field, fmt::format("no op before this one is called '{}'{}", input.substr(0, 48),
                                    toml::Suggest(input, known)));
  }
  return std::nullopt;
}

// Whoever takes from an op; every one but the last needs exactly one.
std::optional<Problem> FindLooseEnd(const PipelineDescription& pipeline) {
  std::vector<int> takers(pipeline.ops.size(), 0);
  for (const auto& inputs : InputsOf(pipeline)) {
    for (const std::size_t input : inputs) ++takers[input];
  }
  if (!takers.empty()) ++takers.back();
  for (std::size_t i = 0; i < takers.size(); ++i) {
    if (takers[i] == 1) continue;
    const std::string who = takers[i] == 0 ? "no op takes its items" : "more than one takes its items";
    return Problem{i, Finding{"", who + "; name it in the inputs of one zip or concat", std::nullopt}};
  }
  return std::nullopt;
}

std::optional<Finding> CheckWhole(const PipelineDescription& pipeline) {
  if (pipeline.ops.empty()) return Wrong("", "has no source");
  if (pipeline.ops.size() > kMaxOps) {
    return Wrong("op",
                 fmt::format("has {} ops, source included; {} are possible", pipeline.ops.size(), kMaxOps));
  }
  std::int64_t workers = 0;
  for (const OpSpec& op : pipeline.ops) workers += op.workers;
  if (workers > kMaxWorkers) {
    return Wrong("op", fmt::format("has {} workers in all; {} are possible", workers, kMaxWorkers));
  }
  if (pipeline.memory < Bytes{0}) return Wrong("memory", "is negative");
  return pipeline.name.size() <= kMaxName
             ? std::nullopt
             : Wrong("name", fmt::format("has {} bytes; {} are possible", pipeline.name.size(), kMaxName));
}

std::string Sentence(const PipelineDescription& pipeline, const Problem& problem) {
  const auto& [op, finding] = problem;
  const std::string field = finding.field.empty() ? "" : finding.field + ": ";
  if (!op) return fmt::format("pipeline '{}': {}{}", pipeline.name, field, finding.message);
  return fmt::format("op '{}': {}{}", OpNames(pipeline)[*op], field, finding.message);
}

}  // namespace

std::optional<Finding> CheckDistribution(std::string_view field, const Distribution& d) {
  const std::string wrong = WhatIsWrong(d);
  return wrong.empty() ? std::nullopt : Wrong(field, wrong);
}

std::optional<Problem> FindProblem(const PipelineDescription& pipeline) {
  for (std::size_t i = 0; i < pipeline.ops.size(); ++i) {
    auto wrong = First({CheckPlace(pipeline, i), CheckInputs(pipeline, i), CheckOp(pipeline.ops[i])});
    if (wrong) return Problem{i, *wrong};
  }
  if (auto wrong = CheckWhole(pipeline)) return Problem{std::nullopt, *wrong};
  if (auto problem = FindLooseEnd(pipeline)) return problem;
  if (auto problem = FindRowProblem(pipeline)) return problem;
  if (auto problem = FindMixedPairs(pipeline)) return problem;
  return FindEndlessNothing(pipeline);
}

Result<void> Validate(const PipelineDescription& pipeline) {
  const auto problem = FindProblem(pipeline);
  if (!problem) return {};
  return Fail(Sentence(pipeline, *problem));
}

}  // namespace sluice::runtime
