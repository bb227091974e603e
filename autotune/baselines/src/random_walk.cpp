#include "random_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline.h"

namespace sluice::baselines {

void RandomWalk::Begin(const Snapshot& seen) {
  rng_ = Rng(seed_);
  period_.Start(seen.at);
}

Move RandomWalk::Next(const Snapshot& seen) {
  if (!period_.Over(seen.at)) return {};
  const std::vector<std::size_t> ops = FreeOps(seen);
  if (ops.empty()) return {};
  const std::size_t op = ops[rng_.Below(ops.size())];
  const int step = rng_.Below(2) == 0 ? 1 : -1;
  const int present = Workers(seen, op);
  const int to = std::clamp(present + step, 1, std::max(present, WholeCores(seen)));
  return {.wishes = {{WorkersOf(op), to}},
          .because = fmt::format("drew {} and {:+d}", seen.graph->ops[op].name, step),
          .predicted = {},
          .previous = std::nullopt};
}

}  // namespace sluice::baselines
