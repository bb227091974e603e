// ServedExposition: one exposition in each form that a scrape has asked for. A form is made once, when the
// first one asks for it, so that scraping costs no more however often somebody does it. One thread (the
// listener's), but for what never changes.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/exporters/exposition.h"
#include "sluice/exporters/metrics_text.h"

namespace sluice::exporters {

// "rank/0", "pid/4711": where it is served below /metrics/.
[[nodiscard]] std::string PathOf(const MetricProcess& process);

struct ServedPart {
  std::optional<std::uint32_t> process{};  // its place; nullopt: all of it
  auto operator<=>(const ServedPart&) const = default;
};

class ServedExposition {
 public:
  explicit ServedExposition(Exposition exposition);

  [[nodiscard]] const std::string& Text(MetricsFormat format, ServedPart part = {});
  [[nodiscard]] const std::string& Zipped(MetricsFormat format, ServedPart part = {});

  // Never changes. `path` as of a request: "/metrics", "/metrics/rank/0"; nullopt: it is none of these.
  [[nodiscard]] std::optional<ServedPart> Find(std::string_view path) const;
  [[nodiscard]] const std::vector<MetricProcess>& processes() const { return exposition_.processes; }

 private:
  struct Form {
    std::optional<std::string> text, zipped;
  };

  const Exposition exposition_;
  std::map<std::string, ServedPart, std::less<>> paths_;
  std::map<std::pair<MetricsFormat, ServedPart>, Form> forms_;
};

}  // namespace sluice::exporters
