#include "web/control_client.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <poll.h>

#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "sluice/base/check.h"
#include "web/http_answer.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kMostIgnored = 8 << 20;
constexpr std::string_view kEndOfStream = "{\"notice\": \"ended\"}\n";

// nullopt: it is no length.
std::optional<std::size_t> LengthIn(std::string_view header) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), length);
  if (error != std::errc() || end != header.data() + header.size()) return std::nullopt;
  return length;
}

void AddChunk(std::string& to, std::string_view bytes) {
  fmt::format_to(std::back_inserter(to), "{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace

std::optional<MonoTime> ControlClient::deadline() const {
  return state_ == State::kStreaming ? std::nullopt : std::optional(deadline_);
}

short ControlClient::events() const {
  if (state_ == State::kWaiting) return 0;
  if (state_ == State::kStreaming) return written_ < out_.size() ? POLLOUT : 0;
  return channel_.wants();
}

std::optional<ControlRequest> ControlClient::Advance(bool hung_up) {
  if (hung_up && (state_ == State::kWaiting || state_ == State::kStreaming)) state_ = State::kGone;
  std::optional<ControlRequest> request;
  if (state_ == State::kAsking) request = ReadRequest();
  if (state_ == State::kAnswering || state_ == State::kStreaming) Write();
  if (state_ == State::kLeaving) ReadRest();
  return request;
}

std::size_t ControlClient::Read(char* to, std::size_t most) {
  const std::size_t n = channel_.Read(to, most);
  if (channel_.over()) state_ = State::kGone;
  return n;
}

std::optional<ControlRequest> ControlClient::ReadRequest() {
  std::array<char, 4096> part;
  while (state_ == State::kAsking) {
    const std::size_t n = Read(part.data(), part.size());
    if (n == 0) return std::nullopt;
    in_.append(part.data(), n);
    if (auto request = TakeIn()) return request;
  }
  return std::nullopt;
}

std::optional<ControlRequest> ControlClient::TakeIn() {
  if (!request_) {
    const std::optional<std::size_t> length = HeadLength(in_);
    if (!CouldBeHead(in_)) return Refuse(400, "this is no request of HTTP/1.1"), std::nullopt;
    if (length.value_or(in_.size()) > limits_.head)
      return Refuse(431, fmt::format("the head is longer than {} bytes", limits_.head)), std::nullopt;
    if (!length || !TakeHead(*length)) return std::nullopt;
  }
  if (in_.size() < body_) return std::nullopt;
  state_ = State::kWaiting;
  SLUICE_CHECK(request_);
  lease_ = request_->Header("sluice-lease");
  return ControlRequest{id_, request_->method, request_->path, lease_, in_.substr(0, body_)};
}

// False: it is refused.
bool ControlClient::TakeHead(std::size_t length) {
  request_ = ParseHttpRequest(std::string_view(in_).substr(0, length));
  in_.erase(0, length);
  if (!request_) return Refuse(400, "this is no request of HTTP/1.1"), false;
  if (!MayAsk())
    return Refuse(401, "show the token of this run: Authorization: Bearer TOKEN (--token-file)"), false;
  if (!request_->Header("transfer-encoding").empty())
    return Refuse(411, "send the body with a Content-Length, not in chunks"), false;
  const std::string_view given = request_->Header("content-length");
  if (request_->method == "POST" && given.empty())
    return Refuse(411, "a POST needs a Content-Length; an empty body is {}"), false;
  const auto body = given.empty() ? 0 : LengthIn(given);
  if (!body) return Refuse(400, "Content-Length is no number of bytes"), false;
  if (*body > limits_.body)
    return Refuse(413, fmt::format("the body is longer than {} bytes", limits_.body)), false;
  body_ = *body;
  return true;
}

// In a time that does not tell how much of it was right.
bool ControlClient::MayAsk() const {
  if (token_.empty()) return true;
  SLUICE_CHECK(request_);
  const std::string wanted = "Bearer " + token_;
  const std::string_view shown = request_->Header("authorization");
  return shown.size() == wanted.size() && CRYPTO_memcmp(shown.data(), wanted.data(), wanted.size()) == 0;
}

// `why` needs no escapes.
void ControlClient::Refuse(int status, std::string_view why) {
  Answer({.status = status, .json = fmt::format("{{\"error\": \"{}\"}}\n", why)});
}

void ControlClient::Answer(const ControlAnswer& answer) {
  out_ = Wire({.status = answer.status, .content_type = "application/json", .body = answer.json}, true);
  in_ = {};
  state_ = State::kAnswering;
  Write();
}

void ControlClient::Stream(std::size_t pipeline) {
  pipeline_ = pipeline;
  held_lease_ = std::move(lease_);
  out_ =
      "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
  in_ = {};
  state_ = State::kStreaming;
  Write();
}

void ControlClient::Tell(std::string_view line) {
  const StreamPace::Step step = pace_.Offer(written_ == out_.size());
  if (!step.send) return;
  out_.clear();
  written_ = 0;
  if (step.notice)
    AddChunk(out_, fmt::format("{{\"notice\": \"slow viewer\", \"every\": {}, \"skipped\": {}}}\n",
                               step.notice->every, step.notice->skipped));
  AddChunk(out_, line);
  Write();
}

void ControlClient::EndStream() {
  AddChunk(out_, kEndOfStream);
  AddChunk(out_, "");
  state_ = State::kAnswering;
  Write();
}

void ControlClient::Write() {
  while (written_ < out_.size()) {
    const std::size_t n = channel_.Write(std::string_view(out_).substr(written_));
    if (channel_.over()) state_ = State::kGone;
    if (n == 0) return;
    written_ += n;
  }
  if (state_ != State::kAnswering) return;
  channel_.Finish();
  state_ = State::kLeaving;
}

// Closed before it is read, it would be reset, and the answer could be lost with it.
void ControlClient::ReadRest() {
  std::array<char, 4096> part;
  while (const std::size_t n = Read(part.data(), part.size())) {
    ignored_ += n;
    if (ignored_ > kMostIgnored) state_ = State::kGone;
    if (state_ == State::kGone) return;
  }
}

}  // namespace sluice::exporters
