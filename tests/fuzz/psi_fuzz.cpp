// A file of pressure stall information of any bytes: read or refused with a reason; shares and times are
// never negative.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "input.h"
#include "sluice/base/check.h"
#include "sluice/probes/psi.h"

namespace {

void CheckLine(const sluice::probes::PressureLine& line) {
  for (const sluice::Fraction share : {line.avg10, line.avg60, line.avg300})
    SLUICE_CHECK(std::isfinite(share.value) && share.value >= 0);
  SLUICE_CHECK(line.total >= sluice::Nanos(0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto pressure = sluice::probes::ParsePressure(sluice::fuzz::Text(data, size));
  if (!pressure) {
    SLUICE_CHECK(!pressure.error().message.empty());
    return 0;
  }
  CheckLine(pressure->some);
  if (pressure->full) CheckLine(*pressure->full);
  return 0;
}
