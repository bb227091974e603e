#include "first_look.h"

#include <algorithm>

namespace sluice {
namespace {

// The consumer's first item tells the demand and what a batch costs. Where it takes long the ops that make it
// are too slow for sure, and need not wait for it.
bool AwaitsFirstItem(const FirstLook& look, const AutoTuneSettings& settings) {
  const Nanos latest = settings.advise ? settings.advice_after : settings.slow_items_after;
  return look.looked < latest && 1 <= look.measured.mean * Seconds(latest);
}

}  // namespace

bool LongEnough(const FirstLook& look, const AutoTuneSettings& settings) {
  if (look.looked < (settings.advise ? settings.advice_after : settings.first_look)) return false;
  if (look.measured.windows == 0) return false;
  const bool waits = AwaitsFirstItem(look, settings);
  const double wanted = look.looked < settings.slow_items_after ? settings.first_items : 1;
  const PipelineEstimate& estimate = look.estimate;
  for (std::size_t i = 0; i < estimate.ops.size(); ++i) {
    if (!estimate.phases[estimate.phase].active[i]) continue;
    const double share = look.visits[i] / look.visits[look.finest];
    if (!waits && share < 1) continue;
    if (estimate.ops[i].items < std::max(1.0, wanted * std::min(1.0, share))) return false;
  }
  return look.consumer_items >= 1 || !waits;
}

}  // namespace sluice
