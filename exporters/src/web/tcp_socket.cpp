#include "web/tcp_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace sluice::exporters {
namespace {

constexpr int kBacklog = 1024;

std::unexpected<Error> WhyNot(const MetricsAddress& address, const char* what, int error) {
  const std::string where = fmt::format("{} on {}:{}", what, address.host, address.port);
  if (error == EADDRINUSE) return Fail(where + ": the port is in use; choose another, or 0 for a free one");
  const char* remedy = error == EACCES ? "choose a port above 1023" : "choose an address of this machine";
  return Fail(fmt::format("{}: {}; {}", where, std::strerror(error), remedy));
}

}  // namespace

Result<Fd> ListenOn(const MetricsAddress& address, const char* what) {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return WhyNot(address, what, errno);
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr = address.ip;
  at.sin_port = htons(address.port);
  const bool bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  if (!bound || listen(fd.get(), kBacklog) != 0) return WhyNot(address, what, errno);
  return fd;
}

std::uint16_t PortOf(const Fd& socket) {
  sockaddr_in at{};
  socklen_t length = sizeof at;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &length);
  return ntohs(at.sin_port);
}

}  // namespace sluice::exporters
