#include "steer/control_call.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "sluice/base/clock.h"
#include "sluice/base/fd.h"

namespace sluice::app {
namespace {

constexpr std::size_t kLongestAnswer = 16 << 20;  // bytes; a pipeline of 1000 ops tells about 1 MiB
constexpr std::string_view kEndOfHead = "\r\n\r\n";

std::string Request(const ControlCall& call) {
  std::string request =
      fmt::format("{} {} HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n", call.method, call.path);
  if (!call.lease.empty()) request += fmt::format("Sluice-Lease: {}\r\n", call.lease);
  if (call.method == "POST")
    request += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", call.body.size());
  return request + "\r\n" + call.body;
}

std::unexpected<Error> Failed(const std::string& socket, int error) {
  if (error == ENOENT || error == ECONNREFUSED)
    return Fail(fmt::format("nobody answers at {}: its run has ended", socket));
  if (error == EACCES || error == EPERM)
    return Fail(fmt::format("{} is another user's; connect as that user (sudo -u)", socket));
  if (error == EAGAIN || error == ETIMEDOUT)
    return Fail(fmt::format("no answer came from {} in time; the run is busy or stopped, try again", socket));
  return Fail(fmt::format("{}: {}", socket, std::strerror(error)));
}

// Of one connection, which never waits beyond its deadline.
class Connection {
 public:
  explicit Connection(Nanos patience) : until_(MonoNow() + patience) {}

  [[nodiscard]] int Connect(const std::string& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() >= sizeof(address.sun_path)) return ENAMETOOLONG;
    std::ranges::copy(socket, address.sun_path);
    fd_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd_.get() < 0) return errno;
    while (connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      // EAGAIN: its queue is full, which nothing can be waited on for.
      if (errno != EAGAIN && errno != EINTR) return errno;
      if (MonoNow() >= until_) return ETIMEDOUT;
      poll(nullptr, 0, kQueueIsFull);
    }
    return 0;
  }

  [[nodiscard]] int Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
      if (n < 0 && errno == EPIPE) return 0;  // refused before it was read; the answer tells why
      if (n < 0 && !Await(POLLOUT)) return errno;
    }
    return 0;
  }

  // Until the other side closes.
  [[nodiscard]] int Receive(std::string& all) {
    std::array<char, 16384> part;
    for (;;) {
      const ssize_t n = recv(fd_.get(), part.data(), part.size(), 0);
      if (n == 0) return 0;
      if (n > 0) all.append(part.data(), static_cast<std::size_t>(n));
      if (all.size() > kLongestAnswer) return EMSGSIZE;
      if (n < 0 && errno == ECONNRESET) return 0;
      if (n < 0 && !Await(POLLIN)) return errno;
    }
  }

 private:
  static constexpr int kQueueIsFull = 5;  // milliseconds

  // Whether it goes on after an error that may pass; errno says why not.
  [[nodiscard]] bool Await(short what) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    pollfd ready{fd_.get(), what, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - MonoNow()).count();
    if (left <= 0) return errno = ETIMEDOUT, false;
    if (poll(&ready, 1, static_cast<int>(left)) < 0 && errno != EINTR) return false;
    return true;
  }

  const MonoTime until_;
  Fd fd_;
};

template <typename Number>
std::optional<Number> NumberIn(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsContentLength(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  return line.size() >= kName.size() &&
         std::ranges::equal(line.substr(0, kName.size()), kName,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

// Of the body; nullopt: the head does not tell.
std::optional<std::size_t> LengthIn(std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    if (IsContentLength(line)) return NumberIn<std::size_t>(line.substr(line.find(':') + 1));
    at = end + 2;
  }
  return std::nullopt;
}

}  // namespace

Result<ControlReply> ReadReply(std::string_view bytes) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  constexpr std::size_t kDigits = 3;
  const std::size_t head = bytes.find(kEndOfHead);
  const auto status =
      bytes.starts_with(kVersion) ? NumberIn<int>(bytes.substr(kVersion.size(), kDigits)) : std::nullopt;
  if (head == std::string_view::npos || !status)
    return Fail("what answers is no control socket of Sluice's, or its answer was cut");
  const std::string_view body = bytes.substr(head + kEndOfHead.size());
  const auto length = LengthIn(bytes.substr(0, head));
  if (length != body.size())
    return Fail(fmt::format("the answer was cut: {} bytes of {} have come", body.size(),
                            length ? std::to_string(*length) : "an unknown number"));
  return ControlReply{*status, std::string(body)};
}

Result<ControlReply> CallControl(const std::string& socket, const ControlCall& call, Nanos patience) {
  Connection connection(patience);
  std::string answer;
  int error = connection.Connect(socket);
  if (error == 0) error = connection.Send(Request(call));
  if (error == 0) error = connection.Receive(answer);
  if (error != 0) return Failed(socket, error);
  if (answer.empty()) return Failed(socket, ECONNREFUSED);
  auto reply = ReadReply(answer);
  if (!reply) return Fail(socket + ": " + reply.error().message);
  return reply;
}

}  // namespace sluice::app
