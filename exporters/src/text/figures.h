// Figures as they stand in tables: short, aligned, and an en dash for what is missing. Immutable functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/exporters/text_style.h"
#include "text/styled_line.h"

namespace sluice::exporters {

inline constexpr const char* kMissing = "–";

[[nodiscard]] std::string PercentText(std::optional<Fraction> share);  // "0%", "0.4%", "87%"
[[nodiscard]] std::string GainText(std::optional<double> gain);        // "+95%", "-3%"
[[nodiscard]] std::string RateText(std::optional<Rate> rate);          // "755", "11.8"
[[nodiscard]] std::string DurationText(std::optional<Nanos> t);        // "1.23ms"
[[nodiscard]] std::string BytesText(std::optional<Bytes> bytes);
[[nodiscard]] std::string ElapsedText(Nanos t);  // "12.4s", "2m05s", "3h07m"
[[nodiscard]] std::string CoresText(double cores);

// "batches" where the consumer takes batches, else "items".
[[nodiscard]] std::string ItemsWord(const Snapshot& snapshot);

// "high", "medium" or "low".
[[nodiscard]] std::string ConfidenceWord(Fraction confidence);
// The verdict's sentence with its confidence; says so where there is none yet.
[[nodiscard]] std::string VerdictText(const Verdict& verdict);
[[nodiscard]] Tone VerdictTone(const Verdict& verdict);

// Why the run itself keeps a knob where it is: "random draws"; empty where it does not, or where that need
// not be said.
[[nodiscard]] std::string_view HeldWords(HeldBecause held);

// How well the consumer is fed.
[[nodiscard]] Tone StarvedTone(std::optional<Fraction> starved);
[[nodiscard]] Tone FateTone(Fate fate);

}  // namespace sluice::exporters
