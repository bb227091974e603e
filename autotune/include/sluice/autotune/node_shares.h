// Shares of a host's cores for the runs on it, so that each gets the same part of what it needs, as far as
// that can be: max-min fairness of cores over need, on nodes that each have their own cores.
//
// Raised together, the parts grow until a set of runs has used up all nodes that it may run on; those stay,
// the others go on (progressive filling; Bertsekas and Gallager, Data Networks, 6.5.2). Which set that is a
// minimum cut says, so the parts are exact. Pure functions.
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

namespace sluice::autotune {

// What one run asks for.
struct CoreNeed {
  double cores = 0;                                       // at which its consumer lacks nothing
  double most = std::numeric_limits<double>::infinity();  // that it may use: its quota, its mask
  // Nodes that it may run on, the nearest to its device first: indices of `room`.
  std::vector<std::size_t> nodes;
};

struct CoreShare {
  double cores = 0;             // of its need
  std::vector<double> by_node;  // the same, by index of `room`
  double spare = 0;  // more that nobody needs, on the nodes that it may run on; others may take it too
};

// Cores at which a consumer would lack nothing that waits for so much of its time (0 to 1) while a run uses
// `used` of them. Infinity: it takes whatever comes.
[[nodiscard]] double CoresNeeded(double used, double waiting);

// `room`: cores of each node. Of all ways to give the same parts one with the most cores on nearest nodes,
// then on the next ones. REQUIRES numbers that are not negative; `nodes` within `room`, none twice.
[[nodiscard]] std::vector<CoreShare> ShareNodes(const std::vector<double>& room,
                                                const std::vector<CoreNeed>& needs);

}  // namespace sluice::autotune
