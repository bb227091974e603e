#include "sluice/ui/knob_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

constexpr std::int64_t kWide = 64;      // values that a slider shows evenly
constexpr std::int64_t kStepShare = 8;  // of the value, in wide ranges
constexpr double kLess = 0.98;          // of the present rate is less than now

// What the kernel says of it.
std::string PlacedText(const Knob& knob, const Snapshot& now) {
  if (knob.id.target >= now.ops.size()) return internal::kUnknown;
  const auto& place = now.ops[knob.id.target].place;
  if (!place || place->pages == 0) return internal::kUnknown;
  return fmt::format("{} of {} pages there", place->pages_at_home, place->pages);
}

std::string CurrentText(const Knob& knob, const Snapshot& now) {
  if (knob.id.kind == KnobKind::kWorkers && knob.id.target < now.ops.size())
    return fmt::format("{} alive", now.ops[knob.id.target].workers);
  if (knob.id.kind == KnobKind::kCapacity && knob.id.target < now.connectors.size())
    return fmt::format("room for {}", now.connectors[knob.id.target].capacity);
  if (knob.id.kind == KnobKind::kPlacement) return PlacedText(knob, now);
  return internal::kUnknown;
}

std::string WhyFixed(const Scene& scene, const Knob& knob) {
  if (!scene.steering) return scene.watched == Watched::kRecorded ? "It was recorded." : "The run is over.";
  if (!scene.steering->closed.empty()) return scene.steering->closed;
  if (scene.earlier) return "It is shown as it was then; follow the run again (Space) to set it.";
  if (knob.held != HeldBecause::kNot) return std::string("It is ") + internal::HolderText(knob) + ".";
  if (knob.takes_effect == TakesEffect::kNextRun) return "It takes effect in the next run only.";
  return "";
}

const ForecastSeen* ForecastOf(const Scene& scene, const std::string& knob, std::int64_t value) {
  if (!scene.steering || !scene.steering->forecast) return nullptr;
  const ForecastSeen& seen = *scene.steering->forecast;
  return seen.knobs == std::vector<KnobValue>{{knob, value}} ? &seen : nullptr;
}

bool IsDoubtful(const ForecastSeen& seen) {
  return seen.refused.empty() && (seen.then.rate.per_second < kLess * seen.now.rate.per_second ||
                                  (seen.memory && seen.then.bytes > *seen.memory));
}

std::optional<KnobRange> BoundsOf(const Scene& scene, const std::string& knob) {
  if (!scene.steering) return std::nullopt;
  const auto found = std::ranges::find(scene.steering->bounds, knob, &KnobBound::knob);
  return found == scene.steering->bounds.end() ? std::nullopt : std::optional(found->range);
}

std::string RangeText(const KnobView& view) {
  std::string text = fmt::format("{} to {}", view.min, view.max);
  if (view.bounds) text += fmt::format(", for the tuner {} to {}", view.bounds->min, view.bounds->max);
  return text;
}

// Of the tuner's last decision; older advice is out of date.
std::vector<KnobValue> AdviceIn(const Scene& scene) {
  std::vector<KnobValue> advice;
  const auto last =
      std::find_if(scene.decisions.rbegin(), scene.decisions.rend(),
                   [](const DecisionSeen& seen) { return seen.decision.author == Author::kController; });
  if (last == scene.decisions.rend() || last->fate != Fate::kAdvised) return advice;
  for (const KnobChange& change : last->decision.changes) {
    const auto knob = std::ranges::find(scene.now.knobs, change.knob, &Knob::id);
    if (knob != scene.now.knobs.end() && knob->requested != change.to)
      advice.push_back({knob->name, change.to});
  }
  return advice;
}

std::string HoldsText(const SteeringSeen& steering) {
  if (!steering.holder.empty()) return steering.holder + " has the lease and changes this run.";
  if (!steering.held_by.empty()) return steering.held_by + " holds the tuner: it changes nothing.";
  return "The tuner is " + (steering.tuning.empty() ? "not known" : steering.tuning) + ".";
}

}  // namespace

