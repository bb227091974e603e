// A recorded run as one page for a browser: what limited it, how throughput, connectors and knobs went over
// time, what was decided, and what each op did. Self-contained: no script, nothing from elsewhere; readable
// in the dark and in print.
#pragma once
#include <string>

#include "sluice/base/error.h"
#include "sluice/exporters/session_reader.h"

namespace sluice::exporters {

// HTML 5 in UTF-8. The same session gives the same page.
[[nodiscard]] Result<std::string> SessionPage(const SessionReader& session);

}  // namespace sluice::exporters
