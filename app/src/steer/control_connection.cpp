#include "steer/control_connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "sluice/base/clock.h"

namespace sluice::app {
namespace {

constexpr int kQueueIsFull = 5;  // milliseconds
constexpr std::size_t kPart = 64 << 10;

// Until the descriptor is ready for that. False: not by then; errno says so.
bool Await(const Fd& fd, short what, MonoTime until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - MonoNow()).count();
    pollfd ready{fd.get(), what, 0};
    const int n = poll(&ready, 1, static_cast<int>(std::max<long>(left, 0)));
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
    if (left <= 0) return errno = ETIMEDOUT, false;
  }
}

Result<Fd> ConnectToPath(const std::string& path, MonoTime until) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return ControlConnection::Failed(path, ENAMETOOLONG);
  std::ranges::copy(path, address.sun_path);
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return ControlConnection::Failed(path, errno);
  while (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    // EAGAIN: its queue is full, which nothing can be waited on for.
    if (errno != EAGAIN && errno != EINTR) return ControlConnection::Failed(path, errno);
    if (MonoNow() >= until) return ControlConnection::Failed(path, ETIMEDOUT);
    poll(nullptr, 0, kQueueIsFull);
  }
  return fd;
}

int ConnectNow(const Fd& fd, const addrinfo& at, MonoTime until) {
  if (!fd.valid()) return errno;
  if (connect(fd.get(), at.ai_addr, at.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS || !Await(fd, POLLOUT, until)) return errno;
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

Result<Fd> ConnectToPort(const std::string& where, MonoTime until) {
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos) return Fail(where + " is neither a socket's path nor HOST:PORT");
  const std::string host = where.substr(0, colon), port = where.substr(colon + 1);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int unknown = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found);
  if (unknown != 0) return Fail(fmt::format("{}: {}; write HOST:PORT", where, gai_strerror(unknown)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Fd fd(socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol));
    error = ConnectNow(fd, *at, until);
    if (error == 0) return fd;
  }
  return ControlConnection::Failed(where, error);
}

std::string Request(const ControlPeer& peer, const ControlCall& call) {
  std::string request =
      fmt::format("{} {} HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n", call.method, call.path);
  if (!peer.token.empty()) request += fmt::format("Authorization: Bearer {}\r\n", peer.token);
  if (!call.lease.empty()) request += fmt::format("Sluice-Lease: {}\r\n", call.lease);
  if (call.method == "POST")
    request += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", call.body.size());
  return request + "\r\n" + call.body;
}

}  // namespace

bool IsPath(const std::string& where) {
  return where.find('/') != std::string::npos || where.find(':') == std::string::npos;
}

std::unexpected<Error> ControlConnection::Failed(const std::string& where, int error) {
  if (error == ENOENT || error == ECONNREFUSED)
    return Fail(fmt::format("nobody answers at {}: its run has ended", where));
  if (error == EACCES || error == EPERM)
    return Fail(fmt::format("{} is another user's; connect as that user (sudo -u)", where));
  if (error == EAGAIN || error == ETIMEDOUT)
    return Fail(fmt::format("no answer came from {} in time; the run is busy or stopped, try again", where));
  return Fail(fmt::format("{}: {}", where, std::strerror(error)));
}

Result<ControlConnection> ControlConnection::Open(const ControlPeer& peer, MonoTime until) {
  auto fd = IsPath(peer.where) ? ConnectToPath(peer.where, until) : ConnectToPort(peer.where, until);
  if (!fd) return std::unexpected(fd.error());
  return ControlConnection(std::move(*fd), peer);
}

Result<void> ControlConnection::Ask(const ControlCall& call, MonoTime until) {
  const std::string request = Request(peer_, call);
  for (std::string_view left = request; !left.empty();) {
    const ssize_t n = send(fd_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (n > 0) left.remove_prefix(static_cast<std::size_t>(n));
    if (n >= 0 || errno == EINTR) continue;
    if (errno == EPIPE) return {};  // refused before it was read; the answer tells why
    if (errno != EAGAIN || !Await(fd_, POLLOUT, until)) return Failed(peer_.where, errno);
  }
  return {};
}

Result<std::optional<std::string_view>> ControlConnection::Receive(MonoTime until) {
  part_.resize(kPart);
  for (;;) {
    const ssize_t n = recv(fd_.get(), part_.data(), part_.size(), 0);
    if (n >= 0) return std::string_view(part_).substr(0, static_cast<std::size_t>(n));
    if (errno == ECONNRESET) return std::string_view();
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Failed(peer_.where, errno);
    if (Await(fd_, POLLIN, until)) continue;
    if (errno != ETIMEDOUT) return Failed(peer_.where, errno);
    return std::nullopt;
  }
}

}  // namespace sluice::app
