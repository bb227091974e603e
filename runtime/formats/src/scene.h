// Scene: paints one picture of a class.
#pragma once
#include <cstdint>
#include <span>

#include "canvas.h"
#include "look.h"
#include "texture.h"

namespace sluice::formats::internal {

// Immutable: shared by all threads that paint.
struct Surfaces {
  explicit Surfaces(std::uint64_t seed) : cloud(Texture::Cloud(seed)), creased(Texture::Creased(seed)) {}
  Texture cloud;
  Texture creased;
};

// Pixels R, G, B of width x height into `out`. Depends on its arguments only, to the byte.
void PaintScene(const Look& look, const Surfaces& surfaces, Rng& rng, int width, int height,
                std::span<std::uint8_t> out);

}  // namespace sluice::formats::internal
