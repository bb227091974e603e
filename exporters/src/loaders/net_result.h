// NetResult: what the run gained, in time. Immutable functions.
#pragma once
#include <optional>
#include <string>

#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {

struct Saved {
  // Of what the same batches would have taken at the rate before the first change, or, where that is not
  // known, at that of the first epoch.
  Nanos saved{0}, of{0};
};

// nullopt: nothing, or not known.
[[nodiscard]] std::optional<Saved> SavedBy(const LoaderValues& values);

// "epoch 1: 5.4s, last of 12: 1.2s; saved 31s of 70s"; empty where there is nothing to say.
[[nodiscard]] std::string NetText(const LoaderValues& values);

}  // namespace sluice::exporters
