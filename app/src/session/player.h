// Player: where in a recorded run its reader is, and how fast that moves. A value; time is passed in.
#pragma once
#include "session/keys.h"
#include "sluice/base/units.h"

namespace sluice::app {

class Player {
 public:
  // REQUIRES first <= last.
  Player(MonoTime first, MonoTime last, double speed)
      : first_(first), last_(last), at_(first), speed_(speed) {}

  // The end, or the start, where `when` lies outside.
  void Seek(MonoTime when);
  // So much of the reader's time has passed.
  void Pass(Nanos time);
  // kQuit is the caller's.
  void Press(Key key);

  [[nodiscard]] MonoTime at() const { return at_; }
  [[nodiscard]] double speed() const { return speed_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] bool at_end() const { return at_ == last_; }

 private:
  MonoTime first_, last_, at_;
  double speed_;
  bool paused_ = false;
};

}  // namespace sluice::app
