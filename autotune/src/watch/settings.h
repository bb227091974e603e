// What Watch takes for a shift.
#pragma once

namespace sluice::autotune {

struct WatchSettings {
  double watch_slack = 0.05;         // relative drift that is ignored for ever
  double watch_slack_sigmas = 1.25;  // with 8 sigmas of evidence: a false alarm in about exp(20) samples
  double watch_alarm = 0.25;         // summed relative excess that is a shift, at least
  double watch_alarm_sigmas = 8;
  double watch_items = 5;  // per sample
};

}  // namespace sluice::autotune
