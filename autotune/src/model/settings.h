// What CapacityModel has to spare.
#pragma once

namespace sluice::autotune {

struct ModelSettings {
  double worthwhile_gain = 0.03;  // relative; what may be missed at the end: 0.97 of the best is reached
  double worker_headroom = 0.10;  // utilisation 0.9: starvation stays below 1 % with small buffers
  double wait_headroom = 1.0;     // standard deviations of the number of workers that wait (Halfin, Whitt)
};

}  // namespace sluice::autotune
