// What is not known is null in a JSON document, and so is what is no number. Immutable functions.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sluice/base/units.h"

namespace sluice::exporters {

using Json = nlohmann::ordered_json;

// Divides, so that 31.2 s are written as 31.2.
[[nodiscard]] inline double InSeconds(Nanos t) {
  return static_cast<double>(t.count()) / 1e9;
}

[[nodiscard]] inline Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
[[nodiscard]] inline Json TextOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

[[nodiscard]] inline Json OrNull(const std::optional<Nanos>& t) {
  return t ? Json(InSeconds(*t)) : Json(nullptr);
}
[[nodiscard]] inline Json OrNull(const std::optional<Bytes>& b) {
  return b ? Json(b->count) : Json(nullptr);
}
[[nodiscard]] inline Json OrNull(const std::optional<Rate>& r) {
  return r ? Number(r->per_second) : Json(nullptr);
}
[[nodiscard]] inline Json OrNull(const std::optional<Fraction>& f) {
  return f ? Number(f->value) : Json(nullptr);
}
[[nodiscard]] inline Json OrNull(const std::optional<double>& d) {
  return d ? Number(*d) : Json(nullptr);
}
template <typename Integer>
  requires std::is_integral_v<Integer>
[[nodiscard]] Json OrNull(const std::optional<Integer>& i) {
  return i ? Json(*i) : Json(nullptr);
}

// A document as it is written to a file: indented, with a line break at its end; bytes that are no UTF-8 are
// replaced.
[[nodiscard]] inline std::string DocumentText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::exporters
