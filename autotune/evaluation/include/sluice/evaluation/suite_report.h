// What came out of a suite: as text for a terminal, as Markdown and as JSON. Pure.
#pragma once
#include <string>

#include "sluice/evaluation/suite.h"

namespace sluice::evaluation {

// One table per scenario, medians over the seeds, a line per controller; then the standings. Lines of up to
// about 120 columns, ASCII but for names.
[[nodiscard]] std::string SuiteText(const SuiteResult& result);

// Of our controller, or of the first one: all runs beside what is wanted, then those of each start and class.
[[nodiscard]] std::string TotalsText(const SuiteResult& result);

// SuiteText with quartiles, and the floors with their reasons.
[[nodiscard]] std::string SuiteMarkdown(const SuiteResult& result);

// docs/evaluation.md documents every key. Grows by new keys only; anything else raises the version.
inline constexpr int kSuiteFormatVersion = 1;
[[nodiscard]] std::string SuiteJson(const SuiteResult& result);

// The same without anything that says how one scenario did.
[[nodiscard]] std::string TotalsJson(const SuiteResult& result);

}  // namespace sluice::evaluation
