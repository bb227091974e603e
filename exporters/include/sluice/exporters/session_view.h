// A moment of a recorded run as the live table shows it.
#pragma once
#include <cstddef>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/live_table.h"
#include "sluice/exporters/session_reader.h"

namespace sluice::exporters {

// REQUIRES: indices into pipelines() and its moments. `decisions`: all of that pipeline's; shown are those
// made by then, with the fates that were known at last. The mode is left empty.
[[nodiscard]] Result<LiveView> ViewAt(const SessionReader& session, std::size_t pipeline, std::size_t moment,
                                      const DecisionLog& decisions);

}  // namespace sluice::exporters
