// MetricsPages: what each path of the metrics server answers. One thread (the listener's).
#pragma once
#include <memory>
#include <string>

#include "metrics/served_exposition.h"
#include "web/http_answer.h"
#include "web/http_request.h"

namespace sluice::exporters {

struct ServedNow {
  std::shared_ptr<ServedExposition> latest{};  // null: nothing was published yet, and the server is not ready
  std::string targets = "[]\n";                // for service discovery
};
[[nodiscard]] HttpAnswer AnswerTo(const HttpRequest& request, const ServedNow& now);

}  // namespace sluice::exporters
