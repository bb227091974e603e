// DrawingPace: how long to wait between frames that nobody has asked for. Where drawing is dear, as without a
// graphics card, a run on the same cores must not pay for it. One thread.
#pragma once
#include <algorithm>

#include "sluice/base/units.h"

namespace sluice::ui {

class DrawingPace {
 public:
  // REQUIRES: cores >= 1, as many as the window shares with the run.
  explicit DrawingPace(int cores) : cores_(cores) {}

  // A key, a button or the pointer: somebody looks.
  void Touched(MonoTime now) { looked_at_until_ = now + kAttention; }
  // A frame has taken so much CPU time, of all threads.
  void Drawn(Nanos cpu) { cost_ = drawn_ ? (3 * cost_ + cpu) / 4 : cpu, drawn_ = true; }
  // `moving`: what is shown moves by itself.
  [[nodiscard]] Nanos Between(MonoTime now, bool moving) const {
    if (moving) return kMotion;
    if (now < looked_at_until_) return kNews;
    return std::clamp(FromSeconds(Seconds(cost_) / (kShare * cores_)), kNews, kLongest);
  }

 private:
  static constexpr double kShare = 0.004;                         // of all cores, while nobody touches it
  static constexpr Nanos kNews = std::chrono::milliseconds(480);  // what changes faster cannot be read
  static constexpr Nanos kMotion = std::chrono::milliseconds(90);
  static constexpr Nanos kLongest = std::chrono::seconds(5);  // older figures would pass for a fault
  static constexpr Nanos kAttention = std::chrono::seconds(10);

  int cores_;
  Nanos cost_{0};
  bool drawn_ = false;
  MonoTime looked_at_until_{0};
};

}  // namespace sluice::ui
