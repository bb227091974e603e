// Themes: which colour stands for what. Contrast is that of WCAG 2.1: text has at least 4.5 to 1 on what it
// stands on, all that is drawn at least 3 to 1 (a test). Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/ui/place.h"

namespace sluice::ui {

enum class Theme : std::uint8_t { kDark = 0, kLight, kContrast, kColourBlind, kCount };

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

[[nodiscard]] Colour ColourOf(Theme theme, Paint paint);

// "dark", "light", "contrast", "colourblind".
[[nodiscard]] const char* ThemeName(Theme theme);
[[nodiscard]] std::optional<Theme> ThemeOf(std::string_view name);

// From 1 to 21, whichever of the two is brighter (WCAG 2.1, "contrast ratio").
[[nodiscard]] double Contrast(Colour a, Colour b);

}  // namespace sluice::ui
