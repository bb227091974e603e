// Whether this machine is quiet enough to measure on: what bench/compare does (compare_lib/others.py), for
// programs that are started by themselves.
#pragma once

namespace sluice::bench {

enum class WhenBusy {
  kRefuse,     // end the program with exit status 3 and a line that says whose most is
  kWarn,       // say so on standard error (--force)
  kDoNotLook,  // whoever started the program has looked (--no-look)
};

// Looks for a second, up to three times, at what other processes take of the CPUs that this one may use. Busy
// is more than a twentieth of them each time. One thread calls, before it measures.
void LookAround(WhenBusy busy);

}  // namespace sluice::bench
