#include "metrics/metrics_pages.h"

#include <string_view>
#include <utility>

#include "metrics/accept_header.h"

namespace sluice::exporters {
namespace {

constexpr const char* kStart =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sluice</title></head>\n"
    "<body><h1>Sluice</h1>\n"
    "<p>An input pipeline, measured. This server only tells; it takes no orders.</p>\n"
    "<ul>\n"
    "<li><a href=\"/metrics\">/metrics</a>: for Prometheus, as text or as OpenMetrics</li>\n"
    "<li><a href=\"/-/healthy\">/-/healthy</a>: 200 while the server runs</li>\n"
    "<li><a href=\"/-/ready\">/-/ready</a>: 200 once there is something to scrape</li>\n"
    "<li><a href=\"/-/sd\">/-/sd</a>: this server as a target, for http_sd</li>\n"
    "</ul></body></html>\n";

HttpAnswer StartPage() {
  return {.content_type = "text/html; charset=utf-8",
          .body = kStart,
          .headers = {{"Content-Security-Policy", "default-src 'none'"}}};
}

HttpAnswer NotYet() {
  return {.status = 503, .body = "nothing measured yet\n", .headers = {{"Retry-After", "1"}}};
}

HttpAnswer Scrape(const HttpRequest& request, ServedExposition& latest, ServedPart part) {
  const MetricsFormat format = ChooseFormat(request.Header("accept"));
  const bool zipped = AcceptsGzip(request.Header("accept-encoding"));
  HttpAnswer answer{.content_type = std::string(ContentTypeOf(format)),
                    .body = zipped ? latest.Zipped(format, part) : latest.Text(format, part),
                    .headers = {{"Vary", "Accept, Accept-Encoding"}}};
  if (zipped) answer.headers.emplace_back("Content-Encoding", "gzip");
  return answer;
}

}  // namespace

HttpAnswer AnswerTo(const HttpRequest& request, const ServedNow& now) {
  const std::string_view path = request.path;
  if (request.method != "GET" && request.method != "HEAD")
    return {.status = 405, .body = "read-only\n", .headers = {{"Allow", "GET, HEAD"}}};
  if (path == "/") return StartPage();
  if (path == "/-/healthy") return {.body = "Sluice is healthy.\n"};
  if (path == "/-/sd") return {.content_type = "application/json", .body = now.targets};
  if (now.latest == nullptr && (path == "/metrics" || path == "/-/ready")) return NotYet();
  if (path == "/-/ready") return {.body = "Sluice is ready.\n"};
  const auto part = now.latest != nullptr ? now.latest->Find(path) : std::nullopt;
  return part ? Scrape(request, *now.latest, *part) : HttpAnswer{.status = 404, .body = "see /\n"};
}

}  // namespace sluice::exporters
