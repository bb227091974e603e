// How a recorded pipeline went over time, as curves. Immutable functions.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/exporters/session_reader.h"

namespace sluice::exporters {

// The value over the time from the end before it to `until`, since the pipeline's first snapshot; nullopt:
// not known.
struct CurvePoint {
  Nanos until{0};
  std::optional<double> value;
};
using Curve = std::vector<CurvePoint>;

struct NamedCurve {
  std::string name;
  Curve curve;
};

struct Timeline {
  Nanos length{0};
  bool in_batches = false;             // their size is not known: no rows are counted
  Curve rate;                          // rows or batches per second
  Curve starved;                       // of the consumer, 0..1
  std::vector<NamedCurve> connectors;  // mean depth, in items
  std::vector<NamedCurve> knobs;       // those whose value has changed
};

// About `points` windows of one length, longer where the session has no snapshots any more.
[[nodiscard]] Result<Timeline> MeasureTimeline(const SessionReader& session, std::size_t number,
                                               std::size_t points);

}  // namespace sluice::exporters
