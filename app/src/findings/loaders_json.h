// The loaders of a wrapped run as JSON: every figure that the report's text is made of (docs/wrap-json.md).
// Immutable functions.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "findings/loader_stories.h"

namespace sluice::app {

// An array with an object for each loader that handed out at least one batch. `null` is what was not
// measured, or what cannot be true.
[[nodiscard]] nlohmann::ordered_json LoadersJson(const std::vector<LoaderStory>& loaders,
                                                 const RunFacts& facts);

}  // namespace sluice::app
