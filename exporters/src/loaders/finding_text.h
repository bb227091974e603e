// FindingText: a finding of a wrapped run as one sentence: the number, what it means, what to do. Immutable
// functions.
#pragma once
#include <optional>
#include <string>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

// `storage_read`: by all processes of the run. Empty where nothing is known.
[[nodiscard]] std::string FindingText(const LoaderReport& loader, std::optional<Bytes> storage_read);

// What is wrong with the threads of the loader's workers, and the remedy.
[[nodiscard]] std::string CrowdedText(const CrowdedThreads& crowded);

}  // namespace sluice::exporters
