#include "web/http_request.h"

#include <algorithm>

namespace sluice::exporters {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool IsToken(char c) {
  const bool letter = IsUpper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return letter || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsControl(char c) {
  return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
}

bool IsTarget(char c) {
  return c > ' ' && c < 0x7f;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = IsUpper(c) ? static_cast<char>(c + 32) : c;
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string_view TakeLine(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(kLineEnd), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + kLineEnd.size(), rest.size()));
  return line;
}

// Of "http://host/path?query" and "/path?query".
std::string_view PathOf(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t path = target.find('/', scheme.size());
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  return target.substr(0, target.find('?'));
}

bool ReadRequestLine(std::string_view line, HttpRequest& to) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  to.method = method;
  to.path = PathOf(target);
  return !method.empty() && std::ranges::all_of(method, IsUpper) && !target.empty() &&
         std::ranges::all_of(target, IsTarget) && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

bool ReadHeader(std::string_view line, HttpRequest& to) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string name = Lower(line.substr(0, colon));
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (!std::ranges::all_of(name, IsToken) || std::ranges::any_of(value, IsControl)) return false;
  const auto known = std::ranges::find(to.headers, name, &std::pair<std::string, std::string>::first);
  if (known == to.headers.end()) {
    to.headers.emplace_back(name, value);
  } else {
    known->second.append(",").append(value);
  }
  return true;
}

}  // namespace

std::string_view HttpRequest::Header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : found->second;
}

std::optional<std::size_t> HeadLength(std::string_view bytes) {
  const std::size_t end = bytes.find(kHeadEnd);
  return end == std::string_view::npos ? std::nullopt : std::optional(end + kHeadEnd.size());
}

bool CouldBeHead(std::string_view bytes) {
  return bytes.empty() || IsUpper(bytes.front());
}

std::optional<HttpRequest> ParseHttpRequest(std::string_view head) {
  HttpRequest request;
  if (!ReadRequestLine(TakeLine(head), request)) return std::nullopt;
  for (std::string_view line = TakeLine(head); !line.empty(); line = TakeLine(head)) {
    if (!ReadHeader(line, request)) return std::nullopt;
  }
  return request;
}

}  // namespace sluice::exporters
