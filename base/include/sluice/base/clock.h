// The clocks. Only runtime, probes and app read them; everything that decides gets time passed in.
#pragma once
#include <time.h>

#include "sluice/base/units.h"

namespace sluice {

inline Nanos ReadClock(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return std::chrono::seconds(t.tv_sec) + Nanos(t.tv_nsec);
}

inline MonoTime MonoNow() {
  return ReadClock(CLOCK_MONOTONIC);
}
inline Nanos WallNow() {
  return ReadClock(CLOCK_REALTIME);
}

}  // namespace sluice
