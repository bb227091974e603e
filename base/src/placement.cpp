#include "sluice/base/placement.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "sluice/base/cpu_set.h"

namespace sluice {
namespace {

constexpr std::uint64_t kNodeBits = (std::uint64_t{1} << Placement::kNodes) - 1;
constexpr std::array<std::pair<std::string_view, MemoryPolicy>, 4> kPolicies{
    {{"preferred", MemoryPolicy::kPreferred},
     {"local", MemoryPolicy::kLocal},
     {"bind", MemoryPolicy::kBind},
     {"interleave", MemoryPolicy::kInterleave}}};

constexpr std::string_view MemoryWords(MemoryPolicy memory) {
  switch (memory) {
    case MemoryPolicy::kLocal:
      return ", memory as touched";
    case MemoryPolicy::kBind:
      return ", memory bound";
    case MemoryPolicy::kInterleave:
      return ", memory interleaved";
    case MemoryPolicy::kPreferred:
      break;
  }
  return "";
}

}  // namespace

std::int64_t KnobValue(const Placement& placement) {
  const std::uint64_t nodes = placement.nodes & kNodeBits;
  if (nodes == 0) return 0;
  return static_cast<std::int64_t>(nodes | std::uint64_t{static_cast<std::uint8_t>(placement.memory)}
                                               << Placement::kNodes);
}

Placement PlacementOf(std::int64_t knob_value) {
  const auto bits = static_cast<std::uint64_t>(knob_value);
  if (knob_value < 0 || (bits & kNodeBits) == 0) return {};
  return {bits & kNodeBits, static_cast<MemoryPolicy>(bits >> Placement::kNodes & 3)};
}

std::vector<int> NodesOf(const Placement& placement) {
  std::vector<int> nodes;
  for (int node = 0; node < Placement::kNodes; ++node) {
    if ((placement.nodes >> node & 1) != 0) nodes.push_back(node);
  }
  return nodes;
}

std::string PlacementText(const Placement& placement) {
  const std::vector<int> nodes = NodesOf(placement);
  if (nodes.empty()) return "anywhere";
  CpuSet list;  // the kernel writes nodes as it writes CPUs
  for (const int node : nodes) list.Add(node);
  return fmt::format("{} {}{}", nodes.size() == 1 ? "node" : "nodes", CpuListText(list),
                     MemoryWords(placement.memory));
}

std::string KnobValueText(KnobKind kind, std::int64_t value) {
  return kind == KnobKind::kPlacement ? PlacementText(PlacementOf(value)) : std::to_string(value);
}

std::string KnobRangeText(const Knob& knob, std::string_view between) {
  if (knob.id.kind == KnobKind::kPlacement) return "any node";
  return fmt::format("{}{}{}", knob.min, between, knob.max);
}

Result<Placement> ParsePlacement(std::string_view text) {
  if (text == "anywhere") return Placement{};
  const auto colon = text.find(':');
  const auto list = ParseCpuList(text.substr(0, colon));
  if (!list || list->empty())
    return Fail(fmt::format("'{}': write a node or several, such as 1 or 0-1, or anywhere", text));
  Placement placement;
  for (const int node : list->Cpus()) {
    if (node >= Placement::kNodes)
      return Fail(fmt::format("'{}': only nodes 0 to {} can be chosen", text, Placement::kNodes - 1));
    placement.nodes |= std::uint64_t{1} << node;
  }
  if (colon == std::string_view::npos) return placement;
  for (const auto& [name, policy] : kPolicies) {
    if (text.substr(colon + 1) != name) continue;
    placement.memory = policy;
    return placement;
  }
  return Fail(fmt::format("'{}': after the colon write preferred, local, bind or interleave", text));
}

}  // namespace sluice
