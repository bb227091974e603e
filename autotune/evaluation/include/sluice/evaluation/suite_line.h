// What one scenario from one start has scored, as a line of JSON: a long suite that was interrupted goes on
// from these. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/evaluation/suite.h"

namespace sluice::evaluation {

// Without a line break. `made_by`: the program; its scores are not comparable with those of another.
[[nodiscard]] std::string SuiteLine(const ScenarioScores& scores, std::string_view made_by);

// For SuiteOptions::known. Fails where the line is of another program, or of other controllers or seeds than
// those of `options`. A scenario that is none of `options` has no use: then the result has no controllers.
[[nodiscard]] Result<ScenarioScores> ReadSuiteLine(std::string_view line, const SuiteOptions& options,
                                                   std::string_view made_by);

}  // namespace sluice::evaluation
