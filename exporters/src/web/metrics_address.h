// Where metrics are served, as the user writes it. Immutable functions.
#pragma once
#include <netinet/in.h>

#include <cstdint>
#include <string>

#include "sluice/base/error.h"

namespace sluice::exporters {

struct MetricsAddress {
  std::string host;  // four numbers
  in_addr ip{};      // the same
  std::uint16_t port = 0;
};
// "HOST:PORT" with a literal IPv4 address or "localhost". `what` is at that address, for errors.
[[nodiscard]] Result<MetricsAddress> ParseMetricsAddress(const std::string& text,
                                                         const char* what = "metrics");
// Whether only this machine can reach it.
[[nodiscard]] bool IsLoopback(const MetricsAddress& address);

}  // namespace sluice::exporters
