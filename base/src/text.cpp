#include "sluice/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace sluice {
namespace {

struct UnitName {
  std::string_view name;
  double factor;
};

constexpr std::array kDurations =
    std::to_array<UnitName>({{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}});
constexpr std::array kSizes = std::to_array<UnitName>({{"B", 1},
                                                       {"KB", 1e3},
                                                       {"MB", 1e6},
                                                       {"GB", 1e9},
                                                       {"TB", 1e12},
                                                       {"KiB", 0x1p10},
                                                       {"MiB", 0x1p20},
                                                       {"GiB", 0x1p30},
                                                       {"TiB", 0x1p40}});

template <std::size_t N>
Result<std::int64_t> ParseWithUnit(std::string_view text, const std::array<UnitName, N>& units,
                                   std::string_view what, std::string_view example) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit_text = std::string_view(rest, text.data() + text.size());
  const auto start = std::min(unit_text.find_first_not_of(' '), unit_text.size());
  const auto unit = std::ranges::find(units, unit_text.substr(start), &UnitName::name);
  if (error != std::errc() || unit == units.end() || !std::isfinite(number) || number < 0) {
    return Fail(fmt::format("'{}' is not a {} (write for example {})", text, what, example));
  }
  const double value = number * unit->factor;
  if (value >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) {
    return Fail(fmt::format("'{}' is too large for a {}", text, what));
  }
  return static_cast<std::int64_t>(std::llround(value));
}

// Three significant digits, no exponent.
std::string Three(double value) {
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", value, digits);
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swapped = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, swapped});
    }
  }
  return row.back();
}

}  // namespace

Result<Nanos> ParseDuration(std::string_view text) {
  const auto ns = ParseWithUnit(text, kDurations, "duration", "30ms, 1.5s or 2min");
  if (!ns) return std::unexpected(ns.error());
  return Nanos(*ns);
}

Result<Bytes> ParseBytes(std::string_view text) {
  const auto count = ParseWithUnit(text, kSizes, "byte amount", "512MiB or 2GiB");
  if (!count) return std::unexpected(count.error());
  return Bytes{*count};
}

std::string FormatDuration(Nanos t) {
  const auto ns = static_cast<double>(t.count());
  if (ns < 1e3) return fmt::format("{}ns", t.count());
  if (ns < 999.5e3) return Three(ns * 1e-3) + "us";
  if (ns < 999.5e6) return Three(ns * 1e-6) + "ms";
  return Three(ns * 1e-9) + "s";
}

std::string FormatBytes(Bytes b) {
  const auto n = static_cast<double>(b.count);
  if (n < 0x1p10) return fmt::format("{} B", b.count);
  if (n < 0x1p20) return Three(n * 0x1p-10) + " KiB";
  if (n < 0x1p30) return Three(n * 0x1p-20) + " MiB";
  return Three(n * 0x1p-30) + " GiB";
}

std::string FormatPercent(Fraction share) {
  const double percent = share.value * 100;
  if (percent > 0 && percent < 0.05) return "<0.1%";
  return fmt::format("{:.{}f}%", percent, percent > 0 && percent < 0.95 ? 1 : 0);
}

std::string FormatGain(double gain) {
  return fmt::format("{:+.0f}%", std::abs(gain) < 0.005 ? 0.0 : gain * 100);
}

std::string FormatCount(double n) {
  if (n >= 999.5e6) return Three(n * 1e-9) + " G";
  if (n >= 999.5e3) return Three(n * 1e-6) + " M";
  if (n >= 9999.5) return Three(n * 1e-3) + " k";
  return n >= 100 || n == std::floor(n) ? fmt::format("{:.0f}", n) : Three(n);
}

std::string FormatRate(double n) {
  return n >= 100 ? FormatCount(std::round(n)) : fmt::format("{:.3g}", n);
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto distance = [&](const std::string& c) { return EditDistance(word, c); };
  const auto best = std::ranges::min_element(candidates, {}, distance);
  if (best == candidates.end() || distance(*best) > std::max<std::size_t>(2, word.size() / 2)) return "";
  return *best;
}

}  // namespace sluice
