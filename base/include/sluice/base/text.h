// Numbers as people read and write them: durations, byte amounts, counts. Immutable functions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice {

// "250ns", "12.5us", "30ms", "2s", "5min". A bare number is refused: the unit is part of the value.
[[nodiscard]] Result<Nanos> ParseDuration(std::string_view text);
// "64KiB", "512MiB", "2GiB", "100KB", "1GB", "4096B"; decimal fractions are allowed ("1.5GiB").
[[nodiscard]] Result<Bytes> ParseBytes(std::string_view text);

[[nodiscard]] std::string FormatDuration(Nanos t);        // three significant digits: "1.23ms"
[[nodiscard]] std::string FormatBytes(Bytes b);           // "37.4 MiB"
[[nodiscard]] std::string FormatCount(double n);          // "1 234", "12.3 k", "4.56 M"
[[nodiscard]] std::string FormatRate(double n);           // per second: "0.0781", "75", "9177", "12.3 k"
[[nodiscard]] std::string FormatPercent(Fraction share);  // "87%", "0.4%", "<0.1%", "0%"
[[nodiscard]] std::string FormatGain(double gain);        // of 0.95: "+95%"

// The candidate nearest to `word` in edit distance, for "did you mean"; empty when none is near.
[[nodiscard]] std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sluice
