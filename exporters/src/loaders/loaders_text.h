// LoadersText: what a wrapped run's report says of its loaders, as text. Immutable functions over values that
// have been checked; the text of findings is in finding_text.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

// A few lines for each loader, and last ones about the ranks where there are several. Ends with a line break
// unless empty. `storage_read`: by all processes of the run.
[[nodiscard]] std::string LoadersText(const std::vector<LoaderReport>& loaders,
                                      std::optional<Bytes> storage_read = {});

}  // namespace sluice::exporters
