// What a client asks for in its headers Accept and Accept-Encoding (RFC 9110), with their q-values. Immutable
// functions; the headers are untrusted.
#pragma once
#include <string_view>

#include "sluice/exporters/metrics_text.h"

namespace sluice::exporters {

// OpenMetrics where the client names it (version 1.0.0, or none) and wants it no less than the older text.
// Who accepts neither gets the text: it is of more use than a refusal.
[[nodiscard]] MetricsFormat ChooseFormat(std::string_view accept);

[[nodiscard]] std::string_view ContentTypeOf(MetricsFormat format);

// Whether it wants gzip no less than what it came from.
[[nodiscard]] bool AcceptsGzip(std::string_view accept_encoding);

}  // namespace sluice::exporters
