#include "steer/control_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "sluice/base/clock.h"

namespace sluice::app {
namespace {

constexpr std::size_t kLongestAnswer = 16 << 20;  // bytes; a pipeline of 1000 ops tells about 1 MiB
constexpr std::string_view kEndOfHead = "\r\n\r\n";

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

std::string RefusalIn(const ControlReply& reply) {
  const auto json = nlohmann::json::parse(reply.body, nullptr, false);
  const auto why = json.is_object() ? json.find("error") : json.end();
  if (why != json.end() && why->is_string() && !why->get<std::string>().empty())
    return why->get<std::string>();
  return fmt::format("it is refused ({})", reply.status);
}

Result<ControlReply> CallControl(const ControlPeer& peer, const ControlCall& call, Nanos patience) {
  const MonoTime until = MonoNow() + patience;
  auto connection = ControlConnection::Open(peer, until);
  if (!connection) return std::unexpected(connection.error());
  if (auto asked = connection->Ask(call, until); !asked) return std::unexpected(asked.error());
  std::string answer;
  for (;;) {
    const auto part = connection->Receive(until);
    if (!part) return std::unexpected(part.error());
    const auto& bytes = *part;
    if (!bytes) return ControlConnection::Failed(peer.where, ETIMEDOUT);
    if (bytes->empty()) break;
    answer += *bytes;
    if (answer.size() > kLongestAnswer) return ControlConnection::Failed(peer.where, EMSGSIZE);
  }
  if (answer.empty()) return ControlConnection::Failed(peer.where, ECONNREFUSED);
  auto reply = ReadReply(answer);
  if (!reply) return Fail(peer.where + ": " + reply.error().message);
  return reply;
}

}  // namespace sluice::app
