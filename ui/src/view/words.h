// Figures as the window writes them: what is not known is an en dash, never 0. Immutable functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/decision.h"
#include "sluice/ui/scene.h"

namespace sluice::ui::internal {

inline constexpr const char* kUnknown = "\u2013";

[[nodiscard]] std::string RateText(const std::optional<Rate>& rate);
[[nodiscard]] std::string ShareText(const std::optional<Fraction>& share);
[[nodiscard]] std::string TimeText(const std::optional<Nanos>& time);

// "decode.workers 1 → 2, decode.capacity 1 → 4"
[[nodiscard]] std::string ChangesText(const Decision& decision, const std::vector<Knob>& knobs);
[[nodiscard]] const char* FateText(Fate fate);
// after / before - 1 as "+95%"; the dash where either is not known.
[[nodiscard]] std::string GainText(Rate before, const std::optional<Rate>& after);

[[nodiscard]] const char* EffectText(TakesEffect when);  // "at once"
[[nodiscard]] const char* HolderText(const Knob& knob);  // "pinned by the user"

// Letters of ASCII in lower case.
[[nodiscard]] std::string Lower(std::string_view text);

// In UTF-8.
void AppendCharacter(std::string& text, unsigned int character);
void EraseCharacter(std::string& text);  // the last one, where there is any

// The name of an op; empty where the graph does not name it.
[[nodiscard]] std::string OpName(const Scene& scene, std::size_t op);

}  // namespace sluice::ui::internal
