// The samples of an exposition as text, for those who scrape. Immutable function.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sluice/exporters/exposition.h"

namespace sluice::exporters {

enum class MetricsFormat : std::uint8_t {
  kText,         // Prometheus' text format, 0.0.4
  kOpenMetrics,  // OpenMetrics 1.0, of the same samples
};

// Types and units come from the catalogue. In OpenMetrics infos and state sets are such, and "# EOF" is last;
// in the older text they are gauges, and there are no units. Exemplars are on buckets, in OpenMetrics only.
// There are no _created samples, which would double the series. Of `process`, a place in its processes, or of
// all.
[[nodiscard]] std::string MetricsText(const Exposition& exposition, MetricsFormat format,
                                      std::optional<std::uint32_t> process = {});

}  // namespace sluice::exporters
