// MetricsPages: what each path of the metrics server answers. Immutable functions.
#pragma once
#include <memory>
#include <string>

#include "sluice/exporters/exposition.h"
#include "web/http_answer.h"
#include "web/http_request.h"

namespace sluice::exporters {

struct ServedNow {
  std::shared_ptr<const Exposition>
      exposition{};              // null: nothing was published yet, and the server is not ready
  std::string targets = "[]\n";  // for service discovery
};
[[nodiscard]] HttpAnswer AnswerTo(const HttpRequest& request, const ServedNow& now);

}  // namespace sluice::exporters
