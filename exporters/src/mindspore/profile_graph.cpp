#include "mindspore/profile_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::exporters {
namespace {

// Each has one thread, whatever it is given.
constexpr std::array<std::string_view, 3> kSerialTypes = {"ShuffleOp", "ZipOp", "BucketBatchByLengthOp"};

std::string_view WithoutOp(std::string_view type) {
  if (type.size() > 2 && type.ends_with("Op")) type.remove_suffix(2);
  return type;
}

std::string KindOf(const ProfiledOp& op) {
  if (op.inputs.empty()) return "source";
  std::string kind(WithoutOp(op.type));
  std::ranges::transform(kind, kind.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return kind;
}

bool MakesBatches(const ProfiledOp& op) {
  return op.type.find("Batch") != std::string::npos;
}

// Of each op, the one that takes from it.
std::vector<std::optional<std::size_t>> Parents(const PipelineFile& file) {
  std::vector<std::optional<std::size_t>> parents(file.ops.size());
  for (std::size_t i = 0; i < file.ops.size(); ++i) {
    for (const std::size_t input : file.ops[i].inputs) parents[input] = i;
  }
  return parents;
}

}  // namespace

ProfileGraph GraphOf(const PipelineFile& file, std::optional<std::uint32_t> batch_size) {
  ProfileGraph made;
  Graph graph;
  std::vector<std::optional<OpId>> ids(file.ops.size());
  std::vector<bool> batched(file.ops.size());
  for (std::size_t i = 0; i < file.ops.size(); ++i) {
    const ProfiledOp& op = file.ops[i];
    batched[i] =
        MakesBatches(op) || std::ranges::any_of(op.inputs, [&](std::size_t input) { return batched[input]; });
    if (SendsToDevice(op)) continue;
    made.makes_batches = made.makes_batches || batched[i];
    ids[i] = OpId{static_cast<std::uint32_t>(graph.ops.size())};
    made.ops.push_back(i);
    graph.ops.push_back({.name = fmt::format("{}({})", WithoutOp(op.type), op.id),
                         .kind = KindOf(op),
                         .serial = std::ranges::count(kSerialTypes, op.type) > 0,
                         .rows_per_item = batched[i] ? batch_size.value_or(1) : 1});
  }
  const auto parents = Parents(file);
  for (std::size_t i = 0; i < file.ops.size(); ++i) {
    const auto& id = ids[i];
    if (!file.ops[i].queue || !id) continue;
    std::optional<std::size_t> to = parents[i];
    while (to && ids[*to] && !file.ops[*to].queue) to = parents[*to];
    const auto target = to ? ids[*to] : std::nullopt;
    made.connectors.push_back(i);
    graph.connectors.push_back({.name = fmt::format("{}->{}", graph.ops[Index(*id)].name,
                                                    target ? graph.ops[Index(*target)].name : "consumer"),
                                .from = *id,
                                .to = target});
  }
  made.graph = std::make_shared<const Graph>(std::move(graph));
  return made;
}

ProfileGraph UnknownGraph(std::optional<std::uint32_t> batch_size) {
  Graph graph;
  graph.ops.push_back({.name = "pipeline", .kind = "unknown", .rows_per_item = batch_size.value_or(1)});
  graph.connectors.push_back({.name = "pipeline->consumer", .from = OpId{0}, .to = std::nullopt});
  return {.graph = std::make_shared<const Graph>(std::move(graph)),
          .ops = {},
          .connectors = {},
          .makes_batches = true};
}

}  // namespace sluice::exporters
