#include "look.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::formats::internal {
namespace {

// 0xRRGGBB, as palettes are read from photographs.
constexpr Color Hex(unsigned rgb) {
  return Color{static_cast<float>(rgb >> 16 & 255) / 255, static_cast<float>(rgb >> 8 & 255) / 255,
               static_cast<float>(rgb & 255) / 255, 0};
}

constexpr std::array<Color, 6> Palette(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
                                       unsigned f) {
  return {Hex(a), Hex(b), Hex(c), Hex(d), Hex(e), Hex(f)};
}

constexpr std::array<Look, 10> kLooks{{
    {.name = "foliage",
     .palette = Palette(0x4a6b2a, 0x6d8f3c, 0x2f4a1f, 0x8fa858, 0x3b5a34, 0x59743a),
     .top = Hex(0x2a3a1c),
     .bottom = Hex(0x1b2412),
     .horizon = 0,
     .smallest = 0.018F,
     .largest = 0.30F,
     .slimness = 3.0F,
     .upright = 0.2F,
     .mix = {0, 9, 1, 0},
     .grain = 0.22F,
     .stretch = 3,
     .gloss = 0.12F,
     .crowd = 4.0F,
     .creased = false},
    {.name = "pebbles",
     .palette = Palette(0x8d8880, 0xb3aca0, 0x6a655f, 0xc9c1b2, 0x9b8b7a, 0x565b60),
     .top = Hex(0x5d564c),
     .bottom = Hex(0x453f37),
     .horizon = 0,
     .smallest = 0.02F,
     .largest = 0.22F,
     .slimness = 1.6F,
     .upright = 0.3F,
     .mix = {8, 0, 2, 0},
     .grain = 0.30F,
     .stretch = 1,
     .gloss = 0.10F,
     .crowd = 4.0F,
     .creased = false},
    {.name = "autumn",
     .palette = Palette(0xb5651d, 0xd08c35, 0x8c3b1a, 0xc9a13e, 0x6e4a25, 0xa34a24),
     .top = Hex(0x4a3320),
     .bottom = Hex(0x332314),
     .horizon = 0,
     .smallest = 0.02F,
     .largest = 0.24F,
     .slimness = 2.2F,
     .upright = 0,
     .mix = {1, 7, 2, 0},
     .grain = 0.26F,
     .stretch = 2,
     .gloss = 0.05F,
     .crowd = 4.0F,
     .creased = true},
    {.name = "coast",
     .palette = Palette(0x5c6b70, 0x7a8a8c, 0x3f4f57, 0x9c9a8c, 0x4b6a78, 0x6f6557),
     .top = Hex(0x9dbdd6),
     .bottom = Hex(0x47707f),
     .horizon = 0.45F,
     .smallest = 0.015F,
     .largest = 0.35F,
     .slimness = 3.5F,
     .upright = 0.9F,
     .mix = {6, 1, 3, 0},
     .grain = 0.34F,
     .stretch = 3,
     .gloss = 0.06F,
     .crowd = 1.6F,
     .creased = true},
    {.name = "walls",
     .palette = Palette(0xa3614a, 0xb98a6a, 0x8a8580, 0xc4b8a4, 0x6b5a50, 0x54606b),
     .top = Hex(0xa9b7c4),
     .bottom = Hex(0x6b655e),
     .horizon = 0.12F,
     .smallest = 0.03F,
     .largest = 0.34F,
     .slimness = 2.6F,
     .upright = 1.0F,
     .mix = {0, 0, 1, 9},
     .grain = 0.24F,
     .stretch = 1,
     .gloss = 0,
     .crowd = 3.0F,
     .creased = true},
    {.name = "meadow",
     .palette = Palette(0xc95f86, 0xe0a93b, 0xd9d3e0, 0x5f8a3a, 0x7ba04a, 0x8a5fb0),
     .top = Hex(0x8fb26a),
     .bottom = Hex(0x3f5f2a),
     .horizon = 0.2F,
     .smallest = 0.016F,
     .largest = 0.16F,
     .slimness = 2.0F,
     .upright = 0.2F,
     .mix = {4, 6, 0, 0},
     .grain = 0.20F,
     .stretch = 2,
     .gloss = 0.05F,
     .crowd = 3.0F,
     .creased = false},
    {.name = "mountains",
     .palette = Palette(0x6c7683, 0x8d97a3, 0x4d5661, 0xd7dde3, 0xa9b4bf, 0x5d6a5f),
     .top = Hex(0x7fa3cc),
     .bottom = Hex(0xc8d4de),
     .horizon = 0.5F,
     .smallest = 0.02F,
     .largest = 0.55F,
     .slimness = 1.8F,
     .upright = 0.5F,
     .mix = {0, 0, 10, 0},
     .grain = 0.42F,
     .stretch = 2,
     .gloss = 0,
     .crowd = 2.0F,
     .creased = true},
    {.name = "desert",
     .palette = Palette(0xc79a62, 0xd9b380, 0xb07f4c, 0xe3c79c, 0x94683f, 0xcf8d57),
     .top = Hex(0x86b3dc),
     .bottom = Hex(0xd8c3a0),
     .horizon = 0.42F,
     .smallest = 0.03F,
     .largest = 0.70F,
     .slimness = 4.0F,
     .upright = 0.95F,
     .mix = {9, 1, 0, 0},
     .grain = 0.20F,
     .stretch = 4,
     .gloss = 0,
     .crowd = 2.2F,
     .creased = false},
    {.name = "evening",
     .palette = Palette(0x2b3450, 0x3d3f5c, 0xd08a4a, 0x1d2233, 0x7a4f63, 0xe0b36a),
     .top = Hex(0x2a3558),
     .bottom = Hex(0xc87f5a),
     .horizon = 0.3F,
     .smallest = 0.02F,
     .largest = 0.30F,
     .slimness = 2.0F,
     .upright = 0.9F,
     .mix = {3, 1, 1, 5},
     .grain = 0.30F,
     .stretch = 1,
     .gloss = 0.1F,
     .crowd = 2.2F,
     .creased = false},
    {.name = "fruit",
     .palette = Palette(0xb8322c, 0xdd8a2e, 0x7d9a33, 0xd9bf3f, 0x6a2b45, 0xc75a3a),
     .top = Hex(0x4a3a2c),
     .bottom = Hex(0x32261c),
     .horizon = 0,
     .smallest = 0.05F,
     .largest = 0.22F,
     .slimness = 1.25F,
     .upright = 0,
     .mix = {10, 1, 0, 0},
     .grain = 0.12F,
     .stretch = 1,
     .gloss = 0.65F,
     .crowd = 4.0F,
     .creased = false},
}};
constexpr int kOwnLooks = static_cast<int>(kLooks.size());

// Turns the hue by thirds of the colour circle and pulls it towards grey, which keeps it credible.
Color Recolored(Color c, int turn) {
  const std::array<float, 3> parts{c[0], c[1], c[2]};
  const auto part = [&](int i) { return parts[static_cast<std::size_t>((i + turn) % 3)]; };
  const float grey = (c[0] + c[1] + c[2]) / 3;
  return Mix(Color{part(0), part(1), part(2), 0}, Color{grey, grey, grey, 0}, 0.25F);
}

}  // namespace

Look LookOfClass(int label) {
  Look look = kLooks[static_cast<std::size_t>(label % kOwnLooks)];
  const int variant = label / kOwnLooks;
  if (variant == 0) return look;
  for (Color& color : look.palette) color = Recolored(color, variant % 3);
  Rng rng(static_cast<std::uint64_t>(label), 0, 0, 0x6c6f6f6b);
  const auto scale = static_cast<float>(rng.Uniform(0.6, 1.5));
  look.smallest = std::clamp(look.smallest * scale, 0.012F, 0.06F);
  look.largest = std::clamp(look.largest * scale, 0.12F, 0.7F);
  look.slimness = 1 + (look.slimness - 1) * static_cast<float>(rng.Uniform(0.5, 1.6));
  return look;
}

std::string ClassName(int label) {
  return fmt::format("{:03}_{}", label, kLooks[static_cast<std::size_t>(label % kOwnLooks)].name);
}

}  // namespace sluice::formats::internal
