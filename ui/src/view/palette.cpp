#include "sluice/ui/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr Colour Hex(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb)};
}

constexpr auto kThemes = static_cast<std::size_t>(Theme::kCount);

// Of one Paint, in the order of Theme. The colours of the last are Okabe and Ito's, made for all kinds of
// sight.
using Shades = std::array<std::uint32_t, kThemes>;

constexpr Shades ShadesOf(Paint paint) {
  switch (paint) {
    case Paint::kBackground:
      return {0x12151a, 0xeef1f4, 0x000000, 0x12151a};
    case Paint::kPanel:
      return {0x1b2027, 0xffffff, 0x000000, 0x1b2027};
    case Paint::kLine:
      return {0x737e8c, 0x79828d, 0xffffff, 0x7d8896};
    case Paint::kText:
      return {0xe8ecf1, 0x16191d, 0xffffff, 0xf0f2f5};
    case Paint::kFaint:
      return {0xa3adba, 0x515a66, 0xe6e6e6, 0xb4bdc9};
    case Paint::kAccent:
      return {0x5eb1ff, 0x0b5fbf, 0x00e5ff, 0x56b4e9};
    case Paint::kGood:
      return {0x4ccf7f, 0x14743a, 0x00ff66, 0x00b383};
    case Paint::kWarning:
      return {0xf0b429, 0x8f5500, 0xffe600, 0xf0e442};
    case Paint::kBad:
      return {0xff7b72, 0xb4232a, 0xff8080, 0xe8702a};
    case Paint::kOnCpu:
      return {0x4f9dff, 0x1f6fd1, 0x4db8ff, 0x56b4e9};
    case Paint::kRunnable:
      return {0xffb347, 0xb36200, 0xffe600, 0xf0e442};
    case Paint::kOffCpu:
      return {0xb58cff, 0x7a3fc4, 0xff9dff, 0xcc79a7};
    case Paint::kBusy:
      return {0x4f9dff, 0x1f6fd1, 0x4db8ff, 0x56b4e9};
    case Paint::kStarved:
      return {0x8a94a3, 0x6d7783, 0xbfbfbf, 0xd9dde2};
    case Paint::kBackedUp:
      return {0xe8799c, 0xb8336a, 0xff6b6b, 0xd55e00};
    case Paint::kRate:
      return {0x5eb1ff, 0x0b5fbf, 0x4db8ff, 0x56b4e9};
    case Paint::kWait:
      return {0xff8f6b, 0xc2410c, 0xff8080, 0xe8702a};
    case Paint::kFill:
      return {0x62d2a2, 0x0f7a55, 0x00ff66, 0x00b383};
    case Paint::kCores:
      return {0xc9a0ff, 0x7a3fc4, 0xff9dff, 0xcc79a7};
    case Paint::kMemory:
      return {0xe3c85b, 0x7a5e00, 0xffe600, 0xf0e442};
    case Paint::kCount:
      break;
  }
  return {};
}

double Linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double Luminance(Colour c) {
  return 0.2126 * Linear(c.red) + 0.7152 * Linear(c.green) + 0.0722 * Linear(c.blue);
}

}  // namespace

Colour ColourOf(Theme theme, Paint paint) {
  return Hex(ShadesOf(paint)[std::min(static_cast<std::size_t>(theme), kThemes - 1)]);
}

const char* ThemeName(Theme theme) {
  switch (theme) {
    case Theme::kDark:
      return "dark";
    case Theme::kLight:
      return "light";
    case Theme::kContrast:
      return "contrast";
    case Theme::kColourBlind:
      return "colourblind";
    case Theme::kCount:
      break;
  }
  return "";
}

std::optional<Theme> ThemeOf(std::string_view name) {
  for (std::size_t i = 0; i < kThemes; ++i) {
    if (name == ThemeName(static_cast<Theme>(i))) return static_cast<Theme>(i);
  }
  return std::nullopt;
}

double Contrast(Colour a, Colour b) {
  const auto [darker, brighter] = std::minmax({Luminance(a), Luminance(b)});
  return (brighter + 0.05) / (darker + 0.05);
}

}  // namespace sluice::ui
