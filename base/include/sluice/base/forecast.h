// Forecast: what is expected of a run under other knobs, before any of them is touched. A plain value.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/units.h"

namespace sluice {

// Of one setting.
struct Outlook {
  Rate rate{};       // consumer items per second
  double cores = 0;  // in use at that rate, the consumer's included
  Bytes bytes{0};    // what workers and full buffers would hold
};

struct Forecast {
  std::vector<KnobChange> changes{};
  Outlook now{};                  // its rate is measured; the model's own where nothing was measured yet
  Outlook then{};                 // `now`, changed as the model says
  Limit limit = Limit::kUnknown;  // what keeps `then` from being faster
  std::optional<std::uint32_t> op{};
};

}  // namespace sluice
