// What the text and the Markdown of a suite have in common: which figures, and how they are written.
// Immutable functions.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/evaluation/figures.h"
#include "sluice/evaluation/floors.h"
#include "sluice/evaluation/standing.h"

namespace sluice::evaluation {

// Those that a table has columns for.
[[nodiscard]] std::span<const FigureId> ShownFigures();

// "-" where it does not apply, "never" where what it measures has not come.
[[nodiscard]] std::string NumberText(std::optional<double> value, int decimals);

// "42 scenarios, medians of 5 seeds"
[[nodiscard]] std::string CountsText(const SuiteResult& result);

// "41 of 42"
[[nodiscard]] std::string OfText(int some, int all);

// "7/9": met of those that apply.
[[nodiscard]] std::string FloorsText(const std::vector<Held>& held);

// "final in gil, usl"; the first few scenarios, and how many more.
[[nodiscard]] std::string MissedText(const MissedFloor& missed, std::size_t most);

// "optimum 62.5 items/s (the core budget); from 60 s 31.2 (op decode)"
[[nodiscard]] std::string OptimaText(const ScenarioScores& scenario);

}  // namespace sluice::evaluation
