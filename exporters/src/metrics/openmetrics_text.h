// OpenMetrics text (1.0) of families. Immutable function.
#pragma once
#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace sluice::exporters {

// Types and units come from the catalogue, and so infos and state sets are such; ends with "# EOF". There are
// no exemplars, and no _created samples, which would double the series. REQUIRES: each name is in the
// catalogue, labels are valid UTF-8.
[[nodiscard]] std::string OpenMetricsText(const std::vector<prometheus::MetricFamily>& families);

}  // namespace sluice::exporters
