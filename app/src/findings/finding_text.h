// FindingText: a finding of a wrapped run as one sentence: the number, what it means, what to do. Pure
// functions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "findings/loader_stories.h"

namespace sluice::app {

// "12%", "0.8%"
[[nodiscard]] std::string PercentText(Fraction share);

// Empty where nothing is known.
[[nodiscard]] std::string FindingText(const LoaderStory& story, const RunFacts& facts);

// "loop", "start-up", ...: what docs/verdicts.md calls it.
[[nodiscard]] std::string_view FindingName(Finding finding);
[[nodiscard]] std::vector<Finding> AllFindings();

}  // namespace sluice::app
