#include "web/http_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace sluice::exporters {
namespace {

constexpr std::string_view kContentOptions = "X-Content-Type-Options";

bool Tells(const HttpAnswer& answer, std::string_view name) {
  return std::ranges::any_of(answer.headers, [&](const auto& header) { return header.first == name; });
}

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace

std::string Wire(const HttpAnswer& answer, bool with_body) {
  std::string wire = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "Connection: close\r\n",
      answer.status, Reason(answer.status), answer.content_type, answer.body.size());
  if (!Tells(answer, kContentOptions))
    fmt::format_to(std::back_inserter(wire), "{}: nosniff\r\n", kContentOptions);
  for (const auto& [name, value] : answer.headers)
    fmt::format_to(std::back_inserter(wire), "{}: {}\r\n", name, value);
  wire += "\r\n";
  return with_body ? wire + answer.body : wire;
}

}  // namespace sluice::exporters
