#include "metrics/served_exposition.h"

#include <fmt/format.h>

#include "web/gzip.h"

namespace sluice::exporters {

std::string PathOf(const MetricProcess& process) {
  return process.rank ? fmt::format("rank/{}", *process.rank) : fmt::format("pid/{}", process.pid);
}

ServedExposition::ServedExposition(Exposition exposition) : exposition_(std::move(exposition)) {
  paths_.emplace("/metrics", ServedPart{});
  for (std::uint32_t place = 0; place < exposition_.processes.size(); ++place)
    paths_.emplace("/metrics/" + PathOf(exposition_.processes[place]), ServedPart{place});
}

std::optional<ServedPart> ServedExposition::Find(std::string_view path) const {
  const auto found = paths_.find(path);
  return found == paths_.end() ? std::nullopt : std::optional(found->second);
}

const std::string& ServedExposition::Text(MetricsFormat format, ServedPart part) {
  auto& text = forms_[{format, part}].text;
  if (!text) text = MetricsText(exposition_, format, part.process);
  return *text;
}

const std::string& ServedExposition::Zipped(MetricsFormat format, ServedPart part) {
  auto& zipped = forms_[{format, part}].zipped;
  if (!zipped) zipped = Gzip(Text(format, part));
  return *zipped;
}

}  // namespace sluice::exporters
