// The first look: how long a new run is watched before anything is changed. Each second of it is lost where
// the pipeline is slow; a plan made from too few items has to be made again. Immutable.
#pragma once
#include <cstdint>
#include <vector>

#include "all_settings.h"
#include "estimate/estimates.h"
#include "observe/rate_windows.h"

namespace sluice::autotune {

struct FirstLook {
  Nanos looked{0};  // since the run was first seen
  const RateSummary& measured;
  const PipelineEstimate& estimate;
  const std::vector<double>& visits;  // and `finest` as in visits.h
  std::size_t finest = 0;
  std::uint64_t consumer_items = 0;
  bool sizes_matter = false;  // there is a byte budget: nothing is planned for items of unknown size
};

// Whether each op that has work has shown what its items cost.
[[nodiscard]] bool LongEnough(const FirstLook& look, const AutoTuneSettings& settings);

}  // namespace sluice::autotune
