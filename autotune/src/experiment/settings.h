// What Trial asks of a change, and when it is measured.
#pragma once
#include "sluice/base/units.h"

namespace sluice::autotune {

struct ExperimentSettings {
  double small_gain = 0.01;   // relative; is tried once 20 windows tell it from noise
  double gain_to_see = 0.05;  // a growth is kept when this gain is likelier than none
  double loss_to_see = 0.03;  // a trim is undone when this loss is likelier than none
  double test_error = 0.01;   // of either kind, per trial
  int most_windows = 40;      // then the mean decides
  Nanos settle_floor = std::chrono::milliseconds(100);   // threads start, caches warm up
  double settle_consumer_items = 1;                      // the batch that was begun before must be out
  Nanos settle_cap = std::chrono::seconds(3);            // huge buffers: measure while they fill
  Nanos start_cap = std::chrono::seconds(30);            // workers that take longer may not come
  Nanos refused_after = std::chrono::seconds(5);         // a live knob that is still not in force was refused
  Nanos trim_may_cost = std::chrono::milliseconds(500);  // of waiting, to a consumer that lacked nothing
  double tempting_gain = 0.08;  // relative; to leave a rest for, if every look of three seconds sees it
};

}  // namespace sluice::autotune
