#include "propose/first_look.h"

#include <algorithm>

#include "model/regimes.h"

namespace sluice::autotune {
namespace {

constexpr double kAllTheTime = 0.75;  // but for its first item to arrive
constexpr double kIdle = 0.5;

struct OpLook {
  double share;   // its items for one of the finest op
  bool shown;     // what its items cost
  bool too_slow;  // busy with them all the time, whatever they cost exactly
  bool idle;      // for want of items
};

// A storage's first answer may be its worst, and nothing is planned for items of unknown size where memory is
// limited.
bool Tells(const FirstLook& look, const OpEstimate& op, const AutoTuneSettings& settings) {
  return op.utilisation >= kAllTheTime && AllowedIn(op.regime).needs_cores && !look.sizes_matter &&
         !settings.advise;
}

OpLook LookAt(const FirstLook& look, std::size_t i, const AutoTuneSettings& settings) {
  const OpEstimate& op = look.estimate.ops[i];
  const double share = look.visits[i] / look.visits[look.finest];
  const double wanted = look.looked < settings.slow_items_after ? settings.first_items : 1;
  const bool shown = op.items >= std::max(1.0, wanted * std::min(1.0, share));
  return {share, shown, !shown && share >= 1 && Tells(look, op, settings), op.starved >= kIdle};
}

// The consumer's first item tells the demand and what a batch costs. Where it takes long the ops that make it
// are too slow for sure, and need not wait for it.
bool AwaitsFirstItem(const FirstLook& look, const AutoTuneSettings& settings) {
  const Nanos latest = settings.advise ? settings.advice_after : settings.slow_items_after;
  return look.looked < latest && 1 <= look.measured.mean * Seconds(latest);
}

// Is too slow whatever the consumer will take.
bool OneLimits(const FirstLook& look, const AutoTuneSettings& settings) {
  const Phase& phase = look.estimate.phases[look.estimate.phase];
  for (std::size_t i = 0; i < look.estimate.ops.size(); ++i) {
    if (phase.active[i] && Tells(look, look.estimate.ops[i], settings)) return true;
  }
  return false;
}

}  // namespace

bool LongEnough(const FirstLook& look, const AutoTuneSettings& settings) {
  if (look.looked < (settings.advise ? settings.advice_after : settings.first_look)) return false;
  if (look.measured.windows == 0) return false;
  const Phase& phase = look.estimate.phases[look.estimate.phase];
  const bool soon = AwaitsFirstItem(look, settings) && !OneLimits(look, settings);
  bool too_slow = false;
  for (std::size_t i = 0; i < look.estimate.ops.size(); ++i) {
    if (!phase.active[i]) continue;
    const OpLook op = LookAt(look, i, settings);
    too_slow = too_slow || op.too_slow;
    const bool enough = op.shown || op.too_slow || (too_slow && op.idle) || (!soon && op.share < 1);
    if (!enough) return false;
  }
  return look.consumer_items >= 1 || too_slow || !soon;
}

}  // namespace sluice::autotune
