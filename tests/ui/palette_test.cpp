#include "sluice/ui/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr double kText = 4.5, kGraphics = 3.0;  // WCAG 2.1, 1.4.3 and 1.4.11
constexpr std::array kGrounds{Paint::kBackground, Paint::kPanel};

class EveryTheme : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Theme theme() { return static_cast<Theme>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(All, EveryTheme, testing::Range(0, static_cast<int>(Theme::kCount)),
                         [](const auto& made) {
                           return std::string(ThemeName(static_cast<Theme>(made.param)));
                         });

TEST_P(EveryTheme, CanBeRead) {
  for (const Paint ground : kGrounds) {
    for (const Paint text :
         {Paint::kText, Paint::kFaint, Paint::kAccent, Paint::kGood, Paint::kWarning, Paint::kBad})
      EXPECT_GE(Contrast(ColourOf(theme(), text), ColourOf(theme(), ground)), kText)
          << static_cast<int>(text);
  }
}

TEST_P(EveryTheme, CanBeSeen) {
  for (int paint = static_cast<int>(Paint::kLine); paint < static_cast<int>(Paint::kCount); ++paint) {
    for (const Paint ground : kGrounds)
      EXPECT_GE(Contrast(ColourOf(theme(), static_cast<Paint>(paint)), ColourOf(theme(), ground)), kGraphics)
          << paint;
  }
}

TEST(Contrast, IsThatOfWcag) {
  EXPECT_DOUBLE_EQ(Contrast({0, 0, 0}, {255, 255, 255}), 21);
  EXPECT_DOUBLE_EQ(Contrast({255, 255, 255}, {0, 0, 0}), 21);
  EXPECT_NEAR(Contrast({0x77, 0x77, 0x77}, {255, 255, 255}), 4.48, 0.01);
}

// What a viewer without the long or the medium cones sees (Machado, Oliveira and Fernandes 2009, severity 1),
// in linear light.
using Sight = std::array<std::array<double, 3>, 3>;
constexpr Sight kNoLong{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Sight kNoMedium{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

std::array<double, 3> Seen(Colour colour, const Sight& sight) {
  const std::array<double, 3> light{std::pow(colour.red / 255.0, 2.2), std::pow(colour.green / 255.0, 2.2),
                                    std::pow(colour.blue / 255.0, 2.2)};
  std::array<double, 3> seen{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) seen[i] += sight[i][j] * light[j];
    seen[i] = std::pow(std::clamp(seen[i], 0.0, 1.0), 1 / 2.2);
  }
  return seen;
}

double Apart(Colour a, Colour b, const Sight& sight) {
  const auto x = Seen(a, sight), y = Seen(b, sight);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

TEST(ColourBlindTheme, KeepsPartsOfABarApartThatTouch) {
  constexpr std::array kParts{Paint::kOnCpu, Paint::kRunnable, Paint::kOffCpu, Paint::kStarved,
                              Paint::kBackedUp};
  for (const Sight& sight : {kNoLong, kNoMedium}) {
    for (std::size_t i = 1; i < kParts.size(); ++i)
      EXPECT_GT(Apart(ColourOf(Theme::kColourBlind, kParts[i - 1]), ColourOf(Theme::kColourBlind, kParts[i]),
                      sight),
                0.2)
          << i;
  }
}

TEST(Themes, HaveNames) {
  for (const char* name : {"dark", "light", "contrast", "colourblind"})
    EXPECT_STREQ(ThemeName(*ThemeOf(name)), name);
  EXPECT_FALSE(ThemeOf("pink"));
}

}  // namespace
}  // namespace sluice::ui
