// What Observer and RateWindows take for enough to see.
#pragma once
#include "sluice/base/units.h"

namespace sluice::autotune {

struct ObserveSettings {
  Nanos fresh = std::chrono::seconds(1);  // a run that is younger at first sight is known from its start on
  Nanos window = std::chrono::milliseconds(150);  // shorter ones show the scheduler, not the pipeline; two
                                                  // ticks of 100 ms or one of 200 ms make one
  double window_items = 16;                       // counting error of one item below about 6 %
  double window_consumer_items = 5;               // the same where the consumer sets the pace
  double prior_noise = 0.05;  // relative, of a window, before three windows have been seen
  double least_noise = 0.02;  // relative; no plant is quieter over 100 ms
};

}  // namespace sluice::autotune
