// The loaders of a wrapped run as JSON: every figure that the report's text is made of (docs/wrap-json.md).
// Immutable functions.
#pragma once
#include <optional>
#include <vector>

#include "json/json_values.h"
#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

// An array with an object for each loader. `null` is what was not measured, or what cannot be true.
// `storage_read`: by all processes of the run.
[[nodiscard]] Json LoadersJson(const std::vector<LoaderReport>& loaders,
                               std::optional<Bytes> storage_read = {});

// Which rank is held up most; null: there are fewer than two.
[[nodiscard]] Json RanksJson(const std::vector<LoaderReport>& loaders);

// An array of what is worth writing into a script that several processes run.
[[nodiscard]] Json SharedAdviceJson(const std::vector<LoaderReport>& loaders);

}  // namespace sluice::exporters
