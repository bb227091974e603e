// HttpRequest: the head of a request (RFC 9112), read from untrusted bytes. Immutable functions. Stricter
// than they have to be: what is not plainly a request of HTTP/1.0 or 1.1 is none.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::exporters {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // "/metrics": without host and query, not decoded
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, each once

  // `name` in lower case; empty: it has none. What came in several lines is joined by commas.
  [[nodiscard]] std::string_view Header(std::string_view name) const;
};

// The length of the head in `bytes`, with the empty line behind it; nullopt: there is more to come.
[[nodiscard]] std::optional<std::size_t> HeadLength(std::string_view bytes);
// Whether a head could begin so: tells at the first byte that somebody speaks TLS, or nothing at all.
[[nodiscard]] bool CouldBeHead(std::string_view bytes);
// `head` as measured by HeadLength(). nullopt: it is no request.
[[nodiscard]] std::optional<HttpRequest> ParseHttpRequest(std::string_view head);

}  // namespace sluice::exporters
