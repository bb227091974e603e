// What a client sends to the metrics server, of any bytes: a head is found and read or refused, and each
// request gets an answer whose head is one. A request that is read keeps to what the parser promises of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "input.h"
#include "metrics/metrics_pages.h"
#include "sluice/base/check.h"
#include "web/http_answer.h"
#include "web/http_request.h"

namespace {

using namespace sluice;  // NOLINT

bool IsPrintable(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; });
}

void CheckRequest(const exporters::HttpRequest& request) {
  SLUICE_CHECK(!request.method.empty() && IsPrintable(request.path));
  for (const auto& [name, value] : request.headers) {
    SLUICE_CHECK(!name.empty() && IsPrintable(value));
    SLUICE_CHECK(request.Header(name) == value);
  }
}

void CheckAnswer(const exporters::HttpRequest& request, const exporters::ServedNow& now) {
  const exporters::HttpAnswer answer = exporters::AnswerTo(request, now);
  const std::string wire = exporters::Wire(answer, false);
  SLUICE_CHECK(wire.starts_with("HTTP/1.1 ") && exporters::HeadLength(wire) == wire.size());
  SLUICE_CHECK(exporters::Wire(answer, true) == wire + answer.body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kLatest =
      std::make_shared<exporters::ServedExposition>(exporters::Expose({"fuzz", "run", "0"}, {}, {}));
  const std::string_view bytes = fuzz::Text(data, size);
  const auto length = exporters::HeadLength(bytes);
  if (!length) return 0;
  SLUICE_CHECK(*length <= size);
  const auto request = exporters::ParseHttpRequest(bytes.substr(0, *length));
  if (!request) return 0;
  SLUICE_CHECK(exporters::CouldBeHead(bytes));
  CheckRequest(*request);
  CheckAnswer(*request, {.latest = kLatest});
  CheckAnswer(*request, {});
  return 0;
}
