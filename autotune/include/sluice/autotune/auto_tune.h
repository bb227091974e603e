// AutoTune: the controller that Sluice ships. It estimates what every op costs, plans for the least that
// meets the consumer's demand, tries each plan as an experiment, and watches for change afterwards.
// docs/controller.md has the model, its formulas and their sources.
#pragma once
#include <memory>

#include "sluice/autotune/controller.h"
#include "sluice/base/units.h"

namespace sluice::autotune {

// Every constant of the controller, with its reason. The same values serve live and simulated plants;
// none depends on a pipeline.
struct AutoTuneSettings {
  // Say what should be changed, once each, and change nothing.
  bool advise = false;

  // Observing.
  Nanos fresh = std::chrono::seconds(1);  // a run that is younger at first sight is known from its start on
  Nanos first_look = std::chrono::milliseconds(150);  // shorter ones show the start of the threads
  double first_items = 5;                             // their mean is within a fifth or so, and the next
                                                      // move sees more
  Nanos slow_items_after = std::chrono::milliseconds(400);  // slow items: one of each by then, the first move
                                                            // is bounded and the next ones see more
  Nanos advice_after = std::chrono::milliseconds(1500);     // it is given once and not tried: look longer
  Nanos window = std::chrono::milliseconds(150);  // shorter ones show the scheduler, not the pipeline; two
                                                  // ticks of 100 ms or one of 200 ms make one
  double window_items = 16;                       // counting error of one item below about 6 %
  double window_consumer_items = 5;               // the same where the consumer sets the pace
  Nanos half_life = std::chrono::seconds(2);      // of estimates: a shift is believed within seconds
  double memory_items = 30;                       // ... but never forget below this many items

  // Planning.
  double worthwhile_gain = 0.03;  // what may be missed at the end: 0.97 of the best is reached
  double small_gain = 0.01;       // is tried once 20 windows tell it from noise
  double worker_headroom = 0.10;  // utilisation 0.9: starvation stays below 1 % with small buffers
  double wait_headroom = 1.0;     // standard deviations of the number of workers that wait (Halfin, Whitt)
  double core_headroom = 1.5;  // the same of those that are ready, where the cores are the limit: none idles
  int largest_jump = 8;        // factor per move of an op that waits, whose storage may be full
  Nanos reaction = std::chrono::milliseconds(500);  // until more workers deliver more: so long the buffer of
                                                    // a consumer that sets the pace lasts ...
  double reaction_memory = 0.1;                     // ... unless that takes more of the byte budget
  double buffer_loss = 0.01;                        // throughput that one connector's finite size may cost
  double memory_margin = 0.95;                      // of the byte budget: item sizes vary ...
  double memory_margin_even = 0.995;                // ... unless all have the same

  // Trying.
  double gain_to_see = 0.05;  // a growth is kept when this gain is likelier than none
  double loss_to_see = 0.03;  // a trim is undone when this loss is likelier than none
  double test_error = 0.01;   // of either kind, per trial
  double prior_noise = 0.05;  // relative, of a window, before three windows have been seen
  double least_noise = 0.02;  // relative; no plant is quieter over 100 ms
  int most_windows = 40;      // then the mean decides
  Nanos settle_floor = std::chrono::milliseconds(100);  // threads start, caches warm up
  double settle_consumer_items = 1;                     // the batch that was begun before must be out
  Nanos settle_cap = std::chrono::seconds(3);           // huge buffers: measure while they fill
  Nanos refused_after = std::chrono::seconds(5);        // a live knob that is still not in force was refused
  int most_failures = 3;                                // trials undone in a row before resting

  double tempting_gain = 0.08;  // to leave a rest for, if every look of three seconds sees it
  Nanos explore_after = std::chrono::minutes(3);  // of quiet: a doubtful try can wait

  // Trimming.
  Nanos trim_after = std::chrono::seconds(5);   // of quiet
  Nanos trim_until = std::chrono::seconds(30);  // later only noise could suggest what it did not before
  Nanos trim_again = std::chrono::minutes(10);  // between two trims
  Nanos trim_may_cost = std::chrono::milliseconds(500);  // of waiting, to a consumer that lacked nothing
  double trim_slack = 2.5;  // times as many workers as are needed, before a trim: those to spare wait, take
                            // no core, and are there when the demand doubles
  double trim_slack_processes = 1.5;  // the same where each worker takes memory of its own
  double trim_slack_contended = 1.1;  // the same where more workers make an op slower
  double trim_memory_share = 0.5;     // buffers are trimmed when they may take this of the budget

  // Watching.
  double watch_slack = 0.05;         // relative drift that is ignored for ever
  double watch_slack_sigmas = 1.25;  // with 8 sigmas of evidence: a false alarm in about exp(20) samples
  double watch_alarm = 0.25;         // summed relative excess that is a shift, at least
  double watch_alarm_sigmas = 8;
  double watch_items = 5;                         // per sample
  Nanos rest = std::chrono::minutes(1);           // before looking again at what did not pay; doubles
  Nanos longest_rest = std::chrono::minutes(64);  // after it failures are forgotten: luck may have been bad

  // Speaking.
  Nanos verdict_lasts = std::chrono::seconds(2);  // a new verdict at rest that is gone sooner was noise

  // The consumer counts as served below this share of its time.
  Fraction served{0.01};
};

[[nodiscard]] std::unique_ptr<Controller> MakeAutoTune(const AutoTuneSettings& settings = {});

}  // namespace sluice::autotune
