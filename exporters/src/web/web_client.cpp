#include "web/web_client.h"

#include <array>
#include <optional>
#include <string_view>

namespace sluice::exporters {
namespace {

constexpr std::size_t kMostIgnored = 8 << 20;

HttpAnswer Refusal(int status, const char* why) {
  return {.status = status, .body = why};
}

}  // namespace

void WebClient::Advance(const WebHandler& handler) {
  if (state_ == State::kAsking) ReadRequest(handler);
  if (state_ == State::kAnswering) WriteAnswer();
  if (state_ == State::kLeaving) ReadRest();
}

std::size_t WebClient::Read(char* to, std::size_t most) {
  const std::size_t n = channel_.Read(to, most);
  if (channel_.over()) state_ = State::kGone;
  return n;
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
    const std::size_t n = channel_.Write(std::string_view(out_).substr(written_));
    if (channel_.over()) state_ = State::kGone;
    if (n == 0) return;
    written_ += n;
  }
  out_ = {};
  channel_.Finish();
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
