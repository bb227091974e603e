#include "metrics/served_exposition.h"

#include "web/gzip.h"

namespace sluice::exporters {

const std::string& ServedExposition::Text(MetricsFormat format) {
  auto& text = Of(format).text;
  if (!text) text = MetricsText(exposition_, format);
  return *text;
}

const std::string& ServedExposition::Zipped(MetricsFormat format) {
  auto& zipped = Of(format).zipped;
  if (!zipped) zipped = Gzip(Text(format));
  return *zipped;
}

}  // namespace sluice::exporters
