// Placement: on which NUMA nodes an op's workers run and where its memory lies. A plain value, and the number
// that a knob of kind kPlacement has for it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/knob.h"

namespace sluice {

enum class MemoryPolicy : std::uint8_t {
  kPreferred = 0,   // on these nodes while they have room, then on others
  kLocal = 1,       // wherever the thread runs that touches it first: the kernel's own rule
  kBind = 2,        // on these nodes or nowhere: what does not fit gets the run killed
  kInterleave = 3,  // by turns on each of these nodes
};

struct Placement {
  static constexpr int kNodes = 48;  // nodes with a higher number cannot be chosen

  std::uint64_t nodes = 0;  // bit n: node n, by the kernel's number; 0: anywhere, and memory is kLocal
  MemoryPolicy memory = MemoryPolicy::kPreferred;
  friend bool operator==(const Placement&, const Placement&) = default;
};

// 0 is anywhere. The node bits as they are, the policy above them: a set of nodes alone is its own number.
[[nodiscard]] std::int64_t KnobValue(const Placement& placement);
// Bits that mean nothing are left out.
[[nodiscard]] Placement PlacementOf(std::int64_t knob_value);
[[nodiscard]] inline Placement OnNode(int node) {
  return {std::uint64_t{1} << node, {}};
}
// The nodes, ascending.
[[nodiscard]] std::vector<int> NodesOf(const Placement& placement);

// "anywhere", "node 1", "nodes 0-1", "node 1, memory bound": also "interleaved", "as touched".
[[nodiscard]] std::string PlacementText(const Placement& placement);
// A knob's value as people read it: a number, and in words where it is a placement.
[[nodiscard]] std::string KnobValueText(KnobKind kind, std::int64_t value);
// What it may be: "1..64", "any node".
[[nodiscard]] std::string KnobRangeText(const Knob& knob, std::string_view between = "..");
// "anywhere", "1", "0-1,3", and after a colon where its memory lies: "1:bind", "0-1:interleave", "1:local",
// "1:preferred". Errors say what is allowed.
[[nodiscard]] Result<Placement> ParsePlacement(std::string_view text);

}  // namespace sluice
