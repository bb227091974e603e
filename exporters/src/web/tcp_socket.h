// A socket that listens on a port of this machine.
#pragma once
#include <cstdint>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"
#include "web/metrics_address.h"

namespace sluice::exporters {

// It does not block. `what`: "cannot serve metrics", for errors, which name the address and say what to do.
[[nodiscard]] Result<Fd> ListenOn(const MetricsAddress& address, const char* what);
[[nodiscard]] std::uint16_t PortOf(const Fd& socket);

}  // namespace sluice::exporters
