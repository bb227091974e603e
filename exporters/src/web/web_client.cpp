#include "web/web_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

namespace sluice::exporters {
namespace {

constexpr std::size_t kMostIgnored = 8 << 20;

bool IsForNow(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

HttpAnswer Refusal(int status, const char* why) {
  return {.status = status, .body = why};
}

}  // namespace

short WebClient::events() const {
  return state_ == State::kAnswering ? POLLOUT : POLLIN;
}

void WebClient::Advance(const WebHandler& handler) {
  if (state_ == State::kAsking) ReadRequest(handler);
  if (state_ == State::kAnswering) WriteAnswer();
  if (state_ == State::kLeaving) ReadRest();
}

std::size_t WebClient::Read(char* to, std::size_t most) {
  const ssize_t n = recv(socket_.get(), to, most, 0);
  if (n > 0) return static_cast<std::size_t>(n);
  if (n == 0 || !IsForNow(errno)) state_ = State::kGone;
  return 0;
}

void WebClient::ReadRequest(const WebHandler& handler) {
  std::array<char, 4096> part;
  while (state_ == State::kAsking) {
    const std::size_t n = Read(part.data(), part.size());
    if (n == 0) return;
    in_.append(part.data(), n);
    TakeIn(handler);
  }
}

void WebClient::TakeIn(const WebHandler& handler) {
  const std::optional<std::size_t> length = HeadLength(in_);
  if (!CouldBeHead(in_)) return Answer(Refusal(400, "this is no request of HTTP/1.1\n"), true);
  if (length.value_or(in_.size()) > longest_head_) return Answer(Refusal(431, "too long a request\n"), true);
  if (!length) return;
  const auto request = ParseHttpRequest(std::string_view(in_).substr(0, *length));
  if (!request) return Answer(Refusal(400, "this is no request of HTTP/1.1\n"), true);
  Answer(handler(*request), request->method != "HEAD");
}

void WebClient::Answer(const HttpAnswer& answer, bool with_body) {
  out_ = Wire(answer, with_body);
  in_ = {};
  state_ = State::kAnswering;
}

void WebClient::WriteAnswer() {
  while (written_ < out_.size()) {
    const ssize_t n = send(socket_.get(), out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
    if (n < 0 && IsForNow(errno)) return;
    if (n < 0) {
      state_ = State::kGone;
      return;
    }
    written_ += static_cast<std::size_t>(n);
  }
  out_ = {};
  shutdown(socket_.get(), SHUT_WR);
  state_ = State::kLeaving;
}

// Closed before it is read, it would be reset, and the answer could be lost with it.
void WebClient::ReadRest() {
  std::array<char, 4096> part;
  while (const std::size_t n = Read(part.data(), part.size())) {
    ignored_ += n;
    if (ignored_ > kMostIgnored) state_ = State::kGone;
    if (state_ == State::kGone) return;
  }
}

}  // namespace sluice::exporters
