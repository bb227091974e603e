#include "web/metrics_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace sluice::exporters {
namespace {

constexpr std::string_view kRemedy = "write HOST:PORT, for example 127.0.0.1:9464";

}  // namespace

Result<MetricsAddress> ParseMetricsAddress(const std::string& text, const char* what) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    return Fail(fmt::format("{} address '{}' has no port: {}", what, text, kRemedy));
  MetricsAddress address{text.substr(0, colon)};
  if (address.host == "localhost") address.host = "127.0.0.1";
  const std::string_view port = std::string_view(text).substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return Fail(fmt::format("{} address '{}': '{}' is no port (0 to 65535): {}", what, text, port, kRemedy));
  }
  if (inet_pton(AF_INET, address.host.c_str(), &address.ip) != 1) {
    return Fail(
        fmt::format("{} address '{}': '{}' is no IPv4 address: {}", what, text, address.host, kRemedy));
  }
  return address;
}

bool IsLoopback(const MetricsAddress& address) {
  return (ntohl(address.ip.s_addr) >> 24) == 127;
}

}  // namespace sluice::exporters
