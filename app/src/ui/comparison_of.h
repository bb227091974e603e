// Two recorded sessions side by side as the window shows them, from what the exporters compare. Immutable
// functions over what they read.
#pragma once
#include "sluice/base/error.h"
#include "sluice/exporters/session_reader.h"
#include "sluice/ui/compare.h"

namespace sluice::app {

// `looked_at`: of a's pipelines the one that is shown first, where b has it, too. An error where they have
// none in common.
[[nodiscard]] Result<ui::Comparison> ComparisonOf(const exporters::SessionReader& a,
                                                  const exporters::SessionReader& b, std::size_t looked_at);

}  // namespace sluice::app
