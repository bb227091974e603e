// MetricsPages: what each path of the metrics server answers. Immutable functions.
#pragma once
#include "sluice/exporters/exposition.h"
#include "web/http_answer.h"
#include "web/http_request.h"

namespace sluice::exporters {

// `latest` null: nothing was published yet, and the server is not ready.
[[nodiscard]] HttpAnswer AnswerTo(const HttpRequest& request, const Exposition* latest);

}  // namespace sluice::exporters
