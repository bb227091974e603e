// Texture: a square tile of noise with the 1/f spectrum of natural surfaces, repeating in both directions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/base/rng.h"

namespace sluice::formats::internal {

inline constexpr int kTextureSide = 512;

// Immutable. Values lie around 0, within about -1..1.
class Texture {
 public:
  // Soft, as clouds, skin and stone.
  [[nodiscard]] static Texture Cloud(std::uint64_t seed);
  // With creases, as bark, cloth and rock.
  [[nodiscard]] static Texture Creased(std::uint64_t seed);

  // Any coordinates; they wrap.
  [[nodiscard]] float At(int x, int y) const {
    constexpr unsigned kMask = kTextureSide - 1;
    return values_[(static_cast<unsigned>(y) & kMask) * kTextureSide + (static_cast<unsigned>(x) & kMask)];
  }

 private:
  explicit Texture(std::vector<float> values) : values_(std::move(values)) {}

  std::vector<float> values_;
};

// Where on a texture a surface takes its grain from: rotated, stretched, shifted.
class Grain {
 public:
  // (cosine, sine) is the direction of the grain; it is `stretch` times longer along than across.
  Grain(const Texture& texture, Rng& rng, float cosine, float sine, float scale, float stretch);

  [[nodiscard]] float At(int x, int y) const {
    return texture_->At((u0_ + x * ux_ + y * uy_) >> kFraction, (v0_ + x * vx_ + y * vy_) >> kFraction);
  }

 private:
  static constexpr int kFraction = 8;

  const Texture* texture_;
  int u0_, v0_, ux_, uy_, vx_, vy_;
};

}  // namespace sluice::formats::internal
