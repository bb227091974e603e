// All that the window shows, as a JSON document: for tests, and for programs that want what a person sees.
// Immutable functions.
#pragma once
#include <string>

#include "sluice/ui/compare.h"
#include "sluice/ui/plan.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

// Grows by new keys only; anything else raises the version.
inline constexpr int kViewFormatVersion = 1;
// Described in docs/ui.md.
[[nodiscard]] std::string ViewJson(const Scene& scene, const Track& track);

// The same of two runs side by side: a document of its own.
inline constexpr int kComparisonFormatVersion = 1;
[[nodiscard]] std::string ComparisonJson(const Comparison& comparison);

// The same of a form, with the command that does what it says.
inline constexpr int kPlanFormatVersion = 1;
[[nodiscard]] std::string PlanJson(const Plan& plan, const std::string& command);

}  // namespace sluice::ui
