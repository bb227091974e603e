// ServedExposition: one exposition in each form that a scrape has asked for. A form is made once, when the
// first one asks for it, so that scraping costs no more however often somebody does it. One thread (the
// listener's).
#pragma once
#include <array>
#include <optional>
#include <string>

#include "sluice/exporters/exposition.h"
#include "sluice/exporters/metrics_text.h"

namespace sluice::exporters {

class ServedExposition {
 public:
  explicit ServedExposition(Exposition exposition) : exposition_(std::move(exposition)) {}

  [[nodiscard]] const std::string& Text(MetricsFormat format);
  [[nodiscard]] const std::string& Zipped(MetricsFormat format);

 private:
  struct Form {
    std::optional<std::string> text, zipped;
  };
  [[nodiscard]] Form& Of(MetricsFormat format) { return forms_.at(static_cast<std::size_t>(format)); }

  const Exposition exposition_;
  std::array<Form, 2> forms_;
};

}  // namespace sluice::exporters
