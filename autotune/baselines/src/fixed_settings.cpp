#include "fixed_settings.h"

#include <fmt/format.h>

#include <utility>

#include "pipeline.h"

namespace sluice::baselines {

Move StaticSettings::Next(const Snapshot& seen) {
  if (std::exchange(done_, true)) return {};
  Move move;
  for (std::size_t i = 0; i < seen.ops.size(); ++i) move.wishes.push_back({WorkersOf(i), kWorkers});
  for (std::size_t c = 0; c < seen.connectors.size(); ++c) {
    move.wishes.push_back({CapacityOf(c), kPrefetch});
  }
  move.because = fmt::format("{} workers per op, prefetch {}, whatever is measured", kWorkers, kPrefetch);
  return move;
}

Move WorkersAsCores::Next(const Snapshot& seen) {
  if (std::exchange(done_, true)) return {};
  Move move;
  const int cores = WholeCores(seen);
  for (std::size_t i = 0; i < seen.ops.size(); ++i) move.wishes.push_back({WorkersOf(i), cores});
  move.because = fmt::format("as many workers per op as there are cores: {}", cores);
  return move;
}

}  // namespace sluice::baselines
