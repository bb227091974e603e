// When FirstLook has seen enough, how far Planner goes, and what Trim leaves.
#pragma once
#include "sluice/base/units.h"

namespace sluice::autotune {

struct ProposeSettings {
  Nanos first_look = std::chrono::milliseconds(150);        // shorter ones show the start of the threads
  Nanos slow_items_after = std::chrono::milliseconds(400);  // slow items: one of each by then, the first move
                                                            // is bounded and the next ones see more
  Nanos advice_after = std::chrono::milliseconds(1500);     // it is given once and not tried: look longer

  Nanos reaction = std::chrono::milliseconds(500);  // until more workers deliver more: so long the buffer of
                                                    // a consumer that sets the pace lasts ...
  double reaction_memory = 0.1;                     // ... unless that takes more of the byte budget
  double buffer_loss = 0.01;                        // throughput that one connector's finite size may cost
  double memory_margin = 0.95;                      // of the byte budget: item sizes vary ...
  double memory_margin_even = 0.995;                // ... unless all have the same

  Nanos trim_after = std::chrono::seconds(5);   // of quiet
  Nanos trim_until = std::chrono::seconds(30);  // later only noise could suggest what it did not before
  Nanos trim_again = std::chrono::minutes(10);  // between two trims
  double trim_slack_processes = 1.5;  // of what is needed, where each worker takes memory of its own
  double trim_memory_share = 0.5;     // buffers are trimmed when they may take this of the budget
};

}  // namespace sluice::autotune
