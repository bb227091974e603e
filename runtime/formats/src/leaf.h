// Leaf: one thing in a scene, which hides what is behind it ("dead leaves", Matheron 1968; Lee, Mumford and
// Huang: "Occlusion models for natural images", IJCV 2001).
#pragma once
#include <cstdint>

#include "canvas.h"
#include "texture.h"

namespace sluice::formats::internal {

enum class Shape : std::uint8_t { kDisc, kBlade, kPolygon, kSlab };

// A direction in the picture, of length 1.
struct Direction {
  float x = 1;
  float y = 0;
};
[[nodiscard]] Direction AnyDirection(Rng& rng);

struct Leaf {
  Shape shape = Shape::kDisc;
  float x = 0;  // centre, pixels
  float y = 0;
  float length = 1;  // half of it, pixels
  float width = 1;   // half of it, pixels
  Direction along;   // of the length
  Color color{};
  float shade = 0.2F;   // how much darker the side away from the light is
  float gloss = 0;      // strength of the highlight
  float contrast = 0;   // of the grain
  float edge = 1;       // softness of the outline, pixels
  float shadow = 0.4F;  // darkness of the shadow that it throws
  Direction light;      // points to the light
  std::uint64_t seed = 0;
};

// About, in pixels.
[[nodiscard]] float Area(const Leaf& leaf);

void Paint(const Leaf& leaf, const Grain& grain, Canvas& canvas);

}  // namespace sluice::formats::internal
