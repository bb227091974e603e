#include "metrics/accept_header.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <system_error>

namespace sluice::exporters {
namespace {

constexpr std::string_view kOpenMetricsType = "application/openmetrics-text";

struct Offer {
  std::string_view name;     // "text/plain", "gzip"
  std::string_view version;  // empty: none was said
  double q = 1;
};

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// What comes before `end`, trimmed; `text` is left with what comes after it.
std::string_view TakeUntil(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = Trimmed(text.substr(0, at));
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// 0 where it is none: such an offer was not understood.
double Quality(std::string_view text) {
  double q = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), q);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && q >= 0 && q <= 1 ? q : 0;
}

Offer ParseOffer(std::string_view text) {
  Offer offer{.name = TakeUntil(text, ';'), .version = {}};
  while (!text.empty()) {
    std::string_view value = TakeUntil(text, ';');
    const std::string_view key = TakeUntil(value, '=');
    if (SameWord(key, "q")) offer.q = Quality(value);
    if (SameWord(key, "version")) offer.version = value;
  }
  return offer;
}

// The greatest q of an offer that names it so; nullopt: none does.
std::optional<double> Wanted(std::string_view header, std::string_view name, std::string_view version = "") {
  std::optional<double> best;
  while (!header.empty()) {
    const Offer offer = ParseOffer(TakeUntil(header, ','));
    const bool fits = offer.version.empty() || version.empty() || offer.version == version;
    if (fits && SameWord(offer.name, name)) best = std::max(best.value_or(0), offer.q);
  }
  return best;
}

// Of the names, the first that the header has: the most particular one counts.
double WantedAs(std::string_view header, std::initializer_list<std::string_view> names,
                std::string_view version = "") {
  for (const std::string_view name : names) {
    if (const auto q = Wanted(header, name, version)) return *q;
  }
  return 0;
}

}  // namespace

MetricsFormat ChooseFormat(std::string_view accept) {
  const double open = WantedAs(accept, {kOpenMetricsType}, "1.0.0");
  const double text = WantedAs(accept, {"text/plain", "text/*", "*/*"}, "0.0.4");
  return open > 0 && open >= text ? MetricsFormat::kOpenMetrics : MetricsFormat::kText;
}

std::string_view ContentTypeOf(MetricsFormat format) {
  return format == MetricsFormat::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                               : "text/plain; version=0.0.4; charset=utf-8";
}

bool AcceptsGzip(std::string_view accept_encoding) {
  const double gzip = WantedAs(accept_encoding, {"gzip", "x-gzip", "*"});
  return gzip > 0 && gzip >= WantedAs(accept_encoding, {"identity"});
}

}  // namespace sluice::exporters