KnobView DescribeKnob(const Scene& scene, std::size_t index, std::optional<std::int64_t> wanted) {
  KnobView view;
  if (index >= scene.now.knobs.size()) return view;
  const Knob& knob = scene.now.knobs[index];
  view.title = knob.name;
  view.min = knob.min;
  view.max = knob.max;
  view.wanted = std::clamp(wanted.value_or(knob.requested), knob.min, std::max(knob.min, knob.max));
  view.wide = knob.max - knob.min > kWide;
  view.fixed = WhyFixed(scene, knob);
  view.free = view.fixed.empty();
  view.changes = view.wanted != knob.requested;
  view.pinned = knob.holder == Holder::kUser && knob.held == HeldBecause::kNot;
  view.bounds = BoundsOf(scene, knob.name);
  const std::string range = knob.id.kind == KnobKind::kPlacement ? KnobRangeText(knob) : RangeText(view);
  view.summary = fmt::format("{} in force, {}, takes effect {}", KnobValueText(knob.id.kind, knob.value),
                             range, internal::EffectText(knob.takes_effect));
  view.figures = {{"in force", KnobValueText(knob.id.kind, knob.value)},
                  {"asked for", KnobValueText(knob.id.kind, knob.requested)},
                  {"now", CurrentText(knob, scene.now)},
                  {"range", range},
                  {"takes effect", internal::EffectText(knob.takes_effect)},
                  {"holder", internal::HolderText(knob)}};
  if (const ForecastSeen* const forecast = ForecastOf(scene, knob.name, view.wanted)) {
    view.outlook = OutlookText(*forecast);
    view.doubtful = IsDoubtful(*forecast);
  }
  return view;
}

std::optional<KnobRange> Rebounded(const KnobView& knob, bool least) {
  const KnobRange all{knob.min, knob.max};
  KnobRange range = knob.bounds.value_or(all);
  if (least) {
    range.min = range.min == knob.wanted ? all.min : knob.wanted;
    range.max = std::max(range.max, range.min);
  } else {
    range.max = range.max == knob.wanted ? all.max : knob.wanted;
    range.min = std::min(range.min, range.max);
  }
  return range == all ? std::nullopt : std::optional(range);
}

std::int64_t Stepped(const Knob& knob, std::int64_t from, int by) {
  const std::int64_t step = knob.max - knob.min > kWide ? std::max<std::int64_t>(1, from / kStepShare) : 1;
  return std::clamp(from + by * step, knob.min, std::max(knob.min, knob.max));
}

std::string OutlookText(const ForecastSeen& forecast) {
  if (!forecast.refused.empty()) return forecast.refused;
  std::string text = fmt::format("{} \u2192 {} items/s ({})", FormatCount(forecast.now.rate.per_second),
                                 FormatCount(forecast.then.rate.per_second),
                                 internal::GainText(forecast.now.rate, forecast.then.rate));
  text += fmt::format(", {:.2g}", forecast.then.cores);
  text += forecast.cores > 0 ? fmt::format(" of {:.3g} cores", forecast.cores) : " cores";
  const bool held = forecast.then.bytes.count > 0;
  if (held) text += ", at most " + FormatBytes(forecast.then.bytes);
  if (held && forecast.memory) text += " of " + FormatBytes(*forecast.memory);
  return text + fmt::format("; then {} is the limit",
                            forecast.limited_by.empty() ? "the consumer" : forecast.limited_by);
}

SteeringView DescribeSteering(const Scene& scene) {
  SteeringView view;
  if (!scene.steering) return view;
  const SteeringSeen& steering = *scene.steering;
  view.open = steering.open;
  view.held = !steering.held_by.empty();
  view.undoes = steering.open && steering.undoes;
  view.redoes = steering.open && steering.redoes;
  view.advice = steering.open ? AdviceIn(scene) : std::vector<KnobValue>{};
  const auto& forecast = steering.forecast;
  const bool previewed = !view.advice.empty() && forecast && forecast->knobs == view.advice;
  const bool closed = !steering.closed.empty();
  view.line = closed                   ? steering.closed
              : !steering.open         ? "Looking for whoever tunes this run."
              : !steering.said.empty() ? steering.said
              : previewed && forecast  ? "The advice: " + OutlookText(*forecast)
                                       : HoldsText(steering);
  const bool others = steering.said.empty() && !previewed && (!steering.holder.empty() || view.held);
  view.warns = closed || steering.refused || others;
  return view;
}

}  // namespace sluice::ui
