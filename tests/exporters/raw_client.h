// A client that sends any bytes, for tests of the servers.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sluice/base/check.h"

namespace sluice::exporters {

class RawClient {
 public:
  explicit RawClient(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    SLUICE_CHECK(fd_ >= 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  // At a socket of this path.
  explicit RawClient(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    SLUICE_CHECK(fd_ >= 0);
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::ranges::copy(path, to.sun_path);
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  RawClient(RawClient&& other) noexcept : fd_(other.fd_), connected_(other.connected_) { other.fd_ = -1; }
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (fd_ >= 0) close(fd_);
  }

  [[nodiscard]] bool connected() const { return connected_; }
  // False: the other side is gone.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void ReadOne() const {
    char byte = 0;
    static_cast<void>(recv(fd_, &byte, 1, 0));
  }
  // Up to `end`, or what comes before the other side closes.
  std::string ReadUntil(std::string_view end) const {
    std::string all;
    for (char byte = 0; !all.ends_with(end) && recv(fd_, &byte, 1, 0) == 1;) all += byte;
    return all;
  }
  // Until the other side has closed.
  std::string ReadAll() const {
    std::string all;
    char part[4096];
    for (ssize_t n = 0; (n = recv(fd_, part, sizeof part, 0)) > 0;)
      all.append(part, static_cast<std::size_t>(n));
    return all;
  }
  std::string Ask(std::string_view request) const {
    Send(request);
    return ReadAll();
  }

 private:
  int fd_;
  bool connected_ = false;
};

}  // namespace sluice::exporters
