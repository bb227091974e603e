// HttpAnswer: what a request gets, and its form on the wire. Immutable functions.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace sluice::exporters {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // beside those that every answer has
};

// Every answer closes its connection, and is not to be kept, framed or guessed at. Without the body, for
// HEAD, it is the same but for that: its length is told.
[[nodiscard]] std::string Wire(const HttpAnswer& answer, bool with_body);

}  // namespace sluice::exporters
