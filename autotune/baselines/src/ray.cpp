#include "ray.h"

#include <fmt/format.h>

#include <algorithm>

#include "core_slots.h"
#include "pipeline.h"

namespace sluice::baselines {
void RayData::Begin(const Snapshot& seen) {
  previous_ = seen;
  raised_.assign(seen.ops.size(), MonoTime{0});
  was_raised_.assign(seen.ops.size(), false);
}

Move RayData::Next(const Snapshot& seen) {
  const Window window = Between(previous_, seen);
  previous_ = seen;
  if (window.seconds <= 0) return {};
  slots_ = SlotsFree(seen);
  Move move;
  for (const std::size_t op : FreeOps(seen)) Scale(seen, window, op, move);
  return move;
}

double RayData::Utilisation(const Snapshot& seen, const Window& window, std::size_t op) const {
  const double actors = Workers(seen, op);
  const double running = std::min(1.0, window.ops[op].busy / window.seconds / actors);
  const std::vector<std::size_t> inputs = InputsOf(*seen.graph, op);
  if (inputs.empty()) return running * kInFlight;
  double waiting = kInFlight;
  for (const std::size_t c : inputs) {
    const double tasks = static_cast<double>(seen.connectors[c].depth) / ItemsPerOutput(seen, c);
    waiting = std::min(waiting, tasks / actors);
  }
  return std::min(kInFlight, running + std::min(waiting, kInFlight - 1));
}

void RayData::Scale(const Snapshot& seen, const Window& window, std::size_t op, Move& move) {
  const double utilisation = Utilisation(seen, window, op);
  const int actors = Workers(seen, op);
  const bool up = utilisation >= kUp && slots_ > 0 && !Pending(*Find(seen, WorkersOf(op)));
  const bool rests = was_raised_[op] && seen.at - raised_[op] < kNoDownAfterUp;
  const bool down = utilisation <= kDown && actors > 1 && !rests;
  if (!up && !down) return;
  move.wishes.push_back({WorkersOf(op), up ? actors + 1 : actors - 1});
  move.because += fmt::format("{}{} has a utilisation of {:.2f}", move.because.empty() ? "" : "; ",
                              seen.graph->ops[op].name, utilisation);
  if (!up) return;
  --slots_;
  raised_[op] = seen.at;
  was_raised_[op] = true;
}

}  // namespace sluice::baselines
