// Look: what the pictures of one class have in common.
#pragma once
#include <array>
#include <string>

#include "canvas.h"
#include "leaf.h"

namespace sluice::formats::internal {

struct Look {
  const char* name;
  std::array<Color, 6> palette;  // of the things
  Color top;                     // of the background
  Color bottom;
  float horizon;   // share of the height above which things are rare; 0: they are everywhere
  float smallest;  // half length of things, as a share of the picture's shorter side
  float largest;
  float slimness;          // length over width, at most
  float upright;           // 0: things point anywhere, 1: all the same way
  std::array<int, 4> mix;  // how often each Shape comes
  float grain;             // contrast of surfaces
  float stretch;           // of the grain along a thing
  float gloss;
  float crowd;   // how many times things cover the picture
  bool creased;  // which texture
};

// The first ten classes have a look of their own; further ones are recoloured and rescaled variants.
[[nodiscard]] Look LookOfClass(int label);

// "000_foliage": sorts by label.
[[nodiscard]] std::string ClassName(int label);

}  // namespace sluice::formats::internal
